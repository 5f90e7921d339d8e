package store_test

import (
	"slices"
	"testing"

	"berth/core"
	"berth/core/jobs"
)

func TestWhatAWorkerDidIsListedOpenFirst(t *testing.T) {
	y := openYard(t)
	const one, other = core.WorkerID("wrk_one"), core.WorkerID("wrk_other")
	open := y.past("web") // older than the others
	ended := []core.DeploymentID{y.past("a"), y.past("b"), y.past("c")}
	for _, d := range append(ended, open) {
		y.exec(t, `UPDATE deployments SET worker_id = ? WHERE id = ?`, one, d)
	}
	y.exec(t, `UPDATE deployments SET state = 'running', finished_at = 0 WHERE id = ?`, open)
	y.past("elsewhere")
	list, err := y.WorkerDeployments(t.Context(), one, 2)
	y.must(err)
	var got []core.DeploymentID
	for _, d := range list.Items {
		got = append(got, d.ID)
	}
	if want := []core.DeploymentID{open, ended[2], ended[1]}; !slices.Equal(got, want) {
		t.Errorf("deployments: %v, want %v", got, want)
	}

	job := y.dueJob("nightly")
	var runs []core.RunID
	for i := range 4 {
		r := y.waiting(job)
		y.exec(t, `UPDATE job_runs SET worker_id = ? WHERE id = ?`, one, r.ID)
		if runs = append(runs, r.ID); i > 0 { // the first lasts longer than the others
			y.endRun(r, jobs.RunFailed)
		}
	}
	y.exec(t, `UPDATE job_runs SET definition = '{' WHERE id = ?`, runs[2])
	found, err := y.WorkerRuns(t.Context(), one, 2)
	y.must(err)
	var told []core.RunID
	for _, r := range found.Items {
		told = append(told, r.ID)
	}
	if want := []core.RunID{runs[0], runs[3]}; !slices.Equal(told, want) || !slices.Equal(found.LeftOut, []string{string(runs[2])}) {
		t.Errorf("runs: %v without %v, want %v without %v", told, found.LeftOut, want, runs[2])
	}
	if none, err := y.WorkerRuns(t.Context(), other, 2); err != nil || len(none.Items) > 0 {
		t.Errorf("of a worker without any: %v, %v", none, err)
	}
}
