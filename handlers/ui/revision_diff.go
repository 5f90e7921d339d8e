package ui

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"berth/core"
	"berth/core/fault"
	"berth/core/sourcediff"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// RevisionComparer lists how one revision differs from another, or from the one before it when
// with is 0; see stacks.Comparer.
type RevisionComparer interface {
	Compare(ctx context.Context, stack core.StackID, number, with int) (changes []stacks.RevisionChange, compared int, err error)
	// Rendered tells by line how the rendered Compose files differ; empty when they do not.
	Rendered(stack core.StackID, number, with int) (diff string, err error)
}

type diffPage struct {
	Head     stackHead
	Line     revisionLine
	Other    int // revision that it is compared with; 0: none, it is the first
	Trouble  string
	Groups   []changeGroup
	Rendered changeLine // how the rendered Compose file differs by line
	With     choice

	SourceHref string       // where the files in Git are compared; empty: they are here, or there is nothing to compare
	Source     []changeLine // how they differ
	Sourced    bool         // they were compared
	SourceWhy  string       // why they could not be
	SourceMore bool         // there were more than are compared
}

// SourceComparer compares the files in Git of two revisions; see sourcediff.Comparer.
type SourceComparer interface {
	Compare(ctx context.Context, stack core.StackID, number, with int) (changes []sourcediff.Change, truncated bool, err error)
}

// compareSource compares the files in Git where that was asked for, and otherwise offers it: it needs what was fetched.
func (p *diffPage) compareSource(r *http.Request, source SourceComparer, stack core.StackID, number, with int) error {
	if with == 0 {
		return nil
	}
	if r.URL.Query().Get("of") != "source" {
		p.SourceHref = withQuery(revisionHref(stack, number)+"/diff", url.Values{"with": {strconv.Itoa(with)}, "of": {"source"}})
		return nil
	}
	changes, truncated, err := source.Compare(r.Context(), stack, number, with)
	p.Sourced, p.SourceMore = err == nil, truncated
	if err != nil {
		p.SourceWhy = sentence(fault.PublicOf(err))
		if expected(err) || fault.Is(err, fault.Unavailable) {
			return nil
		}
		return err
	}
	for _, c := range changes {
		line := changeLine{Name: c.Path}
		switch {
		case !c.Before:
			line.Text = "is new"
		case !c.After:
			line.Text = "is gone"
		}
		line.putDiff(c.Diff)
		p.Source = append(p.Source, line)
	}
	return nil
}

// changeGroup is what changed of one compose service, or of what belongs to none.
type changeGroup struct {
	Name    string
	Service bool
	Badge   badge
	Changes []changeLine
}

var diffView = newView[diffPage]("revision_diff.html")

// RevisionDiff shows how a revision differs from ?with=, or from the one before it.
func RevisionDiff(reader RevisionReader, comparer RevisionComparer, source SourceComparer, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, revision, err := revisionIn(r, reader)
		if err != nil {
			return err
		}
		with, err := withIn(r)
		if err != nil {
			return err
		}
		page := diffPage{Head: headOf(s, nil, tabRevisions), Line: revisionOf(revision, s, now())}
		changes, other, err := comparer.Compare(r.Context(), s.ID, revision.Number, with)
		switch {
		case err == nil:
			page.Other, page.Groups = other, changeGroups(changes)
			if page.Rendered, err = renderedLines(comparer, s.ID, revision.Number, other); err != nil {
				return err
			}
			if err := page.compareSource(r, source, s.ID, revision.Number, other); err != nil {
				return err
			}
		case expected(err):
			page.Trouble = sentence(fault.PublicOf(err))
		default:
			return err
		}
		if page.With, err = otherRevisions(r, reader, s, revision.Number, other); err != nil {
			return err
		}
		f := newFrame(r, inStacks, fmt.Sprintf("Changes of revision %d of %s", revision.Number, s.Name), append(revisionsTrail(s), crumb{strconv.Itoa(revision.Number), page.Line.Href})...)
		return diffView.write(w, r, http.StatusOK, f, page)
	})
}

// renderedLines tells how the rendered Compose files of two revisions differ; nothing when there is only one.
func renderedLines(comparer RevisionComparer, stack core.StackID, number, with int) (line changeLine, err error) {
	if with == 0 {
		return line, nil
	}
	diff, err := comparer.Rendered(stack, number, with)
	line.Name = "the rendered Compose file"
	line.putDiff(diff)
	return line, err
}

// withIn reads ?with=, the number of a revision; absent is 0.
func withIn(r *http.Request) (int, error) {
	text := r.URL.Query().Get("with")
	if text == "" {
		return 0, nil
	}
	with, err := strconv.Atoi(text)
	if err != nil || with < 1 {
		return 0, fault.BadFields("query.invalid", []fault.Field{{Path: "with", Problem: "must be the number of a revision, from 1"}})
	}
	return with, nil
}

// changeGroups gathers changes by what they belong to, in the order in which they come.
func changeGroups(all []stacks.RevisionChange) []changeGroup {
	var groups []changeGroup
	for _, c := range all {
		name := c.Service
		switch {
		case c.Kind == stacks.ChangeManifest:
			name = "wireops.yaml"
		case name == "":
			name = "All compose services"
		}
		i := slices.IndexFunc(groups, func(g changeGroup) bool { return g.Name == name && g.Service == (c.Service != "") })
		if i < 0 {
			i = len(groups)
			groups = append(groups, changeGroup{Name: name, Service: c.Service != "", Badge: badge{"busy", "sync", "Changed"}})
		}
		groups[i].add(c)
	}
	return groups
}

func (g *changeGroup) add(c stacks.RevisionChange) {
	kind := map[stacks.ChangeKind]stacks.ReasonKind{stacks.ChangeFile: stacks.ReasonFile, stacks.ChangeVariable: stacks.ReasonVariable}[c.Kind]
	line := changeLineOf(kind, c.Name, c.Before, c.After)
	line.putDiff(c.Diff)
	switch c.Kind {
	case stacks.ChangeServiceAdded:
		g.Badge, line.Name = badge{"ok", "plus", "Added"}, "image"
	case stacks.ChangeServiceRemoved:
		g.Badge, line.Name = badge{"bad", "trash", "Removed"}, "image"
	}
	g.Changes = append(g.Changes, line)
}
