package hub

import (
	"context"
	"errors"
	"slices"
	"strings"

	"berth/core"
	"berth/core/stacks"
)

// piece is what is new of one deployment, on its way to the store.
type piece struct {
	progress stacks.Progress
	lines    []stacks.LogLine
}

// hand takes what is new out of a tracked run, numbered; what is not tracked has nothing.
// storing is held until it was stored or given back.
func (r *recorder) hand(id core.DeploymentID) piece {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[id]
	if run == nil {
		return piece{progress: stacks.Progress{Deployment: id}}
	}
	p := piece{progress: run.progress, lines: run.lines}
	p.progress.Phases = append([]stacks.Phase(nil), p.progress.Phases...)
	for i := range p.lines {
		p.lines[i].Number = run.number + 1 + uint64(i)
	}
	run.lines, run.bytes, run.dirty = nil, 0, false
	return p
}

// done says whether what hand gave is stored. If not, it goes with the next attempt.
func (r *recorder) done(p piece, stored bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[p.progress.Deployment]
	switch {
	case run == nil:
	case stored:
		run.number += uint64(len(p.lines))
	default:
		for _, l := range p.lines {
			run.bytes += len(l.Text)
		}
		run.lines, run.dirty = append(p.lines, run.lines...), true
	}
}

// along stores what is new of a deployment in a transaction that stores something else too.
func (r *recorder) along(id core.DeploymentID, store func(stacks.Progress, []stacks.LogLine) error) error {
	r.storing.Lock()
	defer r.storing.Unlock()
	p := r.hand(id)
	err := store(p.progress, p.lines)
	r.done(p, err == nil)
	return err
}

// end stores how a deployment ended, with all that is known of it and text as the log's last
// words. The recording is over then, also when the last good revision is put back first: what
// goes on is tracked anew.
func (r *recorder) end(ctx context.Context, o stacks.Outcome, text string) (stacks.Ending, error) {
	r.storing.Lock()
	defer r.storing.Unlock()
	if err := r.load(ctx, o.Deployment); err != nil || !r.tracked(o.Deployment) {
		return stacks.Ending{}, err
	}
	p := r.hand(o.Deployment)
	o.At, o.Commit, o.Phases = r.now(), p.progress.Commit, p.progress.Phases
	if o.State != stacks.DeploymentSucceeded && o.State != stacks.DeploymentRolledBack {
		o.Phases = stacks.FailRunning(o.Phases, o.Error, o.At)
	}
	ending, err := r.store.EndDeployment(ctx, o, r.lastWords(p, text))
	if err == nil && (ending.Ended || ending.Restore > 0) {
		r.forget(o.Deployment)
		return ending, nil
	}
	r.done(p, false) // pieces that were stored all the same keep their numbers
	return ending, err
}

// lastWords returns the lines of p and one more.
func (r *recorder) lastWords(p piece, text string) []stacks.LogLine {
	if text = strings.TrimSuffix(text, "\n"); text == "" {
		return p.lines
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	last := stacks.LogLine{Deployment: p.progress.Deployment, Number: uint64(len(p.lines)) + 1, At: r.now(), Text: text[:min(len(text), maxLogPiece-1)] + "\n"}
	if run := r.runs[p.progress.Deployment]; run != nil {
		last.Number += run.number
	}
	return append(slices.Clip(p.lines), last)
}

func (r *recorder) forget(id core.DeploymentID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.runs, id)
}

// forgetAll forgets every deployment: others record them now.
func (r *recorder) forgetAll() {
	r.storing.Lock()
	defer r.storing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.runs)
}

// handOver stores what is new and forgets the deployments of a worker that may come back to another
// hub. What cannot be stored now is lost, as when a hub ends: the result tells how it ended.
func (r *recorder) handOver(ctx context.Context, worker core.WorkerID) {
	r.report("progress was not stored", r.flush(ctx))
	r.storing.Lock()
	defer r.storing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, run := range r.runs {
		if run.progress.Worker == worker {
			delete(r.runs, id)
		}
	}
}

// putDown stores what is new and forgets the deployments that were being prepared here: whoever leads
// next goes on, and counts the pieces of the log from there.
func (r *recorder) putDown(ctx context.Context) {
	r.report("progress was not stored", r.flush(ctx))
	r.storing.Lock()
	defer r.storing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, run := range r.runs {
		if run.progress.Revision == 0 {
			delete(r.runs, id)
		}
	}
}

// maxFailures is how many flushes in a row may fail before each deployment is stored for
// itself: one that cannot be stored must not hold up the others.
const maxFailures = 3

// flush commits everything that is new, in one transaction; what it cannot store it keeps.
func (r *recorder) flush(ctx context.Context) error {
	r.storing.Lock()
	defer r.storing.Unlock()
	ctx, member := r.as(ctx)
	if !member {
		return nil
	}
	all := r.collect()
	if len(all) == 0 {
		return nil
	}
	err := r.save(ctx, all)
	if err == nil {
		r.failures = 0
		return nil
	}
	if r.failures++; r.failures < maxFailures || len(all) == 1 {
		return err
	}
	for _, p := range all {
		err = errors.Join(err, r.save(ctx, []piece{r.hand(p.progress.Deployment)}))
	}
	return err
}

// collect hands out all that is new.
func (r *recorder) collect() []piece {
	r.mu.Lock()
	var ids []core.DeploymentID
	for id, run := range r.runs {
		if run.dirty || len(run.lines) > 0 {
			ids = append(ids, id)
		}
	}
	r.mu.Unlock()
	all := make([]piece, len(ids))
	for i, id := range ids {
		all[i] = r.hand(id)
	}
	return all
}

func (r *recorder) save(ctx context.Context, all []piece) error {
	var progress []stacks.Progress
	var lines []stacks.LogLine
	for _, p := range all {
		progress, lines = append(progress, p.progress), append(lines, p.lines...)
	}
	err := r.store.SaveProgress(ctx, progress, lines)
	for _, p := range all {
		r.done(p, err == nil)
	}
	return err
}
