package hub

import (
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/wire"
)

func TestJobsAreMeasured(t *testing.T) {
	m := newMeters(t, func(*Options) {})
	_, p := m.runner("one")
	j := m.job("backup", hourly(jobFile{"overlap": "skip", "start_deadline": "10m"}))
	labels := `{job_id="` + string(j.ID) + `",name="backup"`
	m.is(`berth_job_info`+labels+`,repository="apps"}`, 1)
	m.is(`berth_job_next_due_timestamp_seconds`+labels+`}`, float64(j.NextAt.Unix()))
	m.is(`berth_job_missed_total`+labels+`}`, 0)
	m.gone(`berth_job_last_run_state` + labels + `,state="succeeded"}`)

	m.due(j.ID)
	cmd := expect[wire.Command](p)
	p.accept(cmd)
	m.is(`berth_job_runs_in_progress{state="running"}`, 1)
	m.is(`berth_job_fires_total`, 1)
	m.is(`berth_job_fire_lateness_seconds_count`, 1)
	if n, _ := m.value(`berth_job_fire_lateness_seconds_sum`); n < 1 || n > 60 {
		t.Errorf("it fired %v seconds late", n)
	}
	m.due(j.ID) // and is skipped
	m.is(`berth_job_runs_total{result="skipped"}`, 1)
	p.exit(cmd, 3)
	m.is(`berth_job_runs_total{result="failed"}`, 1)
	m.is(`berth_job_last_run_state`+labels+`,state="failed"}`, 1)
	m.due(j.ID)
	p.exit(expect[wire.Command](p), 0)
	m.is(`berth_job_runs_total{result="succeeded"}`, 1)
	m.is(`berth_job_last_run_state`+labels+`,state="succeeded"}`, 1)
	m.gone(`berth_job_last_run_state` + labels + `,state="failed"}`)
	m.is(`berth_job_last_run_duration_seconds`+labels+`}`, 1.5)
	m.is(`berth_job_runs_in_progress{state="running"}`, 0)
	now := m.jobNow(j.ID)
	if at, _ := m.value(`berth_job_last_success_timestamp_seconds` + labels + `}`); int64(at) != now.LastSuccessAt.Unix() {
		t.Errorf("the last success was at %v, and is shown as of %v", now.LastSuccessAt.Unix(), at)
	}
	if at, _ := m.value(`berth_job_success_expected_timestamp_seconds` + labels + `}`); int64(at) != now.NextAt.Add(time.Hour+20*time.Minute).Unix() {
		t.Errorf("after it was due at %s it is expected to end well by %v", now.NextAt, time.Unix(int64(at), 0))
	}

	m.restart(func() { m.ahead.Add(int64(now.NextAt.Sub(m.now()) + 30*time.Minute)) })
	m.is(`berth_job_missed_total`+labels+`}`, 1)
	m.commit(map[string]string{"jobs/backup/job.yaml": "no"})
	m.look()
	m.is(`berth_job_broken`+labels+`}`, 1)
	m.gone(`berth_job_next_due_timestamp_seconds` + labels + `}`)
}

// TestRunsThatWereCancelledAreMeasured once, also those that no worker was given.
func TestRunsThatWereCancelledAreMeasured(t *testing.T) {
	m := newMeters(t, func(*Options) {})
	j := m.job("backup", onDemand(jobFile{"overlap": "queue"}))
	cancelled := func(want float64) {
		t.Helper()
		m.hub.figures.wake()
		m.is(`berth_job_runs_total{result="cancelled"}`, want)
	}
	m.cancelRun(m.runNow(j.ID, nil).ID)
	cancelled(1)
	_, p := m.runner("one")
	run := m.runNow(j.ID, nil)
	cmd := expect[wire.Command](p)
	p.accept(cmd)
	waits := m.runNow(j.ID, nil)
	m.cancelRun(waits.ID)
	cancelled(2)
	m.cancelRun(run.ID)
	expect[wire.Cancel](p)
	p.ends(wire.Result{ID: cmd.ID, Attempt: cmd.Attempt, Status: wire.ResultCancelled, Phases: []wire.PhaseEvent{}})
	cancelled(3)
}

func TestWithdrawalsAreNewsOnce(t *testing.T) {
	began := time.Unix(1_700_000_000, 0)
	w := withdrawals{since: began}
	told := func(after time.Duration, all ...jobs.Withdrawal) (ids string) {
		for _, r := range w.news(all, began.Add(after)) {
			ids += string(r.Run) + " "
		}
		return ids
	}
	at := func(id string, after time.Duration) jobs.Withdrawal {
		return jobs.Withdrawal{Run: core.RunID(id), At: began.Add(after)}
	}
	for i, step := range []struct{ got, want string }{
		{told(time.Second, at("before", -time.Second)), ""},
		{told(2*time.Second, at("a", time.Second), at("before", -time.Second)), "a "},
		{told(3*time.Second, at("b", 2*time.Second), at("a", time.Second)), "b "},
		{told(time.Hour, at("c", time.Hour-clocksApart), at("b", 2*time.Second)), "c "},
		{told(time.Hour+time.Second, at("c", time.Hour-clocksApart), at("old", 3*time.Second)), ""}, // others went, so that it is told of again
	} {
		if step.got != step.want {
			t.Errorf("step %d: counted are %q, want %q", i, step.got, step.want)
		}
	}
}
