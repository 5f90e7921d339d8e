package hub

import (
	"context"

	"berth/core"
	"berth/core/stacks"
)

// deploymentRecorder records deployments.
type deploymentRecorder struct {
	*recorder[core.DeploymentID, notes]
	store DeploymentStore
}

// notes is what is known of a deployment beside its log; Heard is the recording's.
type notes struct {
	stacks.Progress
	said map[stacks.PhaseName]string // what each phase said the last time that it ended
}

// deploymentNews is what is new of one deployment.
type deploymentNews = news[core.DeploymentID, notes]

func newDeploymentRecorder(store DeploymentStore, around surroundings) *deploymentRecorder {
	return &deploymentRecorder{newRecorder("deployment", deploymentKeeper{store}, around), store}
}

// deploymentKeeper implements keeper.
type deploymentKeeper struct{ store DeploymentStore }

func (k deploymentKeeper) load(ctx context.Context, id core.DeploymentID) (*recording[notes], error) {
	d, err := k.store.Deployment(ctx, id)
	if err != nil || d.State.Ended() {
		return nil, err
	}
	number, err := k.store.LastLogNumber(ctx, id)
	if err != nil {
		return nil, err
	}
	heard, err := k.store.HeardOf(ctx, id)
	if err != nil {
		return nil, err
	}
	known := notes{said: map[stacks.PhaseName]string{}, Progress: stacks.Progress{
		Deployment: id, Commit: d.Commit, Revision: d.Revision, Worker: d.Worker, Phases: d.Phases}}
	return &recording[notes]{progress: known, worker: d.Worker, heard: heard, number: number}, nil
}

func (k deploymentKeeper) save(ctx context.Context, all []deploymentNews) error {
	var progress []stacks.Progress
	var lines []stacks.LogLine
	for _, n := range all {
		progress, lines = append(progress, progressOf(n)), append(lines, linesOf(n)...)
	}
	return k.store.SaveProgress(ctx, progress, lines)
}

func progressOf(n deploymentNews) stacks.Progress {
	p := n.progress.Progress
	p.Deployment, p.Heard = n.id, n.heard
	return p
}

func linesOf(n deploymentNews) []stacks.LogLine {
	lines := make([]stacks.LogLine, len(n.pieces))
	for i, p := range n.pieces {
		lines[i] = stacks.LogLine{Deployment: n.id, Number: p.number, At: p.at, Text: p.text}
	}
	return lines
}

// know changes what is known of a tracked deployment.
func (r *deploymentRecorder) know(id core.DeploymentID, change func(*stacks.Progress)) {
	r.update(id, func(known *recording[notes]) { change(&known.progress.Progress) })
}

// phase sets a phase of a tracked deployment; the start of a phase is now. It reports
// whether the phase says something else than it did the last time that it ended.
func (r *deploymentRecorder) phase(id core.DeploymentID, name stacks.PhaseName, state stacks.PhaseState, message string) (isNews bool) {
	r.update(id, func(known *recording[notes]) {
		n := &known.progress
		n.Phases = stacks.SetPhase(n.Phases, name, state, message, r.now())
		if state == stacks.PhaseRunning {
			return
		}
		last, before := n.said[name]
		isNews = !before || last != message
		n.said[name] = message
	})
	return isNews
}

// dispatched stores what is new of a deployment in a transaction that hands it to its worker.
func (r *deploymentRecorder) dispatched(id core.DeploymentID, worker core.WorkerID, store func(stacks.Progress, []stacks.LogLine) error) error {
	r.update(id, func(known *recording[notes]) { known.worker, known.progress.Worker = worker, worker })
	return r.along(id, func(n deploymentNews) error { return store(progressOf(n), linesOf(n)) })
}

// end stores how a deployment ended. The recording is over then, also when the last good revision is put back first.
func (r *deploymentRecorder) end(ctx context.Context, o stacks.Outcome, text string) (ending stacks.Ending, err error) {
	err = r.conclude(ctx, o.Deployment, text, func(n deploymentNews) (over bool, err error) {
		o.At, o.Commit, o.Phases = r.now(), n.progress.Commit, n.progress.Phases
		if o.State != stacks.DeploymentSucceeded && o.State != stacks.DeploymentRolledBack {
			o.Phases = stacks.FailRunning(o.Phases, o.Error, o.At)
		}
		ending, err = r.store.EndDeployment(ctx, o, linesOf(n))
		return ending.Ended || ending.Restore > 0, err
	})
	return ending, err
}

// keepOpen forgets the deployments that have ended by another hand.
func (r *deploymentRecorder) keepOpen(open []stacks.Deployment) {
	still := make(map[core.DeploymentID]bool, len(open))
	for _, d := range open {
		still[d.ID] = true
	}
	r.keep(still)
}
