package ui

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackDeleter removes stacks; see stacks.Desk.
type StackDeleter interface {
	Delete(ctx context.Context, id core.StackID, teardown, volumes bool, by access.Principal) (gone bool, err error)
}

type stackDeletePage struct {
	Head     stackHead
	Trouble  string
	Services []string // what runs
	Worker   string
	Teardown tick
	Volumes  tick
}

var stackDeleteView = newView[stackDeletePage]("stack_delete.html")

// ConfirmDeleteStack asks what is to become of a stack's containers before it is removed.
func ConfirmDeleteStack(finder StackFinder, workers WorkerFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := finder.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		return writeDelete(w, r, http.StatusOK, s, workers, newDeletePage(s, true, false))
	})
}

// DeleteStack removes a stack, after its containers where that is wished.
func DeleteStack(finder StackFinder, workers WorkerFinder, desk StackDeleter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		s, err := finder.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		teardown, volumes := form.Has("teardown"), form.Has("teardown") && form.Has("volumes")
		gone, err := desk.Delete(r.Context(), s.ID, teardown, volumes, endpoint.Principal(r.Context()))
		switch c, ours := complain(r, err); {
		case err == nil && gone:
			return seeOther(w, r, saying("/stacks", "stack-gone"))
		case err == nil:
			return seeOther(w, r, saying(stackHref(s.ID), "stack-going"))
		case ours && !fault.Is(err, fault.NotFound):
			page := newDeletePage(s, teardown, form.Has("volumes"))
			page.Trouble = c.general()
			return writeDelete(w, r, c.Status, s, workers, page)
		}
		return err
	})
}

func newDeletePage(s stacks.Stack, teardown, volumes bool) stackDeletePage {
	page := stackDeletePage{Head: headOf(s, nil, ""),
		Teardown: tick{Name: "teardown", Label: "Take its containers and networks down first", On: teardown,
			Hint: "Without it they go on running on their worker, and Berth forgets them."},
		Volumes: tick{Name: "volumes", Label: "Delete the data in its volumes too", On: volumes,
			Hint: "For good. It counts only together with taking the containers down."}}
	seen := map[string]bool{}
	for _, c := range stacks.Own(s.Containers) {
		if !seen[c.Service] {
			page.Services = append(page.Services, c.Service)
		}
		seen[c.Service] = true
	}
	return page
}

func writeDelete(w http.ResponseWriter, r *http.Request, status int, s stacks.Stack, workers WorkerFinder, page stackDeletePage) error {
	worker, err := newNames(nil, workers).worker(r.Context(), s.Worker)
	if err != nil {
		return err
	}
	page.Worker = worker.Name
	f := newFrame(r, inStacks, "Delete "+s.Name, stackTrail(s)...)
	f.Problem = status != http.StatusOK
	return stackDeleteView.write(w, r, status, f, page)
}
