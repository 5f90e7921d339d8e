package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
)

// begin asks about the waiting runs of jobs; each gets what decide says.
func (y *yard) begin(decide func(j jobs.Job, open []jobs.Run) jobs.Beginning, ids ...core.JobID) []jobs.Run {
	y.t.Helper()
	runs, err := y.Begin(y.t.Context(), ids, decide)
	y.must(err)
	return runs
}

func TestARunThatWaitedBegins(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	first, second := y.waiting(id), y.waiting(id)
	got := y.begin(func(j jobs.Job, open []jobs.Run) jobs.Beginning {
		if j.ID != id || len(open) != 2 || open[0].ID != first.ID || open[1].ID != second.ID {
			t.Errorf("asked about %+v", open)
		}
		return jobs.Beginning{Runs: []jobs.Start{{Run: open[0], Command: y.runCommand(open[0])}}}
	}, id)
	if len(got) != 1 || got[0].ID != first.ID {
		t.Fatalf("there began %+v", got)
	}
	r := y.run(first.ID)
	if r.State != jobs.RunQueued || r.Command == "" || r.Command != got[0].Command || r.Worker != y.w.ID {
		t.Errorf("it is %+v", r)
	}
	if c, err := y.Command(t.Context(), y.w.ID, r.Command); err != nil || c.Run != r.ID {
		t.Errorf("its command is %+v, %v", c, err)
	}
	if r := y.run(second.ID); r.Command != "" || r.Worker != "" {
		t.Errorf("the other is %+v", r)
	}
	if counts, err := y.OpenRunsOf(t.Context()); err != nil || len(counts) != 1 || counts[y.w.ID] != 1 {
		t.Errorf("workers have %v, %v", counts, err)
	}
}

// TestARunThatBecomesSeveral: one that waited for workers when its job runs on each of them.
func TestARunThatBecomesSeveral(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	waits := y.waiting(id)
	got := y.begin(func(j jobs.Job, open []jobs.Run) jobs.Beginning {
		more := y.newRun(j, open[0].ScheduledAt)
		more.Fire = waits.ID
		elsewhere := y.runCommand(more)
		elsewhere.Worker = y.other.ID
		return jobs.Beginning{Runs: []jobs.Start{{Run: open[0], Command: y.runCommand(open[0])}, {Run: more, Command: elsewhere}}}
	}, id)
	if len(got) != 2 {
		t.Fatalf("there began %+v", got)
	}
	for i, w := range []core.WorkerID{y.w.ID, y.other.ID} {
		if r := y.run(got[i].ID); r.Worker != w || r.Fire != waits.ID || r.Command == "" {
			t.Errorf("one is %+v", r)
		}
	}
}

func TestARunThatWaitedIsGivenUp(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	waits := y.waiting(id)
	y.begin(func(_ jobs.Job, open []jobs.Run) jobs.Beginning {
		open[0].State, open[0].ErrorCode, open[0].Error = jobs.RunSkipped, "run.no_worker", "no worker came"
		return jobs.Beginning{Runs: []jobs.Start{{Run: open[0]}}}
	}, id)
	if r := y.run(waits.ID); r.State != jobs.RunSkipped || r.ErrorCode != "run.no_worker" || r.Error != "no worker came" || !r.FinishedAt.Equal(y.at) {
		t.Errorf("it is %+v", r)
	}
	if j := y.job(id); j.LastState != jobs.RunSkipped || j.Standing() != jobs.StandingFailing {
		t.Errorf("its job is %+v", j)
	}
}

func TestOpenRunsGiveWayToOneThatWaits(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	sent := y.fired(id)
	y.sentRun(sent)
	y.waiting(id)
	y.begin(func(_ jobs.Job, open []jobs.Run) jobs.Beginning {
		return jobs.Beginning{Replace: []core.RunID{sent.ID}}
	}, id)
	if r := y.run(sent.ID); !r.Cancelling || r.State != jobs.RunQueued {
		t.Errorf("it is %+v", r)
	}
	y.begin(func(_ jobs.Job, open []jobs.Run) jobs.Beginning {
		return jobs.Beginning{Replace: []core.RunID{"run_none"}}
	}, "job_none")
}

// TestWhatHasBegunDoesNotBeginAgain: by somebody who does not know it.
func TestWhatHasBegunDoesNotBeginAgain(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	r := y.fired(id)
	got := y.begin(func(_ jobs.Job, open []jobs.Run) jobs.Beginning {
		return jobs.Beginning{Runs: []jobs.Start{{Run: open[0], Command: y.runCommand(open[0])}}}
	}, id)
	if n := y.count(t, `SELECT count(*) FROM commands`); len(got) != 0 || n != 1 || y.run(r.ID).Command != r.Command {
		t.Errorf("it began again: %+v, with %d commands", got, n)
	}
}

func TestManyRunsBeginTogether(t *testing.T) {
	y := openYard(t)
	ids := y.manyJobs(130)
	for _, id := range ids {
		y.waiting(id)
	}
	got := y.begin(func(_ jobs.Job, open []jobs.Run) jobs.Beginning {
		return jobs.Beginning{Runs: []jobs.Start{{Run: open[0], Command: y.runCommand(open[0])}}}
	}, ids...)
	if n := y.count(t, `SELECT count(*) FROM job_runs r JOIN commands c ON c.id = r.command_id AND c.run_id = r.id`); len(got) != 130 || n != 130 {
		t.Errorf("%d began, %d have commands", len(got), n)
	}
}

func TestWhichRunsWait(t *testing.T) {
	y := openYard(t)
	waiting := func() ([]core.JobID, time.Time) {
		t.Helper()
		ids, next, err := y.WaitingRuns(t.Context(), y.at)
		y.must(err)
		return ids, next
	}
	if ids, next := waiting(); len(ids) != 0 || !next.IsZero() {
		t.Errorf("nothing waits: %v, %v", ids, next)
	}
	young, old, busy, later := y.dueJob("young"), y.dueJob("old"), y.dueJob("busy"), y.dueJob("later")
	y.waiting(old)
	y.waiting(young)
	y.waiting(old)
	y.fired(busy)
	cancelled := y.waiting(busy)
	_, err := y.CancelRun(t.Context(), cancelled.ID, someone)
	y.must(err)
	soon, far := y.at.Add(time.Minute), y.at.Add(time.Hour)
	for _, at := range []time.Time{far, soon} {
		r := y.waiting(later)
		y.exec(t, `UPDATE job_runs SET not_before = ? WHERE id = ?`, at.UnixMicro(), r.ID)
	}
	if ids, next := waiting(); !slices.Equal(ids, []core.JobID{old, young}) || !next.Equal(soon) {
		t.Errorf("there wait %v, the next from %v", ids, next)
	}
	y.at = soon
	if ids, next := waiting(); !slices.Equal(ids, []core.JobID{old, young, later}) || !next.Equal(far) {
		t.Errorf("then there wait %v, the next from %v", ids, next)
	}
}

func TestTheRunsThatAStackWaitsFor(t *testing.T) {
	y := openYard(t)
	y.exec(t, `INSERT INTO repositories (id, name, url, branch, head, fetched_at, error_code, error, asked_at, asked_by, created_at, updated_at) VALUES ('rep_2', 'other', '', '', '', 0, '', '', 0, '', 0, 0)`)
	var running []core.RunID
	for i, path := range []string{"web", "web/jobs/backup", "webs", "api", "", "wéb/x"} {
		id := y.dueJob(fmt.Sprint("job-", i))
		y.exec(t, `UPDATE jobs SET path = ? WHERE id = ?`, path, id)
		r := y.fired(id)
		y.sentRun(r)
		y.must(y.SaveRunLog(t.Context(), []jobs.Progress{{Run: r.ID, StartedAt: y.tick()}}, nil))
		running = append(running, r.ID)
		y.waiting(id)
	}
	for sentence, c := range map[string]struct {
		repository core.RepositoryID
		path       string
		want       []core.RunID
	}{
		"its folder and those below": {"rep_1", "web", running[:2]},
		"a folder without jobs":      {"rep_1", "we", nil},
		"a folder below":             {"rep_1", "web/jobs", running[1:2]},
		"not only plain letters":     {"rep_1", "wéb", running[5:]},
		"the root":                   {"rep_1", "", running},
		"another repository":         {"rep_2", "", nil},
	} {
		st := y.add("stack")
		y.exec(t, `UPDATE stacks SET repository_id = ?, path = ? WHERE id = ?`, c.repository, c.path, st)
		runs, err := y.StackRuns(t.Context(), st)
		y.must(err)
		var got []core.RunID
		for _, r := range runs {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", sentence, got, c.want)
		}
		y.exec(t, `DELETE FROM stacks`)
	}
	_, err := y.StackRuns(t.Context(), "stk_none")
	y.refused("no stack", err, "stack.not_found")
}

func TestWorkersThatGoLeaveNoRunOpen(t *testing.T) {
	all := plain()
	all.Mode = jobs.ModeOnceAll
	of := func(d jobs.Definition, run func(*yard, core.JobID) jobs.Run) func(*yard) jobs.Run {
		return func(y *yard) jobs.Run {
			id := y.addJob("backup")
			y.readJob(id, d, y.at)
			return run(y, id)
		}
	}
	unsent := func(y *yard, id core.JobID) jobs.Run { return y.fired(id) }
	sent := func(y *yard, id core.JobID) jobs.Run { r := y.fired(id); y.sentRun(r); return r }
	pinned := func(y *yard, id core.JobID) jobs.Run {
		r := y.waiting(id)
		y.exec(y.t, `UPDATE job_runs SET worker_id = ? WHERE id = ?`, y.w.ID, r.ID)
		return r
	}
	spoilt := func(y *yard, id core.JobID) jobs.Run {
		r := y.fired(id)
		y.exec(y.t, `UPDATE job_runs SET definition = '['`)
		return r
	}
	for sentence, c := range map[string]struct {
		run  func(*yard) jobs.Run
		want jobs.RunState
	}{
		"it was sent":                {of(plain(), sent), jobs.RunLost},
		"it was sent to each worker": {of(all, sent), jobs.RunLost},
		"it runs":                    {(*yard).runningRun, jobs.RunLost},
		"it was not sent":            {of(plain(), unsent), jobs.RunQueued},
		"it was not sent, and is for each worker":        {of(all, unsent), jobs.RunSkipped},
		"it waits for this worker":                       {of(plain(), pinned), jobs.RunQueued},
		"it waits for this worker, as one for each does": {of(all, pinned), jobs.RunSkipped},
		"it was not sent and cannot be read":             {of(plain(), spoilt), jobs.RunSkipped},
		"it waits for any worker":                        {of(plain(), (*yard).waiting), jobs.RunQueued},
	} {
		for _, way := range []string{"revoked", "deleted"} {
			y := openYard(t)
			r := c.run(y)
			y.tick()
			if way == "revoked" {
				_, err := y.RevokeWorker(t.Context(), y.w.ID, someone.Audit("worker.revoke", string(y.w.ID), ""))
				y.must(err)
			} else {
				y.must(y.DeleteWorker(t.Context(), y.w.ID, someone.Audit("worker.delete", string(y.w.ID), "")))
			}
			y.exec(t, `UPDATE job_runs SET definition = '{}'`)
			got := y.run(r.ID)
			if got.State != c.want || c.want.Ended() && (got.ErrorCode != "run.worker_gone" || got.Error == "" || got.FinishedAt.IsZero()) || !c.want.Ended() && (got.Worker != "" || got.Command != "") {
				t.Errorf("%s, %s: it is %+v", way, sentence, got)
			}
			if n := y.count(t, `SELECT count(*) FROM commands WHERE ended_at = 0`); n != 0 {
				t.Errorf("%s, %s: a command is open", way, sentence)
			}
			if ids, _, err := y.WaitingRuns(t.Context(), y.at); err != nil || len(ids) != map[bool]int{true: 0, false: 1}[c.want.Ended()] {
				t.Errorf("%s, %s: there wait %v, %v", way, sentence, ids, err)
			}
		}
	}
}

// TestTheWordOfACommandThatWasTakenBackEndsNothing: the run is another worker's by now.
func TestTheWordOfACommandThatWasTakenBackEndsNothing(t *testing.T) {
	y := openYard(t)
	r := y.fired(y.dueJob("backup"))
	_, err := y.RevokeWorker(t.Context(), y.w.ID, someone.Audit("worker.revoke", string(y.w.ID), ""))
	y.must(err)
	if y.endRun(r, jobs.RunSucceeded) {
		t.Error("it ended")
	}
	got := y.begin(func(_ jobs.Job, open []jobs.Run) jobs.Beginning {
		c := y.runCommand(open[0])
		c.Worker = y.other.ID
		return jobs.Beginning{Runs: []jobs.Start{{Run: open[0], Command: c}}}
	}, r.Job)
	if y.endRun(r, jobs.RunSucceeded) || !y.endRun(got[0], jobs.RunSucceeded) {
		t.Error("not the word of its worker ended it")
	}
	if c, err := y.Command(t.Context(), y.w.ID, r.Command); err != nil || c.State != stacks.CommandCancelled {
		t.Errorf("what was taken back is %+v, %v", c, err)
	}
}

// TestRunsComeBackFromWorkersThatAreNotThere when they were not sent: to wait for any, or for the same one.
func TestRunsComeBackFromWorkersThatAreNotThere(t *testing.T) {
	for sentence, c := range map[string]struct {
		worker string // what is changed of one that is there and takes runs
		mode   jobs.Mode
		change string // of the run or its command
		waits  bool
		stays  bool // with its worker
	}{
		"it is there":                 {`runs = 1`, jobs.ModeOnce, ``, false, true},
		"it is away":                  {`left_at = 2`, jobs.ModeOnce, ``, true, false},
		"it does not take runs":       {`runs = 0`, jobs.ModeOnce, ``, true, false},
		"it is away, one of all":      {`left_at = 2`, jobs.ModeOnceAll, ``, true, true},
		"it is away with what it has": {`left_at = 2`, jobs.ModeOnce, `UPDATE commands SET state = 'sent'`, false, true},
		"what is away cannot be read": {`left_at = 2`, jobs.ModeOnce, `UPDATE job_runs SET given = '{'`, false, true},
	} {
		y := openYard(t)
		y.exec(t, `UPDATE workers SET connected_at = 1, left_at = 0, runs = 1`)
		y.exec(t, `UPDATE workers SET `+c.worker+` WHERE id = ?`, y.w.ID)
		d, id := plain(), y.addJob("backup")
		d.Mode = c.mode
		y.readJob(id, d, y.at)
		r := y.fired(id)
		if c.change != "" {
			y.exec(t, c.change)
		}
		for range 2 {
			y.must(y.TakeBackRuns(t.Context()))
		}
		y.exec(t, `UPDATE job_runs SET given = '[]'`)
		if got := y.run(r.ID); got.State != jobs.RunQueued || (got.Command == "") != c.waits || (got.Worker == y.w.ID) != c.stays {
			t.Errorf("%s: the run is %+v", sentence, got)
		}
		if cmd, err := y.Command(t.Context(), y.w.ID, r.Command); err != nil || (cmd.State == stacks.CommandCancelled) != c.waits {
			t.Errorf("%s: the command is %+v, %v", sentence, cmd, err)
		}
	}
}
