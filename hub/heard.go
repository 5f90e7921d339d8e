package hub

import (
	"context"
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

// Marks of what a worker said and no hub heard before the end of a deployment or run, which is named first.
const (
	missingMarker   = "[%d messages of the worker are missing]\n"
	overtakenMarker = "[%[2]d messages of the worker had not arrived when the %[1]s ended]\n"
	uncountedMarker = "[some messages of the worker had not arrived when the %s ended]\n"
	restartMarker   = "[the server was restarted; some messages of the worker may not have arrived when the %s ended]\n"
)

// of returns how far the events of a command have come. Those of one that nothing is known of begin
// with the first: the numbers are stored together with what was said.
func (r *recording[P]) of(command core.CommandID, attempt int) (h stacks.Heard, known bool) {
	h = r.heard
	if h.Command == unnumbered {
		return stacks.Heard{Command: command, Attempt: attempt}, false
	}
	if h.Command != command || h.Attempt != attempt {
		return stacks.Heard{Command: command, Attempt: attempt}, true
	}
	return h, true
}

// heardOf returns the number of the last event of a command that needs not be said again; nil: that is not
// known, and what it says first is looked at again.
func (r *recorder[ID, P]) heardOf(ctx context.Context, id ID, command core.CommandID, attempt int) *uint64 {
	if err := r.track(ctx, id); err != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.all[id]
	if known == nil {
		return nil
	}
	h, counted := known.of(command, attempt)
	if !counted {
		return nil
	}
	return &h.Event
}

// hear adds an event to what is tracked, its log as mark makes it, unless it was heard before. What it says and that
// it was heard are stored together.
func (r *recorder[ID, P]) hear(id ID, e wire.Event, mark func(string) string, change func(*P)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.all[id]
	if known == nil {
		return
	}
	h, counted := known.of(e.ID, e.Attempt)
	if counted && e.Number <= h.Event {
		return
	}
	text := e.Log
	if counted && e.Number > h.Event+1 && e.Number-h.Event < restartJump {
		text = fmt.Sprintf(missingMarker, e.Number-h.Event-1) + text
	}
	known.say(mark(text), r.now())
	h.Event = e.Number
	known.heard, known.dirty = h, true
	change(&known.progress)
}

// unheard returns a mark for the log when events, the number of a command's last event, says
// that some did not come: a result overtakes what a slow link still holds.
func (r *recorder[ID, P]) unheard(id ID, command core.CommandID, attempt int, events uint64) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.all[id]
	if known == nil || events == 0 {
		return "" // nothing was said, or the worker is of a release that does not tell
	}
	h, counted := known.of(command, attempt)
	switch {
	case !counted:
		return fmt.Sprintf(restartMarker, r.noun)
	case events <= h.Event:
		return ""
	case events-h.Event >= restartJump:
		return fmt.Sprintf(uncountedMarker, r.noun)
	}
	return fmt.Sprintf(overtakenMarker, r.noun, events-h.Event)
}

// asSaid leaves what a worker said as it is.
func asSaid(text string) string { return text }
