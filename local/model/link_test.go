package model

import (
	"fmt"
	"slices"

	"berth/core"
	"berth/core/stacks"
	"berth/core/wire"
)

// link is one connection of a worker. What is sent arrives in order, or not at all. Each side
// learns at another time that it is over.
type link struct {
	host     int
	epoch    uint64 // 0: not greeted
	atHub    bool   // the hub reads and writes
	atWorker bool   // the worker reads and writes
	welcome  bool   // the worker was welcomed
	wake     bool   // there may be commands to send
	ended    []key  // whose result the worker holds, as it said in its Hello
	toHub    []message
	toWorker []message
}

// key is what makes a command one and the same.
type key struct {
	id      core.CommandID
	attempt int
}

// String implements fmt.Stringer; it is called only for a story that somebody reads.
func (k key) String() string { return fmt.Sprintf("%s/%d", k.id, k.attempt) }

// message is what hub and worker say to each other, in the words of the wire as far as it matters.
type message struct {
	kind       messageKind
	key        key
	command    command
	result     result
	journal    []wire.JournalEntry
	settle     []wire.Instruction
	epoch      uint64
	containers []stacks.ContainerState
}

type messageKind string

const (
	hello    messageKind = "Hello"
	welcome  messageKind = "Welcome"
	deliver  messageKind = "Command"
	accepted messageKind = "Accepted"
	results  messageKind = "Result"
	ack      messageKind = "ResultAck"
	cancel   messageKind = "Cancel"
	observed messageKind = "Observed"
)

// command is what a worker is asked to do.
type command struct {
	kind       stacks.CommandKind
	deployment core.DeploymentID
	revision   int
	commit     int // number of the commit that the revision was made of
	recreate   bool
}

// result is how a command ended.
type result struct {
	status     wire.ResultStatus
	began      bool // it began to change the host
	revision   int  // that is in place
	containers []stacks.ContainerState
}

// current returns the link that a worker talks over; nil when it has none.
func (w *world) current(host int) *link {
	for i := range w.links {
		if l := &w.links[i]; l.host == host && l.atWorker {
			return l
		}
	}
	return nil
}

// session returns the hub's newest link with a worker that it has greeted.
func (w *world) session(host int) *link {
	for i := range slices.Backward(w.links) {
		if l := &w.links[i]; l.host == host && l.atHub && l.epoch > 0 {
			return l
		}
	}
	return nil
}

// newest is the highest epoch that the hub has given a worker.
func (w *world) newest(host int) (epoch uint64) {
	for _, l := range w.links {
		if l.host == host {
			epoch = max(epoch, l.epoch)
		}
	}
	return epoch
}

func (l *link) say(m message) {
	if l != nil && l.atWorker {
		l.toHub = append(l.toHub, m)
	}
}

// tell is say in the other direction. A worker that has gone hears nothing.
func (l *link) tell(m message) {
	if l != nil && l.atHub && l.atWorker {
		l.toWorker = append(l.toWorker, m)
	}
}

// leave is the worker's side ending; what it has sent may arrive still.
func (w *world) leave(host int) {
	l := w.current(host)
	if l == nil {
		return
	}
	l.atWorker, l.toWorker = false, nil
	if w.chance(2) {
		l.toHub = nil // lost on the way
	}
}

func take(queue *[]message) message {
	m := (*queue)[0]
	*queue = slices.Delete(*queue, 0, 1)
	return m
}
