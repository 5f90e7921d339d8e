package worker

import (
	"berth/hub/worker/applied"
)

// hear takes in what the engine tells as it happens. Who stopped a container cannot be seen
// afterwards, so that it is recorded at once. What happens while a command of the stack runs is the
// command's doing.
func (w *Worker) hear(h Happening) {
	records := w.disk.applied
	var err error
	switch {
	case h.Started:
		err = records.Runs(h.Stack, h.Container)
	case h.Stopped && !w.commands.turns.runs(h.Stack):
		err = records.Stopped(h.Stack, h.Container)
	}
	if err != nil {
		w.log.Warn("who stopped a container could not be recorded; it is known until the worker stops", "stack", h.Stack, "container", h.Container, "error", err)
	}
	w.stir()
}

// forgive forgets who was stopped by hand and runs again, or is gone: the engine may not have
// said so. records are from before the engine listed what runs, as who was stopped since may be listed
// as running.
func (w *Worker) forgive(records []applied.Record, list []ProjectContainer) {
	ended := map[string]bool{}
	for _, c := range list {
		ended[c.ContainerID] = hasEnded(c)
	}
	for _, r := range records {
		var back []string
		for _, id := range r.Stopped {
			if !ended[id] {
				back = append(back, id)
			}
		}
		if len(back) == 0 {
			continue
		}
		if err := w.disk.applied.Runs(r.Stack, back...); err != nil {
			w.log.Warn("the record of a stack could not be written", "stack", r.Stack, "error", err)
		}
	}
}

// hasEnded reports whether a container does not run, for whatever reason.
func hasEnded(c ProjectContainer) bool {
	return c.State == "exited" || c.State == "dead" || c.State == "created"
}
