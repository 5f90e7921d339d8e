package hub

import (
	"context"
	"sync"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

// recorder keeps the progress and the log of running deployments on their way to the
// store: what is new is committed in groups, because a commit costs the same for one
// line as for a hundred. The end of a deployment takes what is left along.
//
// Pieces of a log get their numbers when they are stored, and only one transaction with
// pieces is under way at a time: so none is lost, and none has another's number.
type recorder struct {
	store  DeploymentStore
	now    core.Clock
	as     func(context.Context) (context.Context, bool) // what is stored counts while this hub is a member; false: it is none
	report func(what string, err error, args ...any)

	storing  sync.Mutex // held while pieces are on their way to the store
	failures int        // guarded by storing; flushes that failed in a row

	mu   sync.Mutex
	runs map[core.DeploymentID]*run // guarded by mu
}

// run is one deployment in the recorder. It is guarded by recorder.mu.
type run struct {
	progress stacks.Progress
	number   uint64 // of the last piece of log that is stored
	dirty    bool
	lines    []stacks.LogLine // not yet stored, without numbers
	bytes    int              // of lines
	dropped  bool             // lines were dropped since the last one
	total    int              // bytes of the log since this hub knows it
	said     map[stacks.PhaseName]string
	absent   int // looks in a row that did not find the deployment open
}

// Limits of what waits for a commit.
const (
	flushEvery   = 100 * time.Millisecond
	afterFailure = time.Second // until the next flush after one that failed
	maxPending   = 1 << 20     // bytes of one deployment's log
	maxLog       = 16 << 20    // bytes of one deployment's log in all
	fullMarker   = "[the log ends here: it has reached its limit of 16 MiB]\n"
	gapMarker    = "[some lines are missing: they came faster than they could be stored]\n"
	maxLogPiece  = 64 << 10
)

func newRecorder(store DeploymentStore, now core.Clock, as func(context.Context) (context.Context, bool), report func(string, error, ...any)) *recorder {
	return &recorder{store: store, now: now, as: as, report: report, runs: map[core.DeploymentID]*run{}}
}

// track begins, or goes on, to record a deployment, as it stands in the store. One that has
// ended is not recorded.
func (r *recorder) track(ctx context.Context, id core.DeploymentID) error {
	if r.tracked(id) {
		return nil
	}
	r.storing.Lock()
	defer r.storing.Unlock()
	return r.load(ctx, id)
}

// load is track while storing is held: what it reads stays true.
func (r *recorder) load(ctx context.Context, id core.DeploymentID) error {
	if r.tracked(id) {
		return nil
	}
	d, err := r.store.Deployment(ctx, id)
	if err != nil || d.State.Ended() {
		return err
	}
	number, err := r.store.LastLogNumber(ctx, id)
	if err != nil {
		return err
	}
	heard, err := r.store.HeardOf(ctx, id)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs[id] = &run{number: number, progress: stacks.Progress{
		Deployment: id, Commit: d.Commit, Revision: d.Revision, Worker: d.Worker, Phases: d.Phases, Heard: heard}}
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

// phase sets a phase of a tracked deployment; the start of a phase is now. It reports
// whether the phase says something else than it did the last time that it ended.
func (r *recorder) phase(id core.DeploymentID, name stacks.PhaseName, state stacks.PhaseState, message string) (news bool) {
	r.update(id, func(p *stacks.Progress) { p.Phases = stacks.SetPhase(p.Phases, name, state, message, r.now()) })
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[id]
	if run == nil || state == stacks.PhaseRunning {
		return false
	}
	if run.said == nil {
		run.said = map[stacks.PhaseName]string{}
	}
	last, before := run.said[name]
	run.said[name] = message
	return !before || last != message
}

// line adds text, one or more whole lines, to a tracked deployment's log.
func (r *recorder) line(id core.DeploymentID, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if run := r.runs[id]; run != nil {
		run.say(text, r.now())
	}
}

// say adds whole lines to the log, within its limits; recorder.mu is held.
func (run *run) say(text string, at time.Time) {
	if text == "" || run.total > maxLog {
		return
	}
	run.total += len(text)
	if run.total > maxLog {
		text = fullMarker
	}
	if run.bytes+len(text) > maxPending {
		run.dropped = true
		return
	}
	if run.dropped {
		run.add(gapMarker, at)
		run.dropped = false
	}
	for len(text) > maxLogPiece {
		run.add(text[:maxLogPiece], at)
		text = text[maxLogPiece:]
	}
	run.add(text, at)
}

func (run *run) add(text string, at time.Time) {
	run.bytes += len(text)
	run.lines = append(run.lines, stacks.LogLine{Deployment: run.progress.Deployment, At: at, Text: text})
}

// keep forgets deployments that have ended by another hand, such as a revocation: those
// that two looks in a row did not find open.
func (r *recorder) keep(open []stacks.Deployment) {
	still := make(map[core.DeploymentID]bool, len(open))
	for _, d := range open {
		still[d.ID] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, run := range r.runs {
		if still[id] {
			run.absent = 0
		} else if run.absent++; run.absent >= 2 {
			delete(r.runs, id)
		}
	}
}

// run commits what is new until ctx ends. A commit under way is not cut short.
func (r *recorder) run(ctx context.Context) {
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			err := r.flush(context.WithoutCancel(ctx))
			if fault.CodeOf(err) != "store.disk_full" { // of that the store tells once
				r.report("progress was not stored; it is tried again", err)
			}
			if err != nil {
				ticker.Reset(afterFailure)
			} else {
				ticker.Reset(flushEvery)
			}
		}
	}
}
