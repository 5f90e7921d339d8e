package hub

import (
	"context"
	"fmt"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/stacks"
)

// waitsForRuns is what a deployment is parked for whose manifest has it wait for the running jobs of its stack.
const waitsForRuns parkedFor = "runs"

// awaitRuns lets the deployment wait while jobs of its stack run, when the manifest says so; waiting says for which
// one. After the manifest's timeout it fails: nothing was touched.
func (w *work) awaitRuns(ctx context.Context) (waiting string, err error) {
	if !w.manifest.WaitRunning {
		return "", nil
	}
	limit := w.h.recorder.since(w.d.ID, stacks.PhaseDispatch).Add(w.manifest.Timeout)
	w.h.park(w.d.ID, parking{what: waitsForRuns, until: limit}) // first, so that an end in between is not missed
	running, err := w.h.opts.Store.StackRuns(ctx, w.stack.ID)
	if err != nil || len(running) == 0 {
		w.h.unparkOne(w.d.ID)
		return "", err
	}
	what, err := w.nameRun(ctx, running)
	if err != nil {
		return "", err
	}
	if !w.h.opts.Now().Before(limit) {
		w.h.unparkOne(w.d.ID)
		return "", fault.New(fault.Unavailable, "deployment.jobs_running", "After %s there was still %s. Nothing was changed; deploy again, or cancel the run.", w.manifest.Timeout, what)
	}
	return "waits for " + what, errParked
}

// nameRun names the oldest of the runs, and how many more there are.
func (w *work) nameRun(ctx context.Context, running []jobs.Run) (string, error) {
	first := running[0]
	j, err := w.h.opts.Store.Job(ctx, first.Job)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("run %s of job %s", first.ID, j.Name)
	if more := len(running) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text, nil
}

// since returns when a phase of a tracked deployment began.
func (r *deploymentRecorder) since(id core.DeploymentID, name stacks.PhaseName) (at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.all[id]; known != nil {
		for _, p := range known.progress.Phases {
			if p.Name == name {
				at = p.StartedAt
			}
		}
	}
	return at
}
