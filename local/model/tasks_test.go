package model

import (
	"slices"

	"berth/core/stacks"
	"berth/core/wire"
)

// work does the next step of the oldest task: a stack's commands run one after the other.
func (w *world) work(i int) {
	h := &w.hosts[i]
	t := &h.tasks[0]
	w.tell("host %d: %s %s: step %d", i, t.command.kind, t.key, t.step)
	if t.forgotten {
		h.prune(t.key)
		h.tasks = slices.Delete(h.tasks, 0, 1)
		return
	}
	if t.cancelled && t.step != stepEnd {
		t.status, t.step = wire.ResultCancelled, stepEnd
	}
	if t.step < stepEnd && w.chance(20) {
		t.status, t.step = wire.ResultFailed, stepEnd // the engine, the disk, the deadline
		if w.chance(4) {
			t.status = wire.ResultUnknown
		}
		return
	}
	if t.command.kind == stacks.CommandTeardown {
		w.tearDown(i, t)
		return
	}
	w.deploy(i, t)
}

// deploy is one step of putting a revision in place.
func (w *world) deploy(i int, t *task) {
	h := &w.hosts[i]
	c := t.command
	switch t.step {
	case stepStart:
		w.start(h, t)
		inPlace := h.applied.trying == 0 && h.applied.deployment == c.deployment && h.applied.revision == c.revision
		if t.step = stepTry; t.interrupted && inPlace {
			t.step = stepVerify
		}
	case stepTry:
		w.durable(func() error {
			h.applied.trying = c.revision
			return nil
		})
		t.step = stepApply
	case stepApply:
		t.began = true
		w.apply(h, t)
		if t.step = stepRecord; w.defect == activeWithoutVerify && w.random.IntN(2) == 0 {
			t.status, t.step = wire.ResultSucceeded, stepEnd
		}
	case stepRecord:
		w.durable(func() error {
			h.applied = record{revision: c.revision, deployment: c.deployment}
			return nil
		})
		t.step = stepVerify
	case stepVerify:
		t.began, t.step, t.status = true, stepEnd, wire.ResultSucceeded
		if w.commits[c.commit-1].bad || h.box.revision != c.revision || h.box.stopped || w.chance(8) {
			t.status = wire.ResultFailed
		} else {
			h.made.verified = true
		}
	case stepEnd:
		w.end(i, t)
	}
}

// start journals that a task starts, before anything is touched.
func (w *world) start(h *host, t *task) {
	if slices.Contains(w.over, t.key) {
		w.fail(2, "%s is begun again after it has ended", t.key)
	}
	e := h.entry(t.key)
	if e == nil {
		return // a defect has lost it
	}
	w.durable(func() error {
		e.starts++
		return nil
	})
	t.interrupted = e.starts > 1
}

// apply makes the container, unless it is there and as this deployment made it.
func (w *world) apply(h *host, t *task) {
	c, b := t.command, &h.box
	mine := b.deployment == c.deployment && b.revision == c.revision
	asIs := b.revision == c.revision && !b.stopped && !b.changed && (!c.recreate || t.interrupted && mine)
	if w.defect == restartRunsBlindly && t.interrupted {
		asIs = false
	}
	if asIs {
		return
	}
	if slices.Contains(w.effects, t.key) && !h.touched {
		w.fail(2, "%s %s changed the host twice", c.kind, t.key)
	}
	w.effects = append(w.effects, t.key)
	*b, h.made, h.touched = box{revision: c.revision, deployment: c.deployment, by: t.key}, made{revision: c.revision}, false
	w.burn()
}

// tearDown is one step of removing the stack from a host.
func (w *world) tearDown(i int, t *task) {
	h := &w.hosts[i]
	switch t.step {
	case stepStart:
		w.start(h, t)
		t.step = stepApply
	case stepApply:
		t.began, h.box, h.made = true, box{}, made{}
		w.burn()
		t.step = stepRecord
	case stepRecord:
		w.durable(func() error {
			h.applied = record{}
			return nil
		})
		t.status, t.step = wire.ResultSucceeded, stepEnd
	case stepEnd:
		w.end(i, t)
	}
}

// end journals how a command ended, and only then says so.
func (w *world) end(i int, t *task) {
	h := &w.hosts[i]
	r := &result{status: t.status, began: t.began, revision: h.applied.revision, containers: h.box.states()}
	k := t.key
	e := h.entry(k)
	if e == nil { // a defect has lost it
		h.tasks = slices.Delete(h.tasks, 0, 1)
		return
	}
	if w.defect == resultBeforeJournal {
		w.current(i).say(message{kind: results, key: k, result: *r})
	}
	w.durable(func() error {
		e.result = r
		return nil
	})
	w.over = append(w.over, k)
	h.tasks = slices.Delete(h.tasks, 0, 1)
	w.tell("host %d: %s ended: %s", i, k, r.status)
	w.send(i, k)
}

// hand is somebody at the host who starts, stops, changes or removes the container.
func (w *world) hand(i int) bool {
	b := &w.hosts[i].box
	if b.revision == 0 {
		return false
	}
	what := w.random.IntN(4)
	switch w.hosts[i].touched = true; what {
	case 0:
		b.stopped = true
	case 1:
		b.stopped = false
	case 2:
		b.changed = true
	case 3:
		*b = box{}
	}
	w.tell("host %d: a hand does %d to the container", i, what)
	return true
}

// lookAt is the worker looking at what runs; report tells the hub.
func (w *world) lookAt(i int) {
	b := w.hosts[i].box
	w.hosts[i].sight = &b
	w.tell("host %d: the worker looks", i)
}

func (w *world) report(i int) {
	h := &w.hosts[i]
	w.current(i).say(message{kind: observed, containers: h.sight.states()})
	h.sight = nil
	w.tell("host %d: the worker reports", i)
}
