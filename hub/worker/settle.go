package worker

import (
	"context"
	"errors"
	"time"

	"berth/core"
	"berth/core/wire"
	"berth/hub/worker/journal"
	"berth/hub/worker/outbox"
	"berth/hub/worker/runs"
)

// entries lists for Hello what the hub has not acknowledged.
func (c *commands) entries() []wire.JournalEntry {
	list := []wire.JournalEntry{}
	for _, e := range c.journal.Entries() {
		list = append(list, wire.JournalEntry{ID: e.ID, Attempt: e.Attempt, State: e.State()})
	}
	return list
}

// results returns the keys of every result that is not acknowledged.
func (c *commands) results() []journal.Key {
	var keys []journal.Key
	for _, e := range c.journal.Entries() {
		if e.Result != nil {
			keys = append(keys, e.Key)
		}
	}
	return keys
}

// settle does what the hub says about one journal entry. "run" needs next to nothing: what
// runs goes on, a result is sent again anyway, and what was interrupted by a restart of
// the worker waits for its Command, which alone brings the secrets back.
func (c *commands) settle(i wire.Instruction) {
	key := journal.Key{ID: i.ID, Attempt: i.Attempt}
	switch i.Do {
	case wire.SettleRun:
		c.goOnTelling(key, i)
	case wire.SettleAcknowledged:
		c.acked(key)
	case wire.SettleCancel:
		c.goOnTelling(key, i)
		c.cancel(key)
	case wire.SettleForget:
		c.forget(key, errForgotten)
	}
}

// linesMissing stands in a log where nobody knows any more what was said.
const linesMissing = "… lines may be missing here: the worker was restarted before the hub had them …"

// goOnTelling sees to what the hub does not have of a command's log. That of a run's container is read there.
func (c *commands) goOnTelling(key journal.Key, i wire.Instruction) {
	from := position{after: runs.ParsePosition(i.LogTo), unknown: i.Heard == nil}
	var idle *outbox.Feed
	if i.Heard != nil {
		from.heard = *i.Heard
		idle = c.box.Again(key, from.heard, i.LogTo)
	}
	e, found := c.journal.Get(key)
	switch {
	case !found:
	case idle != nil:
		c.tellRest(e, idle, 0)
	case e.Result == nil:
		c.mu.Lock()
		defer c.mu.Unlock()
		if t := c.tasks[key]; t != nil && t.resume != nil {
			select {
			case t.resume <- from:
			default: // it was told before
			}
		}
	case e.Launched && !from.unknown && !c.box.Has(key):
		c.retell(e, from)
	case e.Run == nil:
		c.markGap(e)
	}
}

// markGap says in the log of a command which ended before the worker was restarted that lines
// may be missing: those that no link had taken were in memory only.
func (c *commands) markGap(e journal.Entry) {
	if !c.inherited[e.Key] || e.Starts == 0 {
		return
	}
	delete(c.inherited, e.Key)
	feed := c.box.Open(e.Key, uint64(e.Starts)*numbersPerStart)
	feed.Line(linesMissing)
	feed.Finish()
}

// acked prunes a result that the hub has stored. It returns the stack that the result was about;
// empty when there was none.
func (c *commands) acked(key journal.Key) core.StackID {
	e, found := c.journal.Get(key)
	if !found {
		return ""
	}
	if e.Result == nil {
		c.log.Warn("the hub acknowledged a result that was never sent", "command", key.ID, "attempt", key.Attempt)
		return ""
	}
	c.mu.Lock()
	c.recent.add(*e.Result)
	c.mu.Unlock()
	if e.Run != nil {
		c.clear(e)
	} else {
		c.prune(key)
	}
	return e.Stack
}

// cancel stops a command; its result follows. A command that is not under way ends here:
// one that was interrupted by a restart, and one that never came, so that it is not
// started when it comes late.
func (c *commands) cancel(key journal.Key) {
	if c.interrupt(key, errCancelled) {
		return
	}
	if _, ended := c.result(key); !ended {
		result := wire.Result{ID: key.ID, Attempt: key.Attempt, Status: wire.ResultCancelled, Code: "command.cancelled",
			Error: "It was cancelled while it was not running.", Phases: []wire.PhaseEvent{}}
		if err := c.journal.Ended(result); err != nil {
			c.log.Error("a cancellation could not be journaled; it is remembered until the worker stops", "command", key.ID, "error", err)
			c.mu.Lock()
			c.recent.add(result)
			c.mu.Unlock()
		}
	}
	c.ended(key)
}

// forget stops a command whose result nobody wants, and prunes it.
func (c *commands) forget(key journal.Key, cause error) {
	if c.interrupt(key, cause) {
		return
	}
	if e, found := c.journal.Get(key); found && e.Run != nil {
		c.clear(e)
		return
	}
	c.prune(key)
}

// interrupt ends the context of a command that is under way.
func (c *commands) interrupt(key journal.Key, cause error) bool {
	c.mu.Lock()
	t := c.tasks[key]
	c.mu.Unlock()
	if t != nil {
		t.cancel(cause)
	}
	return t != nil
}

func (c *commands) prune(key journal.Key) {
	c.box.Forget(key)
	c.mu.Lock()
	delete(c.retold, key)
	c.mu.Unlock()
	if err := c.journal.Pruned(key); err != nil {
		c.log.Warn("the journal could not be pruned; the result will be sent once more", "command", key.ID, "error", err)
	}
}

// drain takes no more commands, gives those under way some time to end, and interrupts
// the rest, runs of jobs at once: their containers go on, and are found again. They stay in the journal and go on when the worker is back; no container is
// stopped. It returns when none is under way.
func (c *commands) drain(grace time.Duration) {
	c.mu.Lock()
	c.stopping = true
	for _, t := range c.tasks {
		if t.resume != nil {
			t.cancel(errStopping)
		}
	}
	c.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		c.children.Wait()
		close(idle)
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
	c.stop(errStopping)
	<-idle
}

// unwanted reports whether a command's end is to be forgotten.
func unwanted(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return errors.Is(cause, errForgotten) || errors.Is(cause, errSuperseded)
}
