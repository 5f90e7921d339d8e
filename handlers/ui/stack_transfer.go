package ui

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackMover moves stacks between workers; see stacks.Desk.
type StackMover interface {
	Transfer(ctx context.Context, id core.StackID, worker core.WorkerID, by access.Principal) (stacks.Deployment, error)
}

type transferPage struct {
	Head    stackHead
	Trouble string
	Worker  string     // where the stack runs
	Choose  workerPick // empty: there is nowhere to go
}

var transferView = newView[transferPage]("stack_transfer.html")

// NewTransfer asks where a stack is to move.
func NewTransfer(finder StackFinder, workers WorkerDirectory) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := finder.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		page, err := newTransferPage(r.Context(), s, workers, "")
		if err != nil {
			return err
		}
		return writeTransfer(w, r, http.StatusOK, s, page)
	})
}

// Transfer asks for the move and goes to watch it.
func Transfer(finder StackFinder, workers WorkerDirectory, desk StackMover) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		s, err := finder.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		to, err := pickedWorker(r.Context(), workers, "worker_id", form.Get("worker_id"))
		if err == nil {
			var d stacks.Deployment
			if d, err = desk.Transfer(r.Context(), s.ID, to, endpoint.Principal(r.Context())); err == nil {
				return seeOther(w, r, deploymentHref(d.ID))
			}
		}
		c, ours := complain(r, err)
		if !ours || fault.Is(err, fault.NotFound) {
			return err
		}
		page, err := newTransferPage(r.Context(), s, workers, form.Get("worker_id"))
		if err != nil {
			return err
		}
		page.Choose.refuse(&c)
		page.Trouble = c.general()
		return writeTransfer(w, r, c.Status, s, page)
	})
}

// newTransferPage offers the workers that the stack could move to: all but its own and those
// that share its container engine.
func newTransferPage(ctx context.Context, s stacks.Stack, workers WorkerDirectory, chosen string) (transferPage, error) {
	page := transferPage{Head: headOf(s, nil, "")}
	own, err := newNames(nil, workers).worker(ctx, s.Worker)
	if err != nil {
		return page, err
	}
	page.Worker = own.Name
	present, err := workers.Worker(ctx, s.Worker)
	if err != nil && !gone(err) {
		return page, err
	}
	twins := false
	page.Choose, err = newWorkerPick(ctx, workers, choice{Name: "worker_id", Label: "Move it to"}, "", chosen, func(w fleet.Worker) bool {
		twin := w.ID != s.Worker && present.Engine != "" && w.Engine == present.Engine
		twins = twins || twin
		return !twin && w.ID != s.Worker
	})
	if twins {
		page.Choose.Choose.Hint = "Workers that share the container engine of " + own.Name + " are not offered: the stack would be taken down in both places."
	}
	return page, err
}

func writeTransfer(w http.ResponseWriter, r *http.Request, status int, s stacks.Stack, page transferPage) error {
	f := newFrame(r, inStacks, "Transfer "+s.Name, stackTrail(s)...)
	f.Problem = status != http.StatusOK
	return transferView.write(w, r, status, f, page)
}
