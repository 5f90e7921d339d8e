package store_test

import (
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
)

// plain is what a job.yaml says of which nothing more is asked.
func plain() jobs.Definition {
	return jobs.Definition{Name: "backup", Cron: "@hourly", Timezone: "UTC", Mode: jobs.ModeOnce, Image: "busybox", Overlap: jobs.OverlapSkip, StartDeadline: jobs.DefaultStartDeadline,
		Resources: jobs.Resources{CPU: 1, Memory: 64 << 20, Timeout: time.Minute}}
}

// addJob makes a job of the folder of its name, which was not read yet.
func (y *yard) addJob(name string) core.JobID {
	y.t.Helper()
	id := core.JobID(core.NewID(core.PrefixJob, y.tick()))
	_, err := y.CreateJob(y.t.Context(), jobs.Job{ID: id, Name: name, Repository: "rep_1", Path: name}, someone)
	y.must(err)
	return id
}

// readJob has polling read a job's file, after which it is due at a time.
func (y *yard) readJob(id core.JobID, d jobs.Definition, next time.Time) {
	y.t.Helper()
	y.tick()
	y.must(y.RecordSights(y.t.Context(), []jobs.Sight{{Job: id, Commit: "c1", Tree: "t1", Definition: d,
		Configs: []jobs.ConfigFile{{Target: "/etc/a", Content: core.Content{Digest: "d1", Source: "a", Files: []core.ContentFile{{Path: "a", Digest: "b1", Size: 3}}}}}}}, func(jobs.Job) time.Time { return next }))
}

// dueJob makes a job that is due now.
func (y *yard) dueJob(name string) core.JobID {
	y.t.Helper()
	id := y.addJob(name)
	y.readJob(id, plain(), y.at)
	return id
}

func (y *yard) job(id core.JobID) jobs.Job {
	y.t.Helper()
	j, err := y.Job(y.t.Context(), id)
	y.must(err)
	return j
}

func (y *yard) run(id core.RunID) jobs.Run {
	y.t.Helper()
	r, err := y.Run(y.t.Context(), id)
	y.must(err)
	return r
}

// newRun is a queued run of a job that fires at a time.
func (y *yard) newRun(j jobs.Job, at time.Time) jobs.Run {
	id := core.RunID(core.NewID(core.PrefixRun, y.tick()))
	return jobs.Run{ID: id, Job: j.ID, Fire: id, State: jobs.RunQueued, Trigger: jobs.TriggerCron, Actor: stacks.SystemActor, ScheduledAt: at, Commit: j.Commit,
		Definition: j.Definition, Configs: j.Configs, Attempt: 1, QueuedAt: y.at}
}

// runCommand hands a run to the yard's worker.
func (y *yard) runCommand(r jobs.Run) *stacks.Command {
	at := y.tick()
	return &stacks.Command{ID: core.CommandID(core.NewID(core.PrefixCommand, at)), Attempt: 1, Worker: y.w.ID, Kind: stacks.CommandRun, Run: r.ID,
		State: stacks.CommandQueued, CreatedAt: at, Body: stacks.CommandBody{Seconds: 60}}
}

// firing fires a job at the time at which it is due, with one run on the yard's worker, and has it due an hour later.
func (y *yard) firing(j jobs.Job) jobs.Firing {
	r := y.newRun(j, j.NextAt)
	return jobs.Firing{At: j.NextAt, FiredAt: j.NextAt, Next: j.NextAt.Add(time.Hour), Runs: []jobs.Start{{Run: r, Command: y.runCommand(r)}}}
}

// fired fires a job that is due and returns its run, which has its command.
func (y *yard) fired(id core.JobID) jobs.Run {
	y.t.Helper()
	runs, err := y.Fire(y.t.Context(), []core.JobID{id}, y.at, func(j jobs.Job, _ []jobs.Run) jobs.Firing { return y.firing(j) })
	y.must(err)
	if len(runs) != 1 {
		y.t.Fatalf("%d runs are stored, want 1", len(runs))
	}
	return y.run(runs[0].ID)
}

// waiting stores a run that was asked for and has no command.
func (y *yard) waiting(id core.JobID) jobs.Run {
	y.t.Helper()
	r, err := y.QueueRun(y.t.Context(), jobs.Run{ID: core.RunID(core.NewID(core.PrefixRun, y.tick())), Job: id, Trigger: jobs.TriggerManual, Actor: someone.Name}, nil, someone)
	y.must(err)
	return r
}

// sentRun marks a run's command as sent.
func (y *yard) sentRun(r jobs.Run) {
	y.t.Helper()
	y.exec(y.t, `UPDATE workers SET epoch = 1 WHERE id = ?`, r.Worker)
	_, err := y.MarkSent(y.t.Context(), r.Worker, r.Command, 1)
	y.must(err)
}

// endRun ends a run and reports whether that was news.
func (y *yard) endRun(r jobs.Run, state jobs.RunState, change ...func(*jobs.Outcome)) bool {
	y.t.Helper()
	o := jobs.Outcome{Run: r.ID, Command: r.Command, State: state, At: y.tick()}
	if state == jobs.RunFailed {
		o.ErrorCode, o.Error = "run.exit", "it ended with exit code 1"
	}
	for _, c := range change {
		c(&o)
	}
	news, err := y.EndRun(y.t.Context(), o, nil)
	y.must(err)
	return news
}
