package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/stacks"
	"berth/core/wire"
)

// runOrder runs a job once.
type runOrder struct {
	silent
	s *session
	c stacks.Command
}

func (o runOrder) frame(ctx context.Context, msg *wire.Command) error {
	r, err := o.s.h.opts.Store.Run(ctx, o.c.Run)
	if err != nil {
		return err
	}
	if o.c.State == stacks.CommandQueued && o.s.h.opts.Now().After(r.GiveUpAt()) {
		return errNoPlace
	}
	msg.Run, err = o.s.h.runFrame(ctx, r, o.c.Worker)
	return err
}

var errNoPlace = fault.New(fault.Unavailable, "run.no_worker", "The worker ran as many jobs as it takes at once, and none of them ended within the start_deadline of this one. Raise that in job.yaml, or connect another worker.")

// unsendable ends the run: nothing was started. One that waited too long for a place was skipped.
func (o runOrder) unsendable(ctx context.Context, why error) error {
	r, err := o.s.h.opts.Store.Run(ctx, o.c.Run)
	if err != nil {
		return err
	}
	outcome := jobs.Fail(r, why, o.s.h.opts.Now())
	if fault.CodeOf(why) == errNoPlace.Code {
		outcome.State, outcome.Retry = jobs.RunSkipped, nil
	}
	outcome.Command = o.c.ID
	_, err = o.s.h.endRun(ctx, r.ID, "", func(time.Time) jobs.Outcome { return outcome })
	return err
}

func (o runOrder) begin() { o.s.h.runs.begin(o.c) }

func (o runOrder) recall(ctx context.Context, i *wire.Instruction) {
	if i.Heard = o.s.h.runs.heardOf(ctx, o.c.Run, o.c.ID, o.c.Attempt); i.Heard != nil {
		i.LogTo = o.s.h.runs.logTo(o.c.Run)
	}
}

func (o runOrder) follow(ctx context.Context) error { return o.s.h.runs.track(ctx, o.c.Run) }

func (o runOrder) event(ctx context.Context, m wire.Event) {
	news := false
	o.s.h.runs.hear(o.c.Run, m, asSaid, func(known *ran) {
		if m.Started && known.startedAt.IsZero() {
			known.startedAt, news = o.s.h.opts.Now().Add(-time.Duration(m.RanMS)*time.Millisecond), true
		}
		if m.LogTo != "" {
			known.logTo = m.LogTo
		}
	})
	if news {
		o.s.h.figures.wake()
	}
	o.s.h.runs.hold(ctx, o.c.Run)
}

func (o runOrder) close(ctx context.Context, m wire.Result) error {
	r, err := o.s.h.opts.Store.Run(ctx, o.c.Run)
	if fault.Is(err, fault.NotFound) {
		return nil // it went with its job
	}
	if err != nil {
		return err
	}
	if err := o.follow(ctx); err != nil {
		return err
	}
	mark := o.s.h.runs.unheard(o.c.Run, o.c.ID, m.Attempt, m.Events)
	ended, err := o.s.h.endRun(ctx, o.c.Run, mark, func(startedAt time.Time) jobs.Outcome {
		if r.StartedAt.IsZero() {
			r.StartedAt = startedAt
		}
		outcome := jobs.Settle(r, wordOf(m), o.s.h.opts.Now())
		outcome.Command = o.c.ID
		return outcome
	})
	if err == nil && !ended {
		o.s.h.runs.forget(o.c.Run) // it was ended by another hand
	}
	return err
}

func (o runOrder) content(ctx context.Context) ([]core.Content, error) {
	r, err := o.s.h.opts.Store.Run(ctx, o.c.Run)
	all := make([]core.Content, len(r.Configs))
	for i, c := range r.Configs {
		all[i] = c.Content
	}
	return all, err
}

func (runOrder) defect() error { return errRunDefect }

var errRunDefect = fault.New(fault.Unavailable, "run.defect",
	"A defect in this program kept the run from being sent three times. The server's log has the details.")

// runFrame builds the command of a run: what it sees of variables is what they are now.
func (h *Hub) runFrame(ctx context.Context, r jobs.Run, worker core.WorkerID) (*wire.Run, error) {
	j, err := h.opts.Store.Job(ctx, r.Job)
	if err != nil {
		return nil, err
	}
	given, err := h.given(ctx, r)
	if err != nil {
		return nil, err
	}
	seen, err := h.opts.Variables.ForRun(ctx, r.Job, given)
	if err != nil {
		return nil, err
	}
	msg := &wire.Run{Run: r.ID, Job: r.Job, Name: j.Name, Commit: r.Commit, Container: jobs.ContainerName(r.ID),
		Definition: r.Definition, Configs: r.Configs, Variables: seen.Plain, Secrets: map[string]string{}}
	for name, value := range seen.Secrets {
		msg.Secrets[name] = value.Reveal()
	}
	if msg.Policy, err = h.opts.Store.PolicyLayers(ctx, worker); err != nil {
		return nil, err
	}
	if refused := jobs.Confined(r.Definition, append(h.limitsOf(worker), msg.Policy...)); len(refused) > 0 {
		return nil, fault.New(fault.Invalid, "run.refused", "%s", jobs.Refused("The policy", refused))
	}
	return msg, nil
}

// given opens the values of the variables that were given for a run's fire alone.
func (h *Hub) given(ctx context.Context, r jobs.Run) (map[string]string, error) {
	if len(r.Overrides) == 0 {
		return nil, nil
	}
	sealed, err := h.opts.Store.RunOverrides(ctx, r.Fire)
	if err != nil {
		return nil, err
	}
	opened, err := h.opts.Seals.Open(jobs.OverridesPlace(r.Fire), sealed)
	if err != nil {
		return nil, fmt.Errorf("open what was given for run %s: %w", r.ID, err)
	}
	var values map[string]string
	if err := json.Unmarshal(opened, &values); err != nil {
		return nil, fmt.Errorf("read what was given for run %s", r.ID) // the cause would repeat a value
	}
	return values, nil
}

// wordOf is how a run ended by its worker's word.
func wordOf(m wire.Result) jobs.Word {
	w := jobs.Word{Code: m.Code, Error: m.Error, ExitCode: m.ExitCode, Ran: time.Duration(m.RanMS) * time.Millisecond}
	switch m.Status {
	case wire.ResultSucceeded:
		w.State = jobs.RunSucceeded
		if m.ExitCode == nil || *m.ExitCode != 0 {
			w.State, w.Code, w.Error = jobs.RunFailed, "run.exit", "The worker reported success, but not that the container ended with exit code 0. Look at the log, and see that the worker is of the same version as the server."
		}
	case wire.ResultFailed:
		w.State, w.Error = jobs.RunFailed, orElse(m.Error, "The worker did not say why. Its own log may.")
	case wire.ResultCancelled:
		w.State, w.Error = jobs.RunCancelled, orElse(m.Error, "Its container was stopped.")
	default:
		w.State = jobs.RunLost
	}
	return w
}
