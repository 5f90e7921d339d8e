package engine

import (
	"time"

	"github.com/moby/moby/api/types/events"

	"berth/core"
	"berth/hub/worker"
)

// diesOf is how soon after a signal a container ends that ends because of it, when the signal is
// one that programs need not take for an order to end.
const diesOf = 2 * time.Second

// deadly are the signals, by number, that nobody sends without wanting the container to end. How
// long it then takes is the program's business.
var deadly = map[string]bool{"2": true, "3": true, "6": true, "9": true, "15": true} // INT, QUIT, ABRT, KILL, TERM

// ends tells containers that somebody ended from those that ended by themselves. "docker stop"
// is told as kill, die and stop, "docker kill" as kill and die, an end of the program's own as die alone.
type ends struct {
	signalled map[string]events.Message // the last kill, by container id, of those that have not ended since
}

func newEnds() *ends { return &ends{signalled: map[string]events.Message{}} }

// read takes in an event, in order, and says what it means. A signal alone does not matter: what
// comes of it is told.
func (s *ends) read(event events.Message) (h worker.Happening, matters bool) {
	if event.Type != events.ContainerEventType {
		return h, true
	}
	id := event.Actor.ID
	kill, signalled := s.signalled[id]
	switch event.Action {
	case events.ActionKill:
		if !signalled || !deadly[kill.Actor.Attributes["signal"]] {
			s.signalled[id] = event
		}
		return h, false
	case events.ActionStart:
		h.Started = true
	case events.ActionStop:
		h.Stopped = true
	case events.ActionDie:
		late := time.Duration(event.TimeNano-kill.TimeNano) > diesOf
		h.Stopped = signalled && (deadly[kill.Actor.Attributes["signal"]] || !late)
	case events.ActionDestroy:
	default:
		return h, true
	}
	delete(s.signalled, id)
	if h.Started || h.Stopped {
		h.Stack, h.Container = core.StackID(event.Actor.Attributes[worker.LabelStack]), id
	}
	return h, true
}
