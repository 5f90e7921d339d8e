package hub

import (
	"fmt"

	"berth/core"
)

// heard is how far the events of a deployment's command have come, over all links.
type heard struct {
	command core.CommandID
	last    uint64 // number of the last event; 0: none yet
	whole   bool   // from its first event on: this hub was the first to send the command
}

// restartJump is more than what can be missing: a worker that went on after a restart
// begins a new range of numbers.
const restartJump = 1 << 19

// Marks of what a worker said and this hub did not hear before the deployment ended.
const (
	overtakenMarker = "[%d messages of the worker had not arrived when the deployment ended]\n"
	uncountedMarker = "[some messages of the worker had not arrived when the deployment ended]\n"
	restartMarker   = "[the server was restarted; some messages of the worker may not have arrived when the deployment ended]\n"
)

// listen says that a deployment's command is sent for the first time.
func (r *recorder) listen(id core.DeploymentID, command core.CommandID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if run := r.runs[id]; run != nil {
		run.heard = heard{command: command, whole: true}
	}
}

// heard takes note of an event and returns how many before it are missing.
func (r *recorder) heard(id core.DeploymentID, command core.CommandID, number uint64) (missing uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[id]
	if run == nil {
		return 0
	}
	if run.heard.command != command {
		run.heard = heard{command: command} // a hub before this one has sent it, and heard the first ones
	}
	h := &run.heard
	if known := h.whole || h.last > 0; known && number > h.last+1 && number-h.last < restartJump {
		missing = number - h.last - 1
	}
	h.last = max(h.last, number)
	return missing
}

// unheard returns a mark for the log when events, the number of a command's last event, says
// that some did not come: a result overtakes what a slow link still holds.
func (r *recorder) unheard(id core.DeploymentID, command core.CommandID, events uint64) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[id]
	switch {
	case run == nil || events == 0:
		return "" // nothing was said, or the worker is of a release that does not tell
	case run.heard.command != command:
		return restartMarker
	case events <= run.heard.last:
		return ""
	case events-run.heard.last >= restartJump:
		return uncountedMarker
	}
	return fmt.Sprintf(overtakenMarker, events-run.heard.last)
}
