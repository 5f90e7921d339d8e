package store_test

import (
	"fmt"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/store"
)

// Rows of a job by the hundred, made in one statement each; i runs from 1 to n.
const (
	manyRuns = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
		INSERT INTO job_runs (id, job_id, fire_id, state, trigger, actor, scheduled_at, commit_hash, worker_id, command_id, retry_of, attempt, not_before, error_code, error, cancelling, cancelled_by,
		queued_at, started_at, finished_at, definition, configs, given)
		SELECT printf('run_%06d_', i) || ?1, ?1, '', 'succeeded', 'cron', '', 0, '', '', '', '', 1, 0, '', '', 0, '', 0, 0, 1, '{}', '[]', '[]' FROM n`
	manyFires = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
		INSERT INTO job_fires (job_id, scheduled_at, fired_at) SELECT ?1, CAST(?3 AS BIGINT) - (i - 1) * CAST(1000000 AS BIGINT), 0 FROM n`
)

func TestPruneKeepsTheNewestRunsOfEachJob(t *testing.T) {
	y := openYard(t)
	busy, calm := y.addJob("busy"), y.addJob("calm")
	y.exec(t, manyRuns, busy, store.KeptRuns+5)
	y.exec(t, manyRuns, calm, 3)
	y.exec(t, `INSERT INTO job_run_log (run_id, number, at, text) SELECT id, 1, 0, 'x' FROM job_runs`)
	// One that is open, and one with what was given for a fire that is not over.
	y.exec(t, `UPDATE job_runs SET state = 'queued' WHERE id = 'run_000001_' || ?`, busy)
	y.exec(t, `UPDATE job_runs SET overrides = x'00' WHERE id = 'run_000003_' || ?`, busy)
	y.prune()
	left, err := texts(t, y.raw, `SELECT id FROM job_runs WHERE job_id = ? ORDER BY id LIMIT 3`, busy)
	y.must(err)
	for i, n := range []int{1, 3, 6} {
		if want := fmt.Sprintf("run_%06d_%s", n, busy); left[i] != want {
			t.Errorf("left is %s, want %s", left[i], want)
		}
	}
	if n := y.count(t, `SELECT count(*) FROM job_runs WHERE job_id = ?`, busy); n != store.KeptRuns+2 {
		t.Errorf("%d runs are kept", n)
	}
	if n := y.count(t, `SELECT count(*) FROM job_runs WHERE job_id = ?`, calm); n != 3 {
		t.Errorf("another job has %d", n)
	}
	if n := y.count(t, `SELECT count(*) FROM job_run_log`); n != store.KeptRuns+5 {
		t.Errorf("%d logs are kept", n)
	}
}

func TestPruneKeepsTheFiresThatCount(t *testing.T) {
	for sentence, c := range map[string]struct {
		fires int
		age   time.Duration // of the newest; the others follow by the second
		left  int
	}{
		"few and new":                       {5, 0, 5},
		"as many as are kept":               {store.KeptFires, 0, store.KeptFires},
		"more":                              {store.KeptFires + 700, 0, store.KeptFires},
		"the older ones too old":            {5, store.KeptFired - 2*time.Second, 3},
		"all too old but the newest":        {5, store.KeptFired + time.Hour, 1},
		"too many, and all but one too old": {store.KeptFires + 3, store.KeptFired + time.Hour, 1},
		"one, however old":                  {1, 10 * store.KeptFired, 1},
	} {
		y := openYard(t)
		id, other := y.addJob("backup"), y.addJob("other")
		y.exec(t, manyFires, id, c.fires, y.at.Add(-c.age).UnixMicro())
		y.exec(t, manyFires, other, 2, y.at.UnixMicro())
		y.prune()
		newest := y.count(t, `SELECT count(*) FROM job_fires WHERE job_id = ? AND scheduled_at = ?`, id, y.at.Add(-c.age).UnixMicro())
		if n := y.count(t, `SELECT count(*) FROM job_fires WHERE job_id = ?`, id); n != c.left || newest != 1 {
			t.Errorf("%s: %d are left, want %d; the newest: %d", sentence, n, c.left, newest)
		}
		if n := y.count(t, `SELECT count(*) FROM job_fires WHERE job_id = ?`, other); n != 2 {
			t.Errorf("%s: of another job %d are left", sentence, n)
		}
	}
}

// TestPruneGoesRoundTheJobs in bounded steps, and comes to each.
func TestPruneGoesRoundTheJobs(t *testing.T) {
	y := openYard(t)
	y.exec(t, manyJobRows, 120)
	for _, id := range []core.JobID{"job_000001", "job_000060", "job_000120"} {
		y.exec(t, manyRuns, id, store.KeptRuns+30)
	}
	if rounds := y.prune(); rounds < 5 {
		t.Errorf("it took %d rounds", rounds)
	}
	if n := y.count(t, `SELECT count(*) FROM job_runs`); n != 3*store.KeptRuns {
		t.Errorf("%d runs are left", n)
	}
	y.exec(t, manyFires, "job_000001", store.PruneStep+store.KeptFires, y.at.UnixMicro())
	y.prune()
	if n := y.count(t, `SELECT count(*) FROM job_fires`); n != store.KeptFires {
		t.Errorf("the next time round %d fires are left", n)
	}
}

// TestAnOldRunThatWasGivenSomethingGoesWithItsFire: nothing stays for ever.
func TestAnOldRunThatWasGivenSomethingGoesWithItsFire(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	first, err := y.QueueRun(t.Context(), jobs.Run{ID: "run_000000", Job: id, Overrides: []string{"A"}}, envelope(t), someone)
	y.must(err)
	retry := y.newRun(y.job(id), y.at)
	retry.Fire = first.ID
	y.endRun(first, jobs.RunFailed, func(o *jobs.Outcome) { o.Retry = &retry })
	y.exec(t, manyRuns, id, store.KeptRuns+1)
	y.prune()
	if sealed, err := y.RunOverrides(t.Context(), first.ID); err != nil || sealed == nil {
		t.Errorf("while its fire is open: %v, %v", sealed, err)
	}
	y.endRun(retry, jobs.RunSucceeded)
	y.prune()
	_, err = y.Run(t.Context(), first.ID)
	y.refused("afterwards", err, "run.not_found")
}

// TestLongLogsGoInSteps: nobody waits for those of a job that is deleted.
func TestLongLogsGoInSteps(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	var ids []core.RunID
	for _, n := range []int{store.PrunePieces + 50, store.PrunePieces - 50, 1} {
		r := y.waiting(id)
		var pieces []jobs.LogPiece
		for i := range n {
			pieces = append(pieces, jobs.LogPiece{Run: r.ID, Number: uint64(i + 1), At: y.at, Text: "x"})
		}
		y.must(y.SaveRunLog(t.Context(), nil, pieces))
		y.endRun(r, jobs.RunSucceeded)
		ids = append(ids, r.ID)
	}
	y.must(y.DeleteJob(t.Context(), id, someone))
	for step, want := range []struct {
		left int
		more bool
	}{{store.PrunePieces + 1, true}, {1, true}, {0, false}, {0, false}} {
		more, err := y.Prune(t.Context(), y.at)
		y.must(err)
		if left := y.count(t, `SELECT count(*) FROM job_run_log`); left != want.left || more != want.more {
			t.Errorf("after step %d %d pieces are left, more is %v; want %+v", step, left, more, want)
		}
	}
	if n := y.count(t, `SELECT count(*) FROM job_logs_left`); n != 0 {
		t.Errorf("%d logs are left of %v", n, ids)
	}
}
