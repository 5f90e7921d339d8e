package stacks

import (
	"path"
	"slices"
	"strings"

	"berth/core"
)

// maxFilesTold bounds how many files of one mounted folder are named.
const maxFilesTold = 20

// files compares two contents of the repository that are mounted in one place, named by their
// rendered paths. Nothing when they are not the same file or folder in two states.
func (c comparison) files(before, after string) []Reason {
	old, now, same := pairOf(contentsAt(c.before.Content, before), contentsAt(c.after.Content, after))
	if !same {
		return nil
	}
	states := filesOf(old)
	var found []Reason
	for _, f := range now.Files {
		state := stateOf(f)
		if states[f.Path] != state {
			found = append(found, Reason{Kind: ReasonFile, Name: sourceOf(now, f), Before: states[f.Path], After: state})
		}
		delete(states, f.Path)
	}
	for _, f := range old.Files {
		if state, gone := states[f.Path]; gone {
			found = append(found, Reason{Kind: ReasonFile, Name: sourceOf(old, f), Before: state})
		}
	}
	slices.SortFunc(found, func(a, b Reason) int { return strings.Compare(a.Name, b.Name) })
	return found[:min(len(found), maxFilesTold)]
}

// source replaces the rendered path of a content by its path in the repository.
func (c comparison) source(rendered, text string) string {
	if !isContent(rendered) {
		return text
	}
	for _, p := range []Project{c.after, c.before} {
		if all := contentsAt(p.Content, rendered); len(all) > 0 {
			return clip(all[0].Source)
		}
	}
	return text
}

// contentsAt returns what a rendered path may stand for: equal files have equal paths.
func contentsAt(all []core.Content, rendered string) []core.Content {
	digest, _, _ := strings.Cut(strings.TrimPrefix(rendered, core.ContentRoot), "/")
	var found []core.Content
	for _, c := range all {
		if c.Digest == digest {
			found = append(found, c)
		}
	}
	return found
}

// pairOf finds the same file or folder in two states.
func pairOf(before, after []core.Content) (old, now core.Content, found bool) {
	for _, old := range before {
		for _, now := range after {
			if old.Source == now.Source {
				return old, now, true
			}
		}
	}
	return old, now, false
}

func filesOf(c core.Content) map[string]string {
	states := map[string]string{}
	for _, f := range c.Files {
		states[f.Path] = stateOf(f)
	}
	return states
}

// stateOf identifies the content of a file, and says when it can be run.
func stateOf(f core.ContentFile) string {
	state := "sha256:" + f.Digest[:min(12, len(f.Digest))]
	if f.Executable {
		state += ", executable"
	}
	return state
}

// sourceOf returns the path of a member in the repository. Its own begins with the name
// of what is mounted.
func sourceOf(c core.Content, f core.ContentFile) string {
	_, below, _ := strings.Cut(f.Path, "/")
	return clip(path.Join(c.Source, below))
}
