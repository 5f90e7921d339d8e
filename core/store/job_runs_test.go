package store_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
)

func TestARunThatIsAskedForTakesWhatItsJobSays(t *testing.T) {
	y := openYard(t)
	id, values := y.dueJob("backup"), envelope(t)
	j := y.job(id)
	r, err := y.QueueRun(t.Context(), jobs.Run{ID: "run_1", Job: id, Trigger: jobs.TriggerAPI, Actor: "ci", Overrides: []string{"TOKEN", "DAY"}, State: jobs.RunRunning, Worker: "wrk_x", Command: "cmd_x"},
		values, someone)
	y.must(err)
	want := jobs.Run{ID: "run_1", Fire: "run_1", Job: id, State: jobs.RunQueued, Trigger: jobs.TriggerAPI, Actor: "ci", ScheduledAt: y.at, Commit: j.Commit, Definition: j.Definition, Configs: j.Configs,
		Overrides: []string{"TOKEN", "DAY"}, Attempt: 1, QueuedAt: y.at}
	if !reflect.DeepEqual(r, want) || !reflect.DeepEqual(y.run("run_1"), want) {
		t.Errorf("it is\n%+v, want\n%+v", r, want)
	}
	if sealed, err := y.RunOverrides(t.Context(), "run_1"); err != nil || !slices.Equal(sealed, values) {
		t.Errorf("its values are %v, %v", sealed, err)
	}
	if y.audits("job.run") != 1 {
		t.Error("it was not audited")
	}
	y.readJob(id, jobs.Definition{Image: "newer", Mode: jobs.ModeOnceAll}, y.at)
	if r := y.run("run_1"); r.Definition.Image != "busybox" {
		t.Errorf("a newer commit changed it: %+v", r)
	}
}

func TestRunsThatAreRefused(t *testing.T) {
	y := openYard(t)
	unread, broken, full := y.addJob("unread"), y.dueJob("broken"), y.dueJob("full")
	y.exec(t, `UPDATE jobs SET error_code = 'job.invalid', error = 'line 3: it says nothing' WHERE id = ?`, broken)
	for range jobs.MaxWaiting {
		y.waiting(full)
	}
	for sentence, c := range map[string]struct {
		job  core.JobID
		code string
	}{
		"of no job":                            {"job_none", "job.not_found"},
		"of one that was not read":             {unread, "job.not_ready"},
		"of one whose file is broken":          {broken, "job.not_ready"},
		"of one for which as many wait as may": {full, "job.queue_full"},
	} {
		_, err := y.QueueRun(t.Context(), jobs.Run{ID: core.RunID("run_" + sentence), Job: c.job}, nil, someone)
		y.refused(sentence, err, c.code)
	}
	last, err := y.Runs(t.Context(), jobs.RunFilter{Job: full}, core.Page{Limit: 1})
	y.must(err)
	_, err = y.CancelRun(t.Context(), last.Items[0].ID, someone)
	y.must(err)
	y.waiting(full)
}

// TestWhatWasGivenIsForgottenWithTheLastRunOfItsFire: also when that is another attempt.
func TestWhatWasGivenIsForgottenWithTheLastRunOfItsFire(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	first, err := y.QueueRun(t.Context(), jobs.Run{ID: "run_1", Job: id, Overrides: []string{"A"}}, envelope(t), someone)
	y.must(err)
	other := y.waiting(id)
	given := func(want bool) {
		t.Helper()
		sealed, err := y.RunOverrides(t.Context(), first.ID)
		if y.must(err); (sealed != nil) != want {
			t.Errorf("what was given is %v", sealed)
		}
	}
	retry := y.newRun(y.job(id), y.at)
	retry.Fire, retry.RetryOf, retry.Attempt, retry.Trigger, retry.Overrides, retry.NotBefore = first.ID, first.ID, 2, jobs.TriggerRetry, first.Overrides, y.at.Add(time.Minute)
	y.endRun(first, jobs.RunFailed, func(o *jobs.Outcome) { o.Retry = &retry })
	given(true)
	y.endRun(other, jobs.RunFailed)
	given(true)
	if got := y.run(retry.ID); !reflect.DeepEqual(got, retry) {
		t.Errorf("the other attempt is\n%+v, want\n%+v", got, retry)
	}
	y.endRun(retry, jobs.RunSucceeded)
	given(false)
	_, err = y.RunOverrides(t.Context(), "run_none")
	y.refused("of no run", err, "run.not_found")
}

func TestHowARunIsCancelled(t *testing.T) {
	for sentence, c := range map[string]struct {
		run  func(*yard) jobs.Run
		want jobs.RunState
	}{
		"it waits":               {func(y *yard) jobs.Run { return y.waiting(y.dueJob("backup")) }, jobs.RunCancelled},
		"it was not sent":        {func(y *yard) jobs.Run { return y.fired(y.dueJob("backup")) }, jobs.RunCancelled},
		"its worker may have it": {func(y *yard) jobs.Run { r := y.fired(y.dueJob("backup")); y.sentRun(r); return r }, jobs.RunQueued},
		"it runs":                {(*yard).runningRun, jobs.RunRunning},
		"it cannot be read": {func(y *yard) jobs.Run {
			r := y.waiting(y.dueJob("backup"))
			y.exec(y.t, `UPDATE job_runs SET given = '{'`)
			return r
		}, jobs.RunCancelled},
	} {
		y := openYard(t)
		r := c.run(y)
		y.tick()
		got, err := y.CancelRun(t.Context(), r.ID, someone)
		y.must(err)
		if got.State != c.want || !got.Cancelling || got.CancelledBy != someone.Name || got.FinishedAt.IsZero() == c.want.Ended() {
			t.Errorf("%s: it is %+v", sentence, got)
		}
		if c.want.Ended() && (got.ErrorCode != "run.cancelled" || got.Error == "") {
			t.Errorf("%s: it does not say why: %+v", sentence, got)
		}
		if n := y.count(t, `SELECT count(*) FROM commands WHERE ended_at = 0`); c.want.Ended() && n != 0 {
			t.Errorf("%s: its command is open", sentence)
		}
		if f, err := y.JobFigures(t.Context()); err != nil || (len(f.Withdrawn) == 1) != c.want.Ended() || c.want.Ended() && f.Withdrawn[0] != (jobs.Withdrawal{Run: r.ID, At: got.FinishedAt}) {
			t.Errorf("%s: withdrawn are %+v, %v", sentence, f.Withdrawn, err)
		}
		again := someone
		again.Name = "eve"
		got, err = y.CancelRun(t.Context(), r.ID, again)
		if c.want.Ended() {
			y.refused(sentence+", again", err, "run.ended")
		} else if err != nil || got.CancelledBy != someone.Name {
			t.Errorf("%s, again: %+v, %v", sentence, got, err)
		}
		if y.job(r.Job).LastState != "" {
			t.Errorf("%s: the job says so", sentence)
		}
	}
	y := openYard(t)
	_, err := y.CancelRun(t.Context(), "run_none", someone)
	y.refused("no run", err, "run.not_found")
}

// runningRun is a run whose container was started.
func (y *yard) runningRun() jobs.Run {
	y.t.Helper()
	r := y.fired(y.dueJob("backup"))
	y.sentRun(r)
	y.must(y.SaveRunLog(y.t.Context(), []jobs.Progress{{Run: r.ID, StartedAt: y.tick(), Heard: jobs.Heard{Attempt: 1, Event: 1}}}, nil))
	return y.run(r.ID)
}

func TestHowARunEnds(t *testing.T) {
	three := 3
	for sentence, c := range map[string]struct {
		state   jobs.RunState
		exit    *int
		command stacks.CommandState
		tells   bool
	}{
		"well":         {jobs.RunSucceeded, new(int), stacks.CommandSucceeded, true},
		"badly":        {jobs.RunFailed, &three, stacks.CommandFailed, true},
		"cancelled":    {jobs.RunCancelled, nil, stacks.CommandCancelled, false},
		"nobody knows": {jobs.RunLost, nil, stacks.CommandFailed, true},
	} {
		y := openYard(t)
		r := y.runningRun()
		ends := y.at.Add(90 * time.Second)
		y.at = ends
		if !y.endRun(r, c.state, func(o *jobs.Outcome) { o.At, o.ExitCode, o.ErrorCode, o.Error = ends, c.exit, "run.x", "why" }) {
			t.Errorf("%s: it was no news", sentence)
		}
		want := r
		want.State, want.ExitCode, want.ErrorCode, want.Error, want.FinishedAt = c.state, c.exit, "run.x", "why", ends
		if got := y.run(r.ID); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: it is\n%+v, want\n%+v", sentence, got, want)
		}
		if cmd, err := y.Command(t.Context(), y.w.ID, r.Command); err != nil || cmd.State != c.command {
			t.Errorf("%s: its command is %s, %v", sentence, cmd.State, err)
		}
		j, f := y.job(r.Job), y.jobFigure()
		if c.tells != (j.LastState == c.state) || c.tells != (f.LastState == c.state) || j.LastSuccessAt.Equal(ends) != (c.state == jobs.RunSucceeded) {
			t.Errorf("%s: the job is %+v", sentence, j)
		}
		if c.tells && f.LastSeconds < 89 || f.LastSeconds > 90 {
			t.Errorf("%s: it took %f s", sentence, f.LastSeconds)
		}
		if y.endRun(r, jobs.RunFailed) || y.run(r.ID).State != c.state {
			t.Errorf("%s: it ended again", sentence)
		}
	}
}

func (y *yard) jobFigure() jobs.Figure {
	y.t.Helper()
	f, err := y.JobFigures(y.t.Context())
	y.must(err)
	if len(f.Jobs) != 1 {
		y.t.Fatalf("there are %+v", f.Jobs)
	}
	return f.Jobs[0]
}

// TestWhoseWordEndsARun: that of its open command, or the hub's own.
func TestWhoseWordEndsARun(t *testing.T) {
	sent := func(y *yard) jobs.Run { r := y.fired(y.dueJob("backup")); y.sentRun(r); return r }
	unsent := func(y *yard) jobs.Run { return y.fired(y.dueJob("backup")) }
	waits := func(y *yard) jobs.Run { return y.waiting(y.dueJob("backup")) }
	closed := func(y *yard) jobs.Run { r := sent(y); y.exec(y.t, `UPDATE commands SET ended_at = 1`); return r }
	for sentence, c := range map[string]struct {
		run  func(*yard) jobs.Run
		o    func(jobs.Run) jobs.Outcome
		want bool
	}{
		"its command":                          {sent, func(r jobs.Run) jobs.Outcome { return jobs.Outcome{Command: r.Command} }, true},
		"another command":                      {sent, func(jobs.Run) jobs.Outcome { return jobs.Outcome{Command: "cmd_x"} }, false},
		"a command of one that waits":          {waits, func(jobs.Run) jobs.Outcome { return jobs.Outcome{Command: "cmd_x"} }, false},
		"its command, which is closed":         {closed, func(r jobs.Run) jobs.Outcome { return jobs.Outcome{Command: r.Command} }, false},
		"the hub":                              {sent, func(jobs.Run) jobs.Outcome { return jobs.Outcome{} }, true},
		"the hub, of one that waits":           {waits, func(jobs.Run) jobs.Outcome { return jobs.Outcome{} }, true},
		"the hub, of one whose command closed": {closed, func(jobs.Run) jobs.Outcome { return jobs.Outcome{} }, true},
		"only unsent, and it was sent":         {sent, func(jobs.Run) jobs.Outcome { return jobs.Outcome{OnlyUnsent: true} }, false},
		"only unsent, and it was not":          {unsent, func(jobs.Run) jobs.Outcome { return jobs.Outcome{OnlyUnsent: true} }, true},
		"only unsent, and it waits":            {waits, func(jobs.Run) jobs.Outcome { return jobs.Outcome{OnlyUnsent: true} }, true},
	} {
		y := openYard(t)
		r := c.run(y)
		o := c.o(r)
		o.Run, o.State, o.At = r.ID, jobs.RunFailed, y.tick()
		news, err := y.EndRun(t.Context(), o, []jobs.LogPiece{{Run: r.ID, Number: 1, Text: "x"}})
		if y.must(err); news != c.want || y.run(r.ID).State.Ended() != c.want {
			t.Errorf("%s: news %v, it is %+v", sentence, news, y.run(r.ID))
		}
		if n := y.count(t, `SELECT count(*) FROM job_run_log`); (n == 1) != c.want {
			t.Errorf("%s: %d pieces of its log are stored", sentence, n)
		}
	}
	y := openYard(t)
	_, err := y.EndRun(t.Context(), jobs.Outcome{Run: "run_none", State: jobs.RunFailed}, nil)
	y.refused("no run", err, "run.not_found")
}

func TestALogIsStoredWithHowFarItsRunHasCome(t *testing.T) {
	y := openYard(t)
	r := y.fired(y.dueJob("backup"))
	other := y.waiting(r.Job)
	recorded := func(want jobs.Recorded) {
		t.Helper()
		if got, err := y.RunRecorded(t.Context(), r.ID); err != nil || got != want {
			t.Errorf("recorded is %+v, %v; want %+v", got, err, want)
		}
	}
	recorded(jobs.Recorded{})
	piece := func(id core.RunID, n uint64, text string) jobs.LogPiece {
		return jobs.LogPiece{Run: id, Number: n, At: y.at, Text: text}
	}
	// How far a log is told is the worker's own word.
	heard := func(n uint64) jobs.Heard {
		return jobs.Heard{Attempt: 1, Event: n, LogTo: fmt.Sprint("177233674612345600", n, " 0")}
	}
	y.must(y.SaveRunLog(t.Context(), []jobs.Progress{{Run: r.ID, Heard: heard(3)}}, []jobs.LogPiece{piece(r.ID, 1, "grüezi\n"), piece(r.ID, 2, "two\n"), piece(other.ID, 1, "other"), piece("run_none", 1, "gone")}))
	recorded(jobs.Recorded{Number: 2, Bytes: 12, Heard: heard(3)})
	if got := y.run(r.ID); got.State != jobs.RunQueued {
		t.Errorf("it is %s before its container was started", got.State)
	}
	began := y.tick()
	y.must(y.SaveRunLog(t.Context(), []jobs.Progress{{Run: r.ID, StartedAt: began, Heard: heard(4)}, {Run: other.ID, StartedAt: began}, {Run: "run_none", StartedAt: began}}, []jobs.LogPiece{piece(r.ID, 2, "another two"), piece(r.ID, 3, "three")}))
	recorded(jobs.Recorded{Number: 3, Bytes: 17, Heard: heard(4)})
	if got := y.run(r.ID); got.State != jobs.RunRunning || !got.StartedAt.Equal(began) {
		t.Errorf("it is %+v", got)
	}
	if got := y.run(other.ID); got.State != jobs.RunQueued {
		t.Errorf("one that was given to nobody is %s", got.State)
	}
	y.must(y.SaveRunLog(t.Context(), []jobs.Progress{{Run: r.ID, StartedAt: y.tick(), Heard: heard(4)}}, nil))
	if got := y.run(r.ID); !got.StartedAt.Equal(began) {
		t.Errorf("it began anew: %+v", got)
	}
	read := func(after uint64, limit int) (text string) {
		log, err := y.RunLog(t.Context(), r.ID, after, limit)
		y.must(err)
		for _, p := range log {
			text += fmt.Sprintf("%d:%s|", p.Number, p.Text)
		}
		return text
	}
	for got, want := range map[string]string{read(0, 10): "1:grüezi\n|2:two\n|3:three|", read(0, 1): "1:grüezi\n|", read(1, 1): "2:two\n|", read(3, 9): ""} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	y.endRun(r, jobs.RunSucceeded)
	y.must(y.SaveRunLog(t.Context(), []jobs.Progress{{Run: r.ID, Heard: heard(9)}}, []jobs.LogPiece{piece(r.ID, 4, "late")}))
	recorded(jobs.Recorded{Number: 3, Bytes: 17, Heard: heard(4)})
	_, err := y.RunRecorded(t.Context(), "run_none")
	y.refused("no run", err, "run.not_found")
}

func TestRunsAreListedNewestFirst(t *testing.T) {
	y := openYard(t)
	a, b := y.dueJob("a"), y.dueJob("b")
	var ids []core.RunID
	for i := range 6 {
		r := y.waiting([]core.JobID{a, b}[i%2])
		ids = append(ids, r.ID)
		if i < 2 {
			y.endRun(r, jobs.RunFailed)
		}
	}
	for sentence, c := range map[string]struct {
		f    jobs.RunFilter
		want []core.RunID
	}{
		"all":                   {jobs.RunFilter{}, []core.RunID{ids[5], ids[4], ids[3], ids[2], ids[1], ids[0]}},
		"of a job":              {jobs.RunFilter{Job: a}, []core.RunID{ids[4], ids[2], ids[0]}},
		"in a state":            {jobs.RunFilter{State: jobs.RunFailed}, []core.RunID{ids[1], ids[0]}},
		"of a job in a state":   {jobs.RunFilter{Job: b, State: jobs.RunQueued}, []core.RunID{ids[5], ids[3]}},
		"of a job there is not": {jobs.RunFilter{Job: "job_none"}, nil},
	} {
		var got []core.RunID
		for after := ""; ; {
			list, err := y.Runs(t.Context(), c.f, core.Page{After: after, Limit: 2})
			y.must(err)
			for _, r := range list.Items {
				got = append(got, r.ID)
			}
			if after = list.Next; after == "" {
				break
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", sentence, got, c.want)
		}
	}
	y.exec(t, `UPDATE job_runs SET definition = '{' WHERE id = ?`, ids[3])
	list, err := y.Runs(t.Context(), jobs.RunFilter{Job: b}, core.Page{Limit: 10})
	if err != nil || len(list.Items) != 2 || !slices.Equal(list.LeftOut, []string{string(ids[3])}) {
		t.Errorf("there are %+v, %v", list, err)
	}
	_, err = y.Run(t.Context(), ids[3])
	y.refused("one that cannot be read", err, "store.unreadable")
	recent, err := y.RecentRuns(t.Context(), []core.JobID{a, b, "job_none"}, 2)
	y.must(err)
	of := func(id core.JobID) (ids []core.RunID) {
		for _, r := range recent[id] {
			ids = append(ids, r.ID)
		}
		return ids
	}
	if len(recent) != 2 || !slices.Equal(of(a), []core.RunID{ids[4], ids[2]}) || !slices.Equal(of(b), []core.RunID{ids[5], ids[3]}) {
		t.Errorf("recent are %v and %v", of(a), of(b))
	}
	for i, whole := range []bool{true, false} { // both of a are in one state
		if r := recent[a][i]; (r.Trigger != "") != whole || r.State == "" || r.QueuedAt.IsZero() || r.Job != a {
			t.Errorf("run %d of one state is %+v, whole %t", i, r, whole)
		}
	}
	if none, err := y.RecentRuns(t.Context(), nil, 2); err != nil || len(none) != 0 {
		t.Errorf("of no jobs: %v, %v", none, err)
	}
}

func TestRecentRunsOfMoreJobsThanOneStatementReads(t *testing.T) {
	y := openYard(t)
	ids := y.manyJobs(120)
	for _, id := range ids {
		y.exec(t, `INSERT INTO job_runs (id, job_id, fire_id, state, trigger, actor, scheduled_at, commit_hash, worker_id, command_id, retry_of, attempt, not_before, error_code, error, cancelling, cancelled_by,
			queued_at, started_at, finished_at, definition, configs, given) VALUES (?, ?, '', 'failed', '', '', 0, '', '', '', '', 1, 0, '', '', 0, '', 0, 0, 0, '{}', '[]', '[]')`, "run_of_"+string(id), id)
	}
	recent, err := y.RecentRuns(t.Context(), ids, 30)
	if err != nil || len(recent) != 120 {
		t.Fatalf("%d, %v", len(recent), err)
	}
	for id, runs := range recent {
		if len(runs) != 1 || runs[0].Job != id {
			t.Errorf("of %s there are %+v", id, runs)
		}
	}
}
