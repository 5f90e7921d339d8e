package hub

import (
	"fmt"

	"berth/core"
	"berth/core/stacks"
	"berth/core/wire"
)

// unnumbered stands for the command of a deployment that a hub heard which stored no numbers.
const unnumbered = "unknown"

// restartJump is more than what can be missing: a worker that went on after a restart
// begins a new range of numbers.
const restartJump = 1 << 19

// Marks of what a worker said and no hub heard before the deployment ended.
const (
	missingMarker   = "[%d messages of the worker are missing]\n"
	overtakenMarker = "[%d messages of the worker had not arrived when the deployment ended]\n"
	uncountedMarker = "[some messages of the worker had not arrived when the deployment ended]\n"
	restartMarker   = "[the server was restarted; some messages of the worker may not have arrived when the deployment ended]\n"
)

// of returns how far the events of a command have come. Those of one that nothing is known of begin
// with the first: the numbers are stored together with what was said.
func (run *run) of(command core.CommandID, attempt int) (h stacks.Heard, known bool) {
	h = run.progress.Heard
	if h.Command == unnumbered {
		return stacks.Heard{Command: command, Attempt: attempt}, false
	}
	if h.Command != command || h.Attempt != attempt {
		return stacks.Heard{Command: command, Attempt: attempt}, true
	}
	return h, true
}

// heardOf returns the number of the last event of a command that needs not be said again.
func (r *recorder) heardOf(id core.DeploymentID, command core.CommandID, attempt int) (event uint64, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[id]
	if run == nil {
		return 0, false
	}
	h, known := run.of(command, attempt)
	return h.Event, known
}

// hear adds an event to the log, and to the phases, unless it was heard before. What it says and that it
// was heard are stored together.
func (r *recorder) hear(id core.DeploymentID, e wire.Event, restore bool, change func(*stacks.Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[id]
	if run == nil {
		return
	}
	h, known := run.of(e.ID, e.Attempt)
	if known && e.Number <= h.Event {
		return
	}
	text := e.Log
	if known && e.Number > h.Event+1 && e.Number-h.Event < restartJump {
		text = fmt.Sprintf(missingMarker, e.Number-h.Event-1) + text
	}
	if restore {
		text = inRestore(text)
	}
	run.say(text, r.now())
	h.Event = e.Number
	run.progress.Heard, run.dirty = h, true
	change(&run.progress)
}

// unheard returns a mark for the log when events, the number of a command's last event, says
// that some did not come: a result overtakes what a slow link still holds.
func (r *recorder) unheard(id core.DeploymentID, command core.CommandID, attempt int, events uint64) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[id]
	if run == nil || events == 0 {
		return "" // nothing was said, or the worker is of a release that does not tell
	}
	h, known := run.of(command, attempt)
	switch {
	case !known:
		return restartMarker
	case events <= h.Event:
		return ""
	case events-h.Event >= restartJump:
		return uncountedMarker
	}
	return fmt.Sprintf(overtakenMarker, events-h.Event)
}
