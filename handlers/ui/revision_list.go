package ui

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// RevisionFinder finds a kept revision of a stack.
type RevisionFinder interface {
	// Revision returns one revision. NotFound "revision.not_found".
	Revision(ctx context.Context, stack core.StackID, number int) (stacks.Revision, error)
}

// RevisionReader reads the kept revisions of a stack.
type RevisionReader interface {
	StackFinder
	// Revisions lists at most limit revisions below a number, or the newest when that is 0.
	Revisions(ctx context.Context, stack core.StackID, before, limit int) ([]stacks.Revision, error)
	RevisionFinder
}

type revisionListPage struct {
	Head  stackHead
	Lines []revisionLine
	More  string
}

type revisionLine struct {
	Number    int
	Href      string
	Commit    string
	Made      moment
	Services  int
	Current   bool
	Settled   bool   // it is what runs: rolling back to it would change nothing
	Place     badge  // of the current one: whether it is in place
	Ran       moment // when it last ran well; empty: it never did
	Held      bool   // it was rolled back and is in quarantine
	Newer     bool   // than what is in place: to put it in place is no way back
	FilesHref string // the repository at its commit
	DiffHref  string // against what is in place; empty: it is what is in place
}

var revisionListView = newView[revisionListPage]("revision_list.html")

// Revisions lists what can be put in place again, newest first.
func Revisions(reader RevisionReader, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := reader.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		ask, err := partOf(r)
		if err != nil {
			return err
		}
		before, err := afterIn(r)
		if err != nil {
			return err
		}
		all, err := reader.Revisions(r.Context(), s.ID, int(before), ask.Limit+1)
		if err != nil {
			return err
		}
		page := revisionListPage{Head: headOf(s, nil, tabRevisions)}
		if len(all) > ask.Limit {
			all = all[:ask.Limit]
			page.More = following(r.URL, strconv.Itoa(all[ask.Limit-1].Number))
		}
		for _, revision := range all {
			page.Lines = append(page.Lines, revisionOf(revision, s, now()))
		}
		f := newFrame(r, inStacks, "Revisions of "+s.Name, stackTrail(s)...)
		return revisionListView.write(w, r, http.StatusOK, f.following(underWay(s)), page)
	})
}

func revisionOf(r stacks.Revision, s stacks.Stack, now time.Time) revisionLine {
	line := revisionLine{FilesHref: filesHref(s.Repository, r.Commit, s.Path), Number: r.Number, Href: revisionHref(s.ID, r.Number), Commit: r.Commit.Short(), Made: at(r.CreatedAt, now), Services: len(r.Services),
		Current: r.Number == s.Revision, Held: s.Quarantine.Tree != "" && r.Number == s.Quarantine.Revision, Newer: s.Revision > 0 && r.Number > s.Revision}
	line.Settled = line.Current && s.Status != stacks.StatusError
	line.Place, line.Ran = placeOf(s), at(r.VerifiedAt, now)
	if !line.Current && s.Revision > 0 {
		line.DiffHref = line.Href + "/diff?with=" + strconv.Itoa(s.Revision)
	}
	return line
}

// placeOf says of the revision that ran well last whether it is what runs. After an error nobody has
// verified that it is.
func placeOf(s stacks.Stack) badge {
	if s.Status == stacks.StatusError {
		return badge{"idle", "clock", "Ran well last"}
	}
	return badge{"ok", "check", "In place"}
}

func revisionHref(stack core.StackID, number int) string {
	return stackHref(stack) + "/revisions/" + strconv.Itoa(number)
}
