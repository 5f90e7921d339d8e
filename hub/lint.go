package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/lint"
	"berth/core/stacks"
)

// maxLintErrors is how many errors a fault names.
const maxLintErrors = 10

// check says what is wrong with the project as it is written. What keeps it from being resolved at all is left to
// rendering, which says it in its own words.
func (r *rendering) check(ctx context.Context) error {
	if r.h.opts.Drafts == nil || r.over.broken != nil {
		return nil
	}
	variables, err := r.h.opts.Variables.ForRendering(ctx, r.stack.ID)
	if err != nil {
		return err
	}
	draft, err := r.h.opts.Drafts.Draft(ctx, core.ComposeSource{
		Project: r.stack.ProjectName(), Dir: r.stack.Path, Files: r.manifest.Files, Profiles: r.manifest.Profiles,
		Tree: r.src.tree, Variables: r.over.over(variables),
	})
	if err != nil {
		return nil
	}
	r.findings = lint.Findings(draft)
	return lintFault(r.findings)
}

// lintFault names every error among findings; nil when there is none.
func lintFault(findings []lint.Finding) error {
	errors := lint.Errors(findings)
	if len(errors) == 0 {
		return nil
	}
	var said []string
	for i, f := range errors {
		if i == maxLintErrors {
			said = append(said, fmt.Sprintf("and %d more", len(errors)-i))
			break
		}
		said = append(said, f.String())
	}
	return fault.New(fault.Invalid, "lint.failed", "The Compose file has %s, so nothing was touched:\n%s", errorWords(len(errors)), strings.Join(said, "\n"))
}

func errorWords(n int) string {
	if n == 1 {
		return "an error"
	}
	return fmt.Sprintf("%d errors", n)
}

// Limits of what is linted without a repository.
const (
	maxLintFiles = 16
	maxLintBytes = 512 << 10
)

// Lint says what is wrong with Compose files of which there is no stack. Nothing is stored or run. What keeps
// them from being read is an error finding too. Invalid "lint.invalid" for what are no files; of a folder
// NotFound "repository.not_found", Conflict "repository.not_fetched".
func (h *Hub) Lint(ctx context.Context, ask lint.Ask) ([]lint.Finding, error) {
	src, done, err := h.lintSource(ctx, ask)
	if err != nil {
		return nil, err
	}
	defer done()
	return h.findings(ctx, src)
}

func (h *Hub) findings(ctx context.Context, src core.ComposeSource) ([]lint.Finding, error) {
	draft, err := h.opts.Drafts.Draft(ctx, src)
	if err == nil {
		findings := lint.Findings(draft)
		if len(lint.Errors(findings)) > 0 {
			return findings, nil
		}
		_, err = h.opts.Compose.Read(ctx, src, func(string, []byte) error { return nil })
		if err == nil {
			return findings, nil
		}
		return append([]lint.Finding{lint.Unreadable(err)}, findings...), nil
	}
	if fault.KindOf(err) == fault.Internal {
		return nil, err
	}
	return []lint.Finding{lint.Unreadable(err)}, nil
}

// lintSource opens what is asked about. done closes it.
func (h *Hub) lintSource(ctx context.Context, ask lint.Ask) (src core.ComposeSource, done func(), err error) {
	src = core.ComposeSource{Project: "draft", Profiles: ask.Profiles}
	for _, name := range slices.Sorted(maps.Keys(ask.Variables)) {
		src.Variables = append(src.Variables, core.ComposeVariable{Name: name, Value: ask.Variables[name]})
	}
	switch {
	case ask.Repository == "":
		src.Tree, err = filesOf(ask.Files)
		return src, func() {}, err
	case len(ask.Files) > 0:
		return src, nil, fault.BadFields("lint.invalid", []fault.Field{{Path: "files", Problem: "must be left out where a folder of a repository is named"}})
	}
	r := &rendering{h: h, stack: stacks.Stack{Repository: ask.Repository, Path: ask.Path}}
	if err = r.openFetched(ctx); err == nil {
		err = r.read(ctx)
	}
	if err != nil {
		return src, nil, errors.Join(err, r.close())
	}
	src.Dir, src.Files, src.Tree, src.Variables = ask.Path, r.manifest.Files, r.src.tree, r.over.over(src.Variables)
	src.Profiles = append(slices.Clone(r.manifest.Profiles), ask.Profiles...)
	return src, func() {
		if err := r.close(); err != nil {
			h.opts.Log.Warn("what was linted cannot be closed", "error", err)
		}
	}, nil
}

// givenFiles is a tree of files that were given with a question.
type givenFiles map[string]string

func filesOf(files map[string]string) (givenFiles, error) {
	size := 0
	for name, content := range files {
		size += len(content)
		if name == "" || path.Clean(name) != name || path.IsAbs(name) || strings.HasPrefix(name, "..") || len(name) > 255 {
			return nil, fault.BadFields("lint.invalid", []fault.Field{{Path: "files", Problem: "names must be clean relative paths, such as compose.yaml"}})
		}
	}
	if len(files) == 0 || len(files) > maxLintFiles || size > maxLintBytes {
		return nil, fault.BadFields("lint.invalid", []fault.Field{{Path: "files", Problem: fmt.Sprintf("must be 1 to %d files of at most %d KiB together", maxLintFiles, maxLintBytes>>10)}})
	}
	return files, nil
}

func (g givenFiles) Hashes(_ context.Context, paths []string) (map[string]string, error) {
	hashes := map[string]string{}
	for _, p := range paths {
		hashes[p] = ""
		if content, there := g[p]; there {
			sum := sha256.Sum256([]byte(content))
			hashes[p] = hex.EncodeToString(sum[:])
		}
	}
	return hashes, nil
}

func (g givenFiles) List(_ context.Context, dir string) ([]core.TreeEntry, error) {
	var all []core.TreeEntry
	for _, name := range slices.Sorted(maps.Keys(g)) {
		if dir == "" || dir == "." || name == dir || strings.HasPrefix(name, dir+"/") {
			all = append(all, core.TreeEntry{Path: name, Size: int64(len(g[name]))})
		}
	}
	if len(all) == 0 {
		return nil, fault.New(fault.NotFound, "git.path_missing", "%s was not given.", dir)
	}
	return all, nil
}

func (g givenFiles) Read(_ context.Context, name string, limit int64) ([]byte, error) {
	content, there := g[name]
	switch {
	case !there:
		return nil, fault.New(fault.NotFound, "git.path_missing", "%s was not given.", name)
	case int64(len(content)) > limit:
		return nil, fault.New(fault.TooLarge, "git.file_too_large", "%s is too large.", name)
	}
	return []byte(content), nil
}

func (givenFiles) Close() error { return nil }
