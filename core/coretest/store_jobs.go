package coretest

import (
	"fmt"
	"sync/atomic"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/stacks"
	"berth/core/store"
)

// jobCases are the races about jobs and their runs, whoever comes first.
var jobCases = map[string]func(storeBench){
	"a time fires once":                                   firesOnce,
	"a waiting run begins once":                           beginsOnce,
	"a run ends once and has one retry":                   runEndsOnce,
	"a run is sent or cancelled, not both":                sentOrCancelled,
	"a run is sent or taken back, not both":               sentOrTakenBack,
	"no run stays with a worker that is deleted":          firedAtADeletedWorker,
	"a run is asked for or its job deleted, not both":     jobDeletedWhileAsked,
	"runs of one job are asked for up to as many as wait": askedForUpToTheLimit,
}

// jobYard is a yard with a job that is due, and whose file was read.
type jobYard struct {
	yard
	job core.JobID
	at  time.Time
}

func newJobYard(b storeBench) jobYard {
	b.Helper()
	y := jobYard{yard: newYard(b), job: core.JobID(core.NewID(core.PrefixJob, storeEpoch)), at: storeEpoch}
	_, err := y.CreateJob(b.soon(), jobs.Job{ID: y.job, Name: "backup", Repository: "rep_1", Path: "backup"}, access.System)
	b.must(err)
	sight := jobs.Sight{Job: y.job, Commit: "c1", Tree: "t1", Definition: jobs.Definition{Image: "busybox", Mode: jobs.ModeOnce}}
	b.must(y.RecordSights(b.soon(), []jobs.Sight{sight}, func(jobs.Job) time.Time { return y.at }))
	return y
}

func (y jobYard) start(id core.RunID) jobs.Start {
	if id == "" {
		id = core.RunID(core.NewID(core.PrefixRun, storeEpoch))
	}
	return jobs.Start{Run: jobs.Run{ID: id, Fire: id, Job: y.job, State: jobs.RunQueued, ScheduledAt: y.at, Attempt: 1, QueuedAt: y.at, Definition: jobs.Definition{Mode: jobs.ModeOnce}},
		Command: &stacks.Command{ID: core.CommandID(core.NewID(core.PrefixCommand, storeEpoch)), Attempt: 1, Worker: y.worker, Kind: stacks.CommandRun, State: stacks.CommandQueued}}
}

// fire fires the job with one run on the yard's worker.
func (y jobYard) fire() ([]jobs.Run, error) {
	return y.Fire(y.b.Context(), []core.JobID{y.job}, y.at, func(j jobs.Job, _ []jobs.Run) jobs.Firing {
		return jobs.Firing{At: j.NextAt, FiredAt: j.NextAt, Next: y.at.Add(time.Hour), Runs: []jobs.Start{y.start("")}}
	})
}

// ask asks for a run, which waits.
func (y jobYard) ask() (jobs.Run, error) {
	return y.QueueRun(y.b.Context(), jobs.Run{ID: core.RunID(core.NewID(core.PrefixRun, storeEpoch)), Job: y.job}, nil, access.System)
}

// begun is a run that has its command.
func (y jobYard) begun() jobs.Run {
	y.b.Helper()
	asked, err := y.ask()
	y.b.must(err)
	runs, err := y.Begin(y.b.soon(), []core.JobID{y.job}, func(jobs.Job, []jobs.Run) jobs.Beginning {
		return jobs.Beginning{Runs: []jobs.Start{y.start(asked.ID)}}
	})
	y.b.must(err)
	return runs[0]
}

func firesOnce(b storeBench) {
	y := newJobYard(b)
	var fired atomic.Int64
	y.race(10, "", func(int) error {
		runs, err := y.fire()
		fired.Add(int64(len(runs)))
		return err
	})
	for _, table := range []string{"job_fires", "job_runs", "commands"} {
		if n := b.count(`SELECT count(*) FROM ` + table); n != 1 || fired.Load() != 1 {
			b.Errorf("it fired %d times; %d rows are in %s", fired.Load(), n, table)
		}
	}
}

func beginsOnce(b storeBench) {
	y := newJobYard(b)
	asked, err := y.ask()
	b.must(err)
	var began atomic.Int64
	y.race(10, "", func(int) error {
		runs, err := y.Begin(b.Context(), []core.JobID{y.job}, func(jobs.Job, []jobs.Run) jobs.Beginning {
			return jobs.Beginning{Runs: []jobs.Start{y.start(asked.ID)}}
		})
		began.Add(int64(len(runs)))
		return err
	})
	if n := b.count(`SELECT count(*) FROM commands c JOIN job_runs r ON r.command_id = c.id`); began.Load() != 1 || n != 1 || b.count(`SELECT count(*) FROM commands`) != 1 {
		b.Errorf("it began %d times, with %d commands", began.Load(), n)
	}
}

func runEndsOnce(b storeBench) {
	y := newJobYard(b)
	r := y.begun()
	var ended atomic.Int64
	y.race(10, "", func(int) error {
		retry := y.start("").Run
		news, err := y.EndRun(b.Context(), jobs.Outcome{Run: r.ID, Command: r.Command, State: jobs.RunFailed, At: storeEpoch, Retry: &retry}, []jobs.LogPiece{{Run: r.ID, Number: 1, Text: "x"}})
		if news {
			ended.Add(1)
		}
		return err
	})
	if n := b.count(`SELECT count(*) FROM job_runs`); ended.Load() != 1 || n != 2 {
		b.Errorf("it ended %d times, and there are %d runs", ended.Load(), n)
	}
}

// contest has two do something to one run at once, again and again.
func (y jobYard) contest(one func(jobs.Run) error, other func(jobs.Run) error, judge func(r jobs.Run, one, other error)) {
	y.b.Helper()
	for range 10 {
		r := y.begun()
		answers := make([]error, 2)
		together(2, func(i int) { answers[i] = []func(jobs.Run) error{one, other}[i](r) })
		now, err := y.Run(y.b.soon(), r.ID)
		y.b.must(err)
		judge(now, answers[0], answers[1])
		_, err = y.EndRun(y.b.soon(), jobs.Outcome{Run: r.ID, State: jobs.RunLost, At: storeEpoch}, nil)
		y.b.must(err)
	}
}

func (y jobYard) send(r jobs.Run) error {
	_, err := y.MarkSent(y.b.Context(), y.worker, r.Command, 1)
	return err
}

func sentOrCancelled(b storeBench) {
	y := newJobYard(b)
	y.contest(y.send, func(r jobs.Run) error {
		_, err := y.CancelRun(b.Context(), r.ID, access.System)
		return err
	}, func(r jobs.Run, sent, cancelled error) {
		b.must(cancelled)
		if (sent == nil) == r.State.Ended() || sent != nil && fault.CodeOf(sent) != "command.not_found" || !r.Cancelling {
			b.Errorf("sending was answered with %v, and the run is %+v", sent, r)
		}
	})
}

func sentOrTakenBack(b storeBench) {
	y := newJobYard(b)
	y.contest(y.send, func(jobs.Run) error { return y.TakeBackRuns(b.Context()) }, func(r jobs.Run, sent, taken error) {
		b.must(taken)
		if (sent == nil) == (r.Command == "") || sent != nil && fault.CodeOf(sent) != "command.not_found" {
			b.Errorf("sending was answered with %v, and the run is %+v", sent, r)
		}
	})
}

// firedAtADeletedWorker: who fires chose the worker before.
func firedAtADeletedWorker(b storeBench) {
	y := newJobYard(b)
	together(2, func(i int) {
		var err error
		if i == 0 {
			_, err = y.fire()
		} else {
			err = y.DeleteWorker(b.Context(), y.worker, access.System.Audit("worker.delete", string(y.worker), ""))
		}
		if err != nil {
			b.Errorf("number %d: %v", i, err)
		}
	})
	b.must(y.TakeBackRuns(b.soon()))
	waiting, _, err := y.WaitingRuns(b.soon(), y.at)
	if open := b.count(`SELECT count(*) FROM commands WHERE ended_at = 0`); err != nil || len(waiting) != 1 || open != 0 {
		b.Errorf("there wait %v, %v, with %d commands", waiting, err, open)
	}
}

func jobDeletedWhileAsked(b storeBench) {
	y := newJobYard(b)
	var asked atomic.Int64
	together(10, func(i int) {
		if i == 5 {
			if err := y.DeleteJob(b.Context(), y.job, access.System); err != nil && fault.CodeOf(err) != "job.running" {
				b.Errorf("deleting: %v", err)
			}
			return
		}
		switch _, err := y.ask(); {
		case err == nil:
			asked.Add(1)
		case fault.CodeOf(err) != "job.not_found":
			b.Errorf("asking: %v", err)
		}
	})
	left, runs := b.count(`SELECT count(*) FROM jobs`), b.count(`SELECT count(*) FROM job_runs`)
	if runs != int(asked.Load()) || left == 0 && runs > 0 || left == 1 && runs != 9 {
		b.Errorf("%d were answered, %d runs are there of %d jobs", asked.Load(), runs, left)
	}
}

func askedForUpToTheLimit(b storeBench) {
	y := newJobYard(b)
	b.must(b.db.Write(b.soon(), func(tx *store.Tx) error {
		for i := range jobs.MaxWaiting - 3 {
			if _, err := store.Exec(tx, `INSERT INTO job_runs (id, job_id, fire_id, state, trigger, actor, scheduled_at, commit_hash, worker_id, command_id, retry_of, attempt, not_before, error_code, error,
				cancelling, cancelled_by, queued_at, started_at, finished_at, definition, configs, given)
				VALUES (?, ?, '', 'queued', '', '', 0, '', '', '', '', 1, 0, '', '', 0, '', 0, 0, 0, '{}', '[]', '[]')`, fmt.Sprint("run_", i), y.job); err != nil {
				return err
			}
		}
		return nil
	}))
	won := y.race(10, "job.queue_full", func(int) error {
		_, err := y.ask()
		return err
	})
	if n := b.count(`SELECT count(*) FROM job_runs`); won != 3 || n != jobs.MaxWaiting {
		b.Errorf("%d were answered, %d wait", won, n)
	}
}
