package ui

import (
	"context"
	"net/http"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackUpdater edits stacks; see stacks.Desk.
type StackUpdater interface {
	Update(ctx context.Context, id core.StackID, change stacks.Change, by access.Principal) (stacks.Stack, error)
}

type stackSettingsPage struct {
	Head stackHead
	Form stackForm
}

var stackSettingsView = newView[stackSettingsPage]("stack_settings.html")

// StackSettings shows a stack to be edited.
func StackSettings(finder StackFinder, workers WorkerDirectory) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := finder.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		form, err := newStackForm(r, workers, stackWords{name: s.Name, path: s.Path, worker: string(s.Worker), tags: strings.Join(s.WorkerTags, ", "), sync: s.AutoSync})
		if err != nil {
			return err
		}
		return writeSettings(w, r, http.StatusOK, s, form)
	})
}

// ChangeStack saves what was typed about a stack.
func ChangeStack(finder StackFinder, workers WorkerDirectory, desk StackUpdater) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		values, err := typed(r)
		if err != nil {
			return err
		}
		s, err := finder.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		ask := wordsOf(values)
		worker, err := pickedWorker(r.Context(), workers, "worker_id", ask.worker)
		if err == nil {
			_, err = desk.Update(r.Context(), s.ID, changeTo(s, ask, worker), endpoint.Principal(r.Context()))
		}
		if err == nil {
			return seeOther(w, r, saying(stackHref(s.ID)+"/settings", "stack-saved"))
		}
		c, ours := complain(r, err)
		if !ours || fault.Is(err, fault.NotFound) {
			return err
		}
		form, err := newStackForm(r, workers, ask)
		if err != nil {
			return err
		}
		form.refuse(c)
		return writeSettings(w, r, c.Status, s, form)
	})
}

// changeTo asks for what differs only: some of it cannot be changed once a stack was deployed.
func changeTo(s stacks.Stack, ask stackWords, worker core.WorkerID) stacks.Change {
	change := stacks.Change{AutoSync: &ask.sync}
	if ask.name != s.Name {
		change.Name = &ask.name
	}
	if ask.path != s.Path {
		change.Path = &ask.path
	}
	if worker != s.Worker {
		change.Worker = &worker
	}
	tags := words(ask.tags)
	change.WorkerTags = &tags
	return change
}

func writeSettings(w http.ResponseWriter, r *http.Request, status int, s stacks.Stack, form stackForm) error {
	f := newFrame(r, inStacks, "Settings of "+s.Name, stackTrail(s)...)
	f.Problem = status != http.StatusOK
	return stackSettingsView.write(w, r, status, f, stackSettingsPage{Head: headOf(s, nil, tabSettings), Form: form})
}
