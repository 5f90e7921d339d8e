package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"berth/core/secrets"
	"berth/core/wire"
	"berth/hub/worker/journal"
	"berth/hub/worker/outbox"
)

// retryJournal is how often a result is tried again that the disk did not take.
const retryJournal = 5 * time.Second

// numbersPerStart keeps the numbers of events rising when a command goes on after a
// restart of the worker, without a write for each event: every start has its own range.
const numbersPerStart = 1 << 20

// run carries one command from its place in the queue to its journaled result.
func (c *commands) run(t *task, w *work, ticket turn) {
	defer w.at("") // whatever it counted as, it is over
	err := ticket.wait(w.waits(t.ctx, c.life))
	if err == nil {
		c.tally.runs(w.cmd.Kind, 1)
		defer c.tally.runs(w.cmd.Kind, -1)
		err = c.begin(t, w)
	}
	if err == nil {
		err = c.guard(t.ctx, w)
	}
	w.later = c.isLater(t, w, err)
	if w.run != nil && unwanted(t.ctx) && !w.later {
		if !c.steps.removeRun(c.life, w.run.container, w.run.command) && !w.run.launched {
			c.lookLater()
		}
	}
	result := c.conclude(t, w, err)
	saved := c.save(t, w, result)
	ticket.done()
	for saved != nil && c.wait(retryJournal) {
		saved = c.save(t, w, result)
	}
	c.leave(t, w, result, saved)
}

// isLater reports whether another worker goes on with a run: this one stops, and there is no verdict.
func (c *commands) isLater(t *task, w *work, err error) bool {
	_, judged := errors.AsType[runEnd](err)
	stops := c.life.Err() != nil || errors.Is(context.Cause(t.ctx), errStopping)
	return w.run != nil && err != nil && !judged && stops
}

// begin journals that the command starts, before anything is touched. A container that runs already
// does so whatever the disk says.
func (c *commands) begin(t *task, w *work) error {
	starts, err := c.journal.Started(t.key)
	if err != nil && (w.run == nil || !w.run.launched) {
		return diskFault(err)
	}
	w.interrupted = starts > 1
	w.feed = c.box.Open(t.key, uint64(starts-1)*numbersPerStart)
	c.log.Info("a command starts", "command", t.key.ID, "attempt", t.key.Attempt, "kind", w.cmd.Kind, "about", t.about, "start", starts)
	return nil
}

// guard runs the command's steps. A defect in one command must not end the others.
func (c *commands) guard(ctx context.Context, w *work) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("a command panicked", "command", w.cmd.ID, "panic", w.redact.Redact(fmt.Sprint(p)), "stack", w.redact.Redact(string(debug.Stack())))
			err = errors.New("a defect in the worker's program")
		}
	}()
	return c.steps.run(ctx, w)
}

// conclude makes the result, with what runs now. Nothing secret is in it.
func (c *commands) conclude(t *task, w *work, err error) wire.Result {
	end := endingOf(t.ctx, err, w.phase)
	result := wire.Result{
		ID: t.key.ID, Attempt: t.key.Attempt, Status: end.status, Code: end.code,
		Error: wire.Clip(w.redact.Redact(end.text), wire.MaxText), Phases: w.endedPhases(),
	}
	if failed, is := errors.AsType[FailedService](err); is && end.status == wire.ResultFailed {
		result.Service, result.Lines = failed.Service, wire.ClipEnd(w.redact.Redact(failed.Lines), wire.MaxLines)
	}
	if err != nil {
		c.log.Warn("a command did not succeed", "command", t.key.ID, "attempt", t.key.Attempt, "status", end.status, "code", end.code,
			"during", w.phase, "error", w.redact.Redact(err.Error()))
	}
	if w.feed != nil {
		result.Events = w.feed.Last()
		result.Observed = c.observed(w.cmd)
	}
	if w.run != nil {
		result.ExitCode, result.RanMS = w.run.outcome()
	}
	if wire.FitsFrame(result) != nil {
		result.Observed = nil // the complete reports carry it, piece by piece
	}
	return result
}

// save journals the end of a command, unless it has none: it is to go on later, or
// nobody wants it.
func (c *commands) save(t *task, w *work, result wire.Result) error {
	switch {
	case c.interruptedForLater(t, w, result):
		return nil
	case unwanted(t.ctx):
		c.prune(t.key)
		return nil
	}
	err := c.journal.Ended(result)
	if err != nil {
		c.log.Error("a result could not be journaled; it is tried again", "command", t.key.ID, "error", err)
	}
	return err
}

func (c *commands) interruptedForLater(t *task, w *work, result wire.Result) bool {
	return w.later || w.run == nil && result.Status != wire.ResultSucceeded && errors.Is(context.Cause(t.ctx), errStopping)
}

// observed tells what runs of a command's stack; nil when it has none, or the engine does not say.
func (c *commands) observed(cmd wire.Command) *wire.StackObserved {
	switch {
	case cmd.Deploy != nil:
		return c.steps.observed(c.life, cmd.Deploy.Stack, cmd.Deploy.Project)
	case cmd.Teardown != nil:
		return c.steps.observed(c.life, cmd.Teardown.Stack, cmd.Teardown.Project)
	}
	return nil
}

// leave ends the task and tells the link that there is a result.
func (c *commands) leave(t *task, w *work, result wire.Result, saved error) {
	c.mu.Lock()
	delete(c.tasks, t.key)
	c.mu.Unlock()
	if unwanted(t.ctx) || c.interruptedForLater(t, w, result) {
		if w.feed != nil {
			w.feed.Drop()
		}
		return
	}
	if w.feed != nil && !w.feed.Finish() {
		if e, found := c.journal.Get(t.key); found {
			c.tellRest(e, w.feed, 0)
		}
	}
	took := time.Since(t.began)
	c.tally.ended(w.cmd.Kind, result.Status, took)
	c.log.Info("a command ended", "command", t.key.ID, "attempt", t.key.Attempt, "status", result.Status, "took", took.Round(time.Millisecond))
	if saved == nil {
		c.ended(t.key)
	}
}

// wait pauses, and reports whether there is time for more.
func (c *commands) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.life.Done():
		return false
	}
}

// work is a command at work. One goroutine owns it.
type work struct {
	cmd         wire.Command
	run         *runWork // of a run; nil otherwise
	interrupted bool     // it was started before, by a worker that is gone
	later       bool     // the worker stopped in between: another goes on
	feed        *outbox.Feed
	redact      *secrets.Redactor
	phase       string // what it is at, for people
	phases      []wire.PhaseEvent
}

// newWork is a command that was delivered, with what the journal has of it.
func newWork(cmd wire.Command, entry journal.Entry) *work {
	w := &work{cmd: cmd, phase: "waiting for its turn", redact: redactorFor(cmd)}
	if entry.Run != nil {
		w.run = newRunWork(entry)
	}
	return w
}

// about names what the command is about, for the log.
func (w *work) about() string {
	switch {
	case w.run != nil:
		return string(w.run.ID)
	case w.cmd.Deploy != nil:
		return string(w.cmd.Deploy.Stack)
	case w.cmd.Teardown != nil:
		return string(w.cmd.Teardown.Stack)
	}
	return ""
}

// line adds text to the command's log, without the command's secrets.
func (w *work) line(text string) { w.feed.Line(w.redact.Redact(text)) }

func redactorFor(cmd wire.Command) *secrets.Redactor {
	var values []secrets.Value
	add := func(all map[string]string) {
		for _, value := range all {
			values = append(values, secrets.NewValue(value))
		}
	}
	if cmd.Deploy != nil {
		add(cmd.Deploy.Secrets)
	}
	if cmd.Run != nil {
		add(cmd.Run.Secrets)
	}
	return secrets.NewRedactor(values)
}
