package hub

import (
	"context"
	"slices"
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
	total    int              // bytes of the log since this hub knows it
	said     map[stacks.PhaseName]string
	absent   int // looks in a row that did not find the deployment open
}

// Limits of what waits for a commit.
const (
	flushEvery  = 100 * time.Millisecond
	maxPending  = 1 << 20  // bytes of one deployment's log
	maxLog      = 16 << 20 // bytes of one deployment's log in all
	fullMarker  = "[the log ends here: it has reached its limit of 16 MiB]\n"
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
	run := r.runs[id]
	if run == nil || text == "" || run.total > maxLog {
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

// giveBack takes back what pending or take handed out and could not be stored.
func (r *recorder) giveBack(p stacks.Progress, lines []stacks.LogLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	current := r.runs[p.Deployment]
	if current == nil {
		current = &run{progress: p}
		r.runs[p.Deployment] = current
	}
	if len(lines) > 0 {
		current.number = max(current.number, lines[len(lines)-1].Number)
	}
	for _, l := range lines {
		current.bytes += len(l.Text)
	}
	current.lines = append(lines, current.lines...)
	current.dirty = true
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
			if err := r.flush(context.WithoutCancel(ctx)); err != nil {
				r.report("progress was not stored; it is tried again", err)
			}
		}
	}
}

// flush commits everything that is new, in one transaction; what it cannot store it keeps.
func (r *recorder) flush(ctx context.Context) error {
	r.flushing.Lock()
	defer r.flushing.Unlock()
	progress, lines := r.collect()
	if len(progress) == 0 {
		return nil
	}
	err := r.store.SaveProgress(ctx, progress, lines)
	if err != nil {
		for _, p := range progress {
			own := slices.DeleteFunc(slices.Clone(lines), func(l stacks.LogLine) bool { return l.Deployment != p.Deployment })
			r.giveBack(p, own)
		}
	}
	return err
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
