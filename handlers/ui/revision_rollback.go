package ui

import (
	"context"
	"fmt"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackRoller puts kept revisions in place again; see stacks.Desk.
type StackRoller interface {
	Rollback(ctx context.Context, id core.StackID, revision int, by access.Principal) (stacks.Deployment, error)
}

type rollbackPage struct {
	Head    stackHead
	Line    revisionLine
	Trouble string
	Current int  // revision that is in place; 0: none
	Known   bool // what would change is known
	Groups  []changeGroup
}

var rollbackView = newView[rollbackPage]("revision_rollback.html")

// RollbackDeps are the ports of the two handlers that roll back.
type RollbackDeps struct {
	Reader   RevisionReader
	Comparer RevisionComparer
	Desk     StackRoller
	Now      core.Clock
}

// ConfirmRollback says what a rollback would change before it is asked for.
func ConfirmRollback(d RollbackDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, revision, err := revisionIn(r, d.Reader)
		if err != nil {
			return err
		}
		return d.write(w, r, http.StatusOK, s, revision, "")
	})
}

// Rollback asks for a kept revision to be put in place and goes to watch it.
func Rollback(d RollbackDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, revision, err := revisionIn(r, d.Reader)
		if err != nil {
			return err
		}
		deployment, err := d.Desk.Rollback(r.Context(), s.ID, revision.Number, endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, deploymentHref(deployment.ID))
		}
		if c, ours := complain(r, err); ours && !fault.Is(err, fault.NotFound) {
			return d.write(w, r, c.Status, s, revision, sentence(c.general()))
		}
		return err
	})
}

// write shows the page. Where it cannot be told what would change, the rollback is offered all the same.
func (d RollbackDeps) write(w http.ResponseWriter, r *http.Request, status int, s stacks.Stack, revision stacks.Revision, trouble string) error {
	page := rollbackPage{Head: headOf(s, nil, tabRevisions), Line: revisionOf(revision, s, d.Now()), Trouble: trouble, Current: s.Revision}
	if page.Current > 0 && !page.Line.Current {
		changes, _, err := d.Comparer.Compare(r.Context(), s.ID, revision.Number, page.Current)
		if err != nil && !expected(err) {
			return err
		}
		page.Known, page.Groups = err == nil, changeGroups(changes)
	}
	title := fmt.Sprintf("Roll %s back to revision %d", s.Name, revision.Number)
	if page.Line.Newer {
		title = fmt.Sprintf("Put revision %d of %s in place", revision.Number, s.Name)
	}
	f := newFrame(r, inStacks, title, revisionsTrail(s)...)
	f.Problem = status != http.StatusOK
	return rollbackView.write(w, r, status, f, page)
}
