package worker

import (
	"context"
	"maps"
	"slices"
	"time"

	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/wire"
	"berth/hub/worker/journal"
	"berth/hub/worker/runs"
)

// runWork is what belongs to the run of a job besides its command. The command itself is not there when an earlier
// worker had started the container: what is needed is in the journal, and the secrets in the container.
type runWork struct {
	journal.Run
	container string          // its name
	command   string          // for LabelCommand
	launched  bool            // its container was about to be started, or is
	ending    journal.Ending  // why its container was about to be stopped, or is; empty: it was not
	start     context.Context // ends when it is too late to start the container
	resume    chan position   // where its log goes on; holds one
	last      *runs.Container // as it ended; nil: it did not, or was never there
	state     string          // as it counts in the metrics; empty: not at all
	tally     *tally
}

// position is where the log of a run goes on.
type position struct {
	heard   uint64        // the last event that the hub has
	after   runs.Position // the hub has what was written until then
	unknown bool          // the hub does not tell: what it has is told again
}

// runEntry is what the journal keeps of a run that may start for so many seconds yet, with its timeout on top.
func runEntry(r wire.Run, seconds int, now time.Time) *journal.Run {
	timeout := r.Definition.Resources.Timeout
	e := &journal.Run{ID: r.Run, Timeout: timeout, StartBy: now.Add(time.Duration(seconds)*time.Second - timeout), Secret: slices.Sorted(maps.Keys(r.Secrets))}
	for _, config := range r.Configs {
		e.Content = append(e.Content, config.Content.Digest)
	}
	return e
}

func newRunWork(e journal.Entry) *runWork {
	r := &runWork{Run: *e.Run, container: jobs.ContainerName(e.Run.ID), command: commandLabel(e.Key), launched: e.Launched, ending: e.Ending, resume: make(chan position, 1)}
	if !r.launched {
		r.resume <- position{} // nothing of its log was ever told
	}
	return r
}

// waits returns the context in which the command waits for its turn. Whoever has a container that runs comes to it,
// wanted or not: it has to be stopped, and to tell how it ended.
func (w *work) waits(ctx, life context.Context) context.Context {
	switch {
	case w.run == nil:
		return ctx
	case w.run.launched:
		return life
	}
	return w.run.start
}

// at notes what the run is at, for the metrics; nothing when the command is none.
func (w *work) at(state string) {
	if w.run != nil {
		w.run.tally.runIs(w.run.state, state)
		w.run.state = state
	}
}

// outcome is what a result tells of the container. Whatever was started ran for a while.
func (r *runWork) outcome() (exitCode *int, ranMS int64) {
	if r.last == nil {
		return nil, 0
	}
	return &r.last.ExitCode, max(1, r.last.Ran(r.last.FinishedAt).Milliseconds())
}

// late explains that it became too late to start the container.
func (w *work) late(err error) error {
	if w.run == nil || err == nil || w.run.start.Err() == nil || context.Cause(w.run.start) != context.DeadlineExceeded {
		return err
	}
	return fault.New(fault.Unavailable, "command.timeout",
		"The run could not be started in time: it was over during %s. Look at what took so long in its log and on the worker's host.", w.phase).Because(err)
}
