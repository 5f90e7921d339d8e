package hub

import (
	"context"
	"sync"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// recorder keeps the progress and the log of running deployments on their way to the
// store: what is new is committed in groups, because a commit costs the same for one
// line as for a hundred. The end of a deployment takes what is left along.
type recorder struct {
	store  DeploymentStore
	now    core.Clock
	report func(what string, err error, args ...any)

	flushing sync.Mutex // one flush at a time, so that take never misses lines in flight
	mu       sync.Mutex
	runs     map[core.DeploymentID]*run // guarded by mu
}

// run is one deployment in the recorder. It is guarded by recorder.mu.
type run struct {
	progress stacks.Progress
	number   uint64 // of the last piece of log
	dirty    bool
	lines    []stacks.LogLine // not yet stored
	bytes    int              // of lines
	dropped  bool             // lines were dropped since the last one
}

// Limits of what waits for a commit.
const (
	flushEvery  = 100 * time.Millisecond
	maxPending  = 1 << 20 // bytes of one deployment's log
	gapMarker   = "[some lines are missing: they came faster than they could be stored]\n"
	maxLogPiece = 64 << 10
)

func newRecorder(store DeploymentStore, now core.Clock, report func(string, error, ...any)) *recorder {
	return &recorder{store: store, now: now, report: report, runs: map[core.DeploymentID]*run{}}
}

// track begins, or goes on, to record a deployment.
func (r *recorder) track(ctx context.Context, d stacks.Deployment) error {
	if r.tracked(d.ID) {
		return nil
	}
	number, err := r.store.LastLogNumber(ctx, d.ID)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs[d.ID] == nil {
		r.runs[d.ID] = &run{number: number, progress: stacks.Progress{
			Deployment: d.ID, Commit: d.Commit, Revision: d.Revision, Worker: d.Worker, Phases: d.Phases}}
	}
	return nil
}

func (r *recorder) tracked(id core.DeploymentID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.runs[id] != nil
}

// update changes what is known of a tracked deployment.
func (r *recorder) update(id core.DeploymentID, change func(*stacks.Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if run := r.runs[id]; run != nil {
		change(&run.progress)
		run.dirty = true
	}
}

// phase sets a phase of a tracked deployment; the start of a phase is now.
func (r *recorder) phase(id core.DeploymentID, name stacks.PhaseName, state stacks.PhaseState, message string) {
	r.update(id, func(p *stacks.Progress) { p.Phases = stacks.SetPhase(p.Phases, name, state, message, r.now()) })
}

// line adds text, one or more whole lines, to a tracked deployment's log.
func (r *recorder) line(id core.DeploymentID, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[id]
	if run == nil || text == "" {
		return
	}
	if run.bytes+len(text) > maxPending {
		run.dropped = true
		return
	}
	if run.dropped {
		run.add(gapMarker, r.now())
		run.dropped = false
	}
	for len(text) > maxLogPiece {
		run.add(text[:maxLogPiece], r.now())
		text = text[maxLogPiece:]
	}
	run.add(text, r.now())
}

func (run *run) add(text string, at time.Time) {
	run.number++
	run.bytes += len(text)
	run.lines = append(run.lines, stacks.LogLine{Deployment: run.progress.Deployment, Number: run.number, At: at, Text: text})
}

// take ends the recording of a deployment and hands out what is known and not yet stored.
func (r *recorder) take(id core.DeploymentID) (stacks.Progress, []stacks.LogLine) {
	r.flushing.Lock()
	defer r.flushing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[id]
	if run == nil {
		return stacks.Progress{Deployment: id}, nil
	}
	delete(r.runs, id)
	return run.progress, run.lines
}

// pending hands out what is not yet stored, for a transaction that stores it along with
// something else. The recording goes on.
func (r *recorder) pending(id core.DeploymentID) (stacks.Progress, []stacks.LogLine) {
	r.flushing.Lock()
	defer r.flushing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[id]
	if run == nil {
		return stacks.Progress{Deployment: id}, nil
	}
	return run.hand()
}

// hand takes the new lines out of a run.
func (run *run) hand() (stacks.Progress, []stacks.LogLine) {
	lines := run.lines
	run.lines, run.bytes, run.dirty = nil, 0, false
	p := run.progress
	p.Phases = append([]stacks.Phase(nil), p.Phases...)
	return p, lines
}

// run commits what is new until ctx ends.
func (r *recorder) run(ctx context.Context) {
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := r.flush(ctx); err != nil {
				r.report("progress was not stored", err)
			}
		}
	}
}

// flush commits everything that is new, in one transaction.
func (r *recorder) flush(ctx context.Context) error {
	r.flushing.Lock()
	defer r.flushing.Unlock()
	progress, lines := r.collect()
	if len(progress) == 0 {
		return nil
	}
	return r.store.SaveProgress(ctx, progress, lines)
}

func (r *recorder) collect() (progress []stacks.Progress, lines []stacks.LogLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, run := range r.runs {
		if !run.dirty && len(run.lines) == 0 {
			continue
		}
		p, l := run.hand()
		progress, lines = append(progress, p), append(lines, l...)
	}
	return progress, lines
}
