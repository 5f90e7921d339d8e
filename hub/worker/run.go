package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"berth/core/secrets"
	"berth/core/wire"
	"berth/hub/worker/outbox"
)

// retryJournal is how often a result is tried again that the disk did not take.
const retryJournal = 5 * time.Second

// numbersPerStart keeps the numbers of events rising when a command goes on after a
// restart of the worker, without a write for each event: every start has its own range.
const numbersPerStart = 1 << 20

// run carries one command from its place in the queue to its journaled result.
func (c *commands) run(t *task, cmd wire.Command, ticket *ticket) {
	j := &job{cmd: cmd, phase: "waiting for its turn", redact: redactorFor(cmd)}
	err := ticket.wait(t.ctx)
	if err == nil {
		c.tally.runs(cmd.Kind, 1)
		defer c.tally.runs(cmd.Kind, -1)
		err = c.begin(t, j)
	}
	if err == nil {
		err = c.guard(t.ctx, j)
	}
	result := c.conclude(t, j, err)
	saved := c.save(t, result)
	ticket.done()
	for saved != nil && c.wait(retryJournal) {
		saved = c.save(t, result)
	}
	c.leave(t, j, result, saved)
}

// begin journals that the command starts, before anything is touched.
func (c *commands) begin(t *task, j *job) error {
	starts, err := c.journal.Started(t.key)
	if err != nil {
		return diskFault(err)
	}
	j.interrupted = starts > 1
	j.feed = c.box.Open(t.key, uint64(starts-1)*numbersPerStart)
	c.log.Info("a command starts", "command", t.key.ID, "attempt", t.key.Attempt, "kind", j.cmd.Kind, "stack", t.stack, "start", starts)
	return nil
}

// guard runs the command's steps. A defect in one command must not end the others.
func (c *commands) guard(ctx context.Context, j *job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("a command panicked", "command", j.cmd.ID, "panic", j.redact.Redact(fmt.Sprint(p)), "stack", j.redact.Redact(string(debug.Stack())))
			err = errors.New("a defect in the worker's program")
		}
	}()
	return c.steps.run(ctx, j)
}

// conclude makes the result, with what runs now. Nothing secret is in it.
func (c *commands) conclude(t *task, j *job, err error) wire.Result {
	end := endingOf(t.ctx, err, j.phase)
	result := wire.Result{
		ID: t.key.ID, Attempt: t.key.Attempt, Status: end.status, Code: end.code,
		Error: wire.Clip(j.redact.Redact(end.text), wire.MaxText), Phases: j.endedPhases(),
	}
	if failed, is := errors.AsType[FailedService](err); is && end.status == wire.ResultFailed {
		result.Service, result.Lines = failed.Service, wire.ClipEnd(j.redact.Redact(failed.Lines), wire.MaxLines)
	}
	if err != nil {
		c.log.Warn("a command did not succeed", "command", t.key.ID, "attempt", t.key.Attempt, "status", end.status, "code", end.code,
			"during", j.phase, "error", j.redact.Redact(err.Error()))
	}
	if j.feed != nil {
		result.Events = j.feed.Last()
		result.Observed = c.steps.observed(c.life, t.stack, j.project())
	}
	if wire.FitsFrame(result) != nil {
		result.Observed = nil // the complete reports carry it, piece by piece
	}
	return result
}

// save journals the end of a command, unless it has none: it is to go on later, or
// nobody wants it.
func (c *commands) save(t *task, result wire.Result) error {
	switch {
	case c.interruptedForLater(t, result):
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

func (c *commands) interruptedForLater(t *task, result wire.Result) bool {
	return result.Status != wire.ResultSucceeded && errors.Is(context.Cause(t.ctx), errStopping)
}

// leave ends the task and tells the link that there is a result.
func (c *commands) leave(t *task, j *job, result wire.Result, saved error) {
	c.mu.Lock()
	delete(c.tasks, t.key)
	c.mu.Unlock()
	if unwanted(t.ctx) || c.interruptedForLater(t, result) {
		if j.feed != nil {
			j.feed.Drop()
		}
		return
	}
	if j.feed != nil {
		j.feed.Finish()
	}
	took := time.Since(t.began)
	c.tally.ended(j.cmd.Kind, result.Status, took)
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

// job is a command at work. One goroutine owns it.
type job struct {
	cmd         wire.Command
	interrupted bool // it was started before, by a worker that is gone
	feed        *outbox.Feed
	redact      *secrets.Redactor
	phase       string // what it is at, for people
	phases      []wire.PhaseEvent
}

func (j *job) project() string {
	if j.cmd.Deploy != nil {
		return j.cmd.Deploy.Project
	}
	return j.cmd.Teardown.Project
}

// line adds text to the command's log, without the command's secrets.
func (j *job) line(text string) { j.feed.Line(j.redact.Redact(text)) }

func redactorFor(cmd wire.Command) *secrets.Redactor {
	var values []secrets.Value
	if cmd.Deploy != nil {
		for _, value := range cmd.Deploy.Secrets {
			values = append(values, secrets.NewValue(value))
		}
	}
	return secrets.NewRedactor(values)
}
