package worker

import (
	"context"
	"slices"
	"time"

	"berth/core"
	"berth/core/wire"
	"berth/hub/worker/exposition"
)

// maxReport is how large one Observed may grow, in bytes: half of a frame, so that JSON
// has room.
const maxReport = 512 << 10

// watch tells the hub, over one link, what runs here: all of it at first and every now
// and then, what changed in between; and the worker's metrics. It returns when ctx ends
// or the link is over, and why.
func (w *Worker) watch(ctx context.Context, s *session) error {
	v := &view{worker: w, session: s}
	for {
		if now := time.Now(); !now.Before(v.lookDue) {
			v.lookDue = now.Add(v.look(ctx))
			if err := v.report(ctx); err != nil {
				return err
			}
		}
		if now := time.Now(); !now.Before(v.snapshotDue) {
			v.snapshotDue = now.Add(s.beat)
			v.tellMetrics(w.snapshot(ctx, v.now, v.err))
		}
		if err := v.rest(ctx); err != nil {
			return err
		}
	}
}

// view is what one link's hub was told. One goroutine owns it.
type view struct {
	worker      *Worker
	session     *session
	now         sight // when the engine last said
	told        sight
	err         error     // why the engine did not say, this time
	blurred     bool      // now shows some stacks as they were told before
	lookDue     time.Time // zero: at once, here and below
	eventDue    time.Time // not before this is an event answered by a look
	completeDue time.Time
	snapshotDue time.Time
	metrics     exposition.Changes
}

// tellMetrics sends the worker's metrics, or what changed of them.
func (v *view) tellMetrics(text string) {
	if !v.session.changes {
		v.metrics.Lost() // this hub knows whole ones only
	}
	tell, changes, ended := v.metrics.Next(text)
	if !v.session.link.TrySend(wire.Snapshot{Text: tell, Changes: changes, Ended: ended}) {
		v.metrics.Lost()
	}
}

// rest waits until something is due. What somebody did through the hub is looked at without
// delay, what the engine tells of very soon, and so is what the hub has to be told once more.
func (v *view) rest(ctx context.Context) error {
	timer := time.NewTimer(max(0, min(time.Until(v.lookDue), time.Until(v.snapshotDue))))
	defer timer.Stop()
	select {
	case <-v.session.requests.acted:
		v.lookDue = time.Time{}
	case <-v.session.retell.bell:
		v.lookDue = earlier(v.lookDue, later(time.Now(), v.eventDue))
	case <-v.worker.stirred:
		v.lookDue = earlier(v.lookDue, later(time.Now().Add(eventRest), v.eventDue))
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// look asks the engine what runs, and returns how long to wait before asking again: never
// so often that asking takes more than a twentieth of the time. What is to be told once more is looked
// at afresh for that.
func (v *view) look(ctx context.Context) time.Duration {
	v.told = v.told.without(v.session.retell.take())
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	glance := v.worker.commands.turns.glance()
	records := v.worker.disk.applied.All()
	list, err := v.worker.options.Engine.Containers(limited, "")
	worked := glance.end()
	v.worker.engineSaid(ctx, err)
	v.err = err
	if err != nil {
		return restEvery
	}
	v.worker.forgive(records, list)
	v.see(list, worked)
	took := time.Since(began)
	gap := max(eventGap, 5*took)
	v.eventDue = time.Now().Add(gap)
	if v.blurred {
		return gap
	}
	if len(list) > 0 || v.worker.commands.turns.any() {
		return max(lookEvery, 20*took)
	}
	return max(restEvery, 20*took)
}

// see takes in what the engine listed. Where a command ended while it was asked, the list may
// show what was before, although the command's result will tell what is: such a stack is left as it was
// told until the next look. worked is of the glance.
func (v *view) see(list []ProjectContainer, worked map[core.StackID]bool) {
	v.now = sightOf(list, v.worker.disk.applied.All(), v.worker.commands.steps.claims(worked))
	var ended []core.StackID
	for stack, works := range worked {
		if !works {
			ended = append(ended, stack)
		}
	}
	v.now.keep(v.told, ended)
	v.blurred = len(ended) > 0
}

// report sends what the hub does not know yet.
func (v *view) report(ctx context.Context) error {
	if v.err != nil {
		return nil // unknown is not the same as nothing
	}
	now := time.Now()
	complete := !now.Before(v.completeDue) && !v.blurred
	list := v.now.changed(v.told)
	if complete {
		list = v.now.changed(sight{})
		v.completeDue = now.Add(completeEvery)
	}
	v.told = v.now
	if len(list) == 0 && !complete {
		return nil
	}
	return v.send(ctx, list, complete)
}

// send sends one report, in as many messages as it takes. What takes too many cannot say that it is
// complete, nor what lacks a part; the hub then learns only what is listed.
func (v *view) send(ctx context.Context, list []wire.StackObserved, complete bool) error {
	parts := split(list)
	for i, part := range parts {
		m := wire.Observed{Stacks: part, Complete: complete && len(parts) == 1}
		if complete && len(parts) > 1 && len(parts) <= wire.MaxParts {
			m.Part, m.Parts = i+1, len(parts)
		}
		err := v.session.link.Send(ctx, m)
		if wire.Violation(err) {
			v.worker.log.Error("what runs here cannot be told to the hub", "error", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// split cuts a report into messages; there is always one.
func split(list []wire.StackObserved) [][]wire.StackObserved {
	parts := [][]wire.StackObserved{{}}
	size := 0
	for _, seen := range list {
		cost := costOf(seen)
		last := len(parts) - 1
		if n := len(parts[last]); n > 0 && (size+cost > maxReport || n == wire.MaxStacks) {
			parts, last, size = append(parts, nil), last+1, 0
		}
		parts[last] = append(parts[last], seen)
		size += cost
	}
	return parts
}

// costOf is about what a stack takes as JSON.
func costOf(seen wire.StackObserved) int {
	cost := 100
	for _, c := range seen.Containers {
		cost += 250 + len(c.Service) + len(c.Container) + len(c.ContainerID) + len(c.Image)
		for _, text := range slices.Concat(c.Ports, c.Changed) {
			cost += len(text) + 3
		}
	}
	return cost
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
