package model

import (
	"slices"

	"berth/core"
	"berth/core/stacks"
	"berth/core/wire"
)

// host is one machine: its container, and its worker with a journal on a disk.
type host struct {
	up bool

	// On the disk, or in the engine: a crash leaves it.
	journal []entry
	applied record
	box     box
	made    made
	touched bool // a hand was at the container since a command was

	// In memory: gone with a crash.
	tasks  []task
	recent []key // whose results were acknowledged lately
	sight  *box  // looked at and not yet reported
}

// entry is a line of the journal.
type entry struct {
	key     key
	command command
	starts  int
	result  *result
}

// record is what the worker notes about the revision in place.
type record struct {
	revision, trying int
	deployment       core.DeploymentID
}

// box is the one container of the stack.
type box struct {
	revision   int // 0: there is no container
	deployment core.DeploymentID
	by         key
	stopped    bool
	changed    bool // by a hand, since it was made
}

// made is what commands last did to the container, whatever hands did since.
type made struct {
	revision int
	verified bool // it was seen well since
}

func (b box) states() []stacks.ContainerState {
	if b.revision == 0 {
		return []stacks.ContainerState{}
	}
	c := stacks.ContainerState{Service: "web", Container: "web-1", ContainerID: "id-" + string(b.by.id), State: "running", Revision: b.revision}
	if b.stopped {
		c.State, c.ExitCode = "exited", 137
	}
	if b.changed {
		c.Changed = []string{"memory limit"}
	}
	return []stacks.ContainerState{c}
}

// task is a command at work.
type task struct {
	key         key
	command     command
	step        step
	interrupted bool // it was started before, by a worker that died
	began       bool // it began to change the host
	cancelled   bool
	forgotten   bool
	status      wire.ResultStatus
}

// step is what a task does next.
type step int

const (
	stepStart step = iota
	stepTry
	stepApply
	stepRecord
	stepVerify
	stepEnd
)

func (h *host) entry(k key) *entry {
	for i := range h.journal {
		if h.journal[i].key == k {
			return &h.journal[i]
		}
	}
	return nil
}

func (h *host) task(k key) *task {
	for i := range h.tasks {
		if h.tasks[i].key == k {
			return &h.tasks[i]
		}
	}
	return nil
}

// workerDies is a crash of a worker's process: memory and link are gone. The container runs on.
func (w *world) workerDies(i int) {
	h := &w.hosts[i]
	w.leave(i)
	h.up, h.tasks, h.recent, h.sight = false, nil, nil, nil
	if w.defect == journalNotSynced && len(h.journal) > 0 {
		h.journal = h.journal[:len(h.journal)-1]
	}
	w.tell("host %d: the worker dies", i)
}

// connect opens a link and says Hello with the journal.
func (w *world) connect(i int) {
	h := &w.hosts[i]
	w.leave(i)
	w.links = append(w.links, link{host: i, atHub: true, atWorker: true})
	m := message{kind: hello}
	for _, e := range h.journal {
		state := wire.JournalReceived
		if e.result != nil {
			state = wire.JournalResult
		}
		m.journal = append(m.journal, wire.JournalEntry{ID: e.key.id, Attempt: e.key.attempt, State: state})
	}
	w.links[len(w.links)-1].say(m)
	w.tell("host %d: the worker connects, its journal has %d entries", i, len(h.journal))
}

// workerHears handles the next message of the hub.
func (w *world) workerHears(i int) {
	h, l := &w.hosts[i], w.current(i)
	m := take(&l.toWorker)
	w.tell("host %d: the worker gets %s %s", i, m.kind, m.key)
	switch m.kind {
	case welcome:
		l.welcome = true
		for _, s := range m.settle {
			switch k := (key{s.ID, s.Attempt}); s.Do {
			case wire.SettleAcknowledged:
				w.acked(i, k)
			case wire.SettleForget:
				w.forget(h, k)
			}
		}
		for _, e := range h.journal {
			if e.result != nil {
				w.send(i, e.key)
			}
		}
	case deliver:
		w.takeOn(i, m)
	case ack:
		w.acked(i, m.key)
	case cancel:
		w.cancelled(i, m.key)
	}
}

// takeOn takes a command on: what is known is answered, what is new is journaled first.
func (w *world) takeOn(i int, m message) {
	h := &w.hosts[i]
	e := h.entry(m.key)
	known := h.task(m.key) != nil || slices.Contains(h.recent, m.key) || e != nil && e.result != nil
	if w.defect == redeliveryRunsAgain {
		known = h.task(m.key) != nil
	}
	if !known {
		if e == nil {
			w.durable(func() error {
				h.journal = append(h.journal, entry{key: m.key, command: m.command})
				return nil
			})
		}
		h.tasks = append(h.tasks, task{key: m.key, command: m.command})
	}
	w.current(i).say(message{kind: accepted, key: m.key})
	if known {
		w.send(i, m.key)
	}
}

// send sends how a command ended, when it has and there is a link in service.
func (w *world) send(i int, k key) {
	h, l := &w.hosts[i], w.current(i)
	e := h.entry(k)
	if l == nil || !l.welcome || e == nil || e.result == nil {
		return
	}
	l.say(message{kind: results, key: k, result: *e.result})
	if w.defect == resultPrunedWhenSent {
		h.prune(k)
	}
}

func (w *world) acked(i int, k key) {
	h := &w.hosts[i]
	w.checkAcknowledged(i, k)
	if e := h.entry(k); e != nil && e.result != nil {
		w.durable(func() error {
			h.prune(k)
			return nil
		})
		h.recent = append(h.recent, k)
	}
}

func (h *host) prune(k key) {
	h.journal = slices.DeleteFunc(h.journal, func(e entry) bool { return e.key == k })
}

func (w *world) forget(h *host, k key) {
	if t := h.task(k); t != nil {
		t.forgotten = true
		return
	}
	h.prune(k)
}

// cancelled stops a command. One that is not under way ends here, so that it is not started when it
// comes late.
func (w *world) cancelled(i int, k key) {
	h := &w.hosts[i]
	if t := h.task(k); t != nil {
		t.cancelled = true
		return
	}
	if slices.Contains(h.recent, k) {
		return
	}
	r := &result{status: wire.ResultCancelled}
	if e := h.entry(k); e == nil {
		w.durable(func() error {
			h.journal = append(h.journal, entry{key: k, result: r})
			return nil
		})
	} else if e.result == nil {
		w.durable(func() error {
			e.result = r
			return nil
		})
	}
	w.send(i, k)
}
