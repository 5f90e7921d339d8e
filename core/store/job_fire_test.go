package store_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/hubs"
	"berth/core/jobs"
	"berth/core/stacks"
	"berth/core/store"
)

func TestATimeFiresWithItsRunAndItsCommand(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	at := y.job(id).NextAt
	r := y.fired(id)
	j := y.job(id)
	if !j.NextAt.Equal(at.Add(time.Hour)) || !j.FiredAt.Equal(at) || j.Missed != 0 || !j.MissedAt.IsZero() || j.LastState != "" {
		t.Errorf("the job is %+v", j)
	}
	if r.State != jobs.RunQueued || !r.ScheduledAt.Equal(at) || r.Worker != y.w.ID || r.Fire != r.ID || !reflect.DeepEqual(r.Definition, j.Definition) || !reflect.DeepEqual(r.Configs, j.Configs) {
		t.Errorf("the run is %+v", r)
	}
	c, err := y.Command(t.Context(), y.w.ID, r.Command)
	if err != nil || c.Run != r.ID || c.Kind != stacks.CommandRun || c.State != stacks.CommandQueued {
		t.Errorf("the command is %+v, %v", c, err)
	}
	if n := y.count(t, `SELECT count(*) FROM job_fires WHERE job_id = ? AND scheduled_at = ?`, id, at.UnixMicro()); n != 1 {
		t.Errorf("%d fires are stored", n)
	}
}

func TestWhatDoesNotFire(t *testing.T) {
	for sentence, change := range map[string]string{
		"one that is due later":       `UPDATE jobs SET next_at = next_at + 3600000000 WHERE id = ?`,
		"one that is due never":       `UPDATE jobs SET next_at = 0 WHERE id = ?`,
		"one that is paused":          `UPDATE jobs SET paused = 1 WHERE id = ?`,
		"one that is gone":            `DELETE FROM jobs WHERE id = ?`,
		"one that cannot be read":     `UPDATE jobs SET definition = '[' WHERE id = ?`,
		"one whose files are no more": `UPDATE jobs SET configs = '{' WHERE id = ?`,
	} {
		y := openYard(t)
		still, good := y.dueJob("still"), y.dueJob("good")
		y.exec(t, change, still)
		runs, err := y.Fire(t.Context(), []core.JobID{still, good}, y.at, func(j jobs.Job, _ []jobs.Run) jobs.Firing { return y.firing(j) })
		y.must(err)
		if len(runs) != 1 || runs[0].Job != good {
			t.Errorf("%s: there fired %+v", sentence, runs)
		}
	}
}

// TestATimeNeverFiresTwice: whatever the row of a job says, as after a clock was set back or a backup was put
// in place, its fires say which times were.
func TestATimeNeverFiresTwice(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	at := y.job(id).NextAt
	r := y.fired(id)
	waits := y.waiting(id)
	y.exec(t, `UPDATE jobs SET next_at = ?, fired_at = 0 WHERE id = ?`, at.UnixMicro(), id)
	runs, err := y.Fire(t.Context(), []core.JobID{id}, y.at, func(j jobs.Job, open []jobs.Run) jobs.Firing {
		f := y.firing(j)
		f.Missed, f.Replace = 2, []core.RunID{r.ID, waits.ID}
		return f
	})
	if j := y.job(id); err != nil || len(runs) != 0 || !j.NextAt.Equal(at.Add(time.Hour)) || j.Missed != 2 {
		t.Errorf("there are %+v, %v, of %+v", runs, err, j)
	}
	if y.run(r.ID).Cancelling || y.run(waits.ID).State != jobs.RunQueued {
		t.Error("open runs are stopped for a time that does not fire")
	}
}

func TestTimesThatAreGivenUp(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	was := y.job(id)
	runs, err := y.Fire(t.Context(), []core.JobID{id}, y.at, func(j jobs.Job, _ []jobs.Run) jobs.Firing {
		return jobs.Firing{Missed: 3, FiredAt: y.at.Add(-time.Minute), Next: y.at.Add(time.Hour)}
	})
	j := y.job(id)
	if err != nil || len(runs) != 0 || j.Missed != 3 || !j.MissedAt.Equal(y.at) || !j.FiredAt.Equal(y.at.Add(-time.Minute)) || !j.NextAt.Equal(y.at.Add(time.Hour)) || was.Missed != 0 {
		t.Errorf("there are %+v, %v, of %+v", runs, err, j)
	}
	if n := y.count(t, `SELECT count(*) FROM job_fires`); n != 0 {
		t.Errorf("%d fires are stored", n)
	}
	if stands := j.Standing(); stands != jobs.StandingMissed {
		t.Errorf("it stands %s", stands)
	}
}

func TestWhatARunThatEndedAtOnceSaysOfItsJob(t *testing.T) {
	for sentence, c := range map[string]struct {
		state jobs.RunState
		code  string
		want  jobs.RunState
	}{
		"another run was open":  {jobs.RunSkipped, "run.overlap", ""},
		"too many wait already": {jobs.RunSkipped, "run.queue_full", ""},
		"no worker came":        {jobs.RunSkipped, "run.no_worker", jobs.RunSkipped},
		"the policy forbids it": {jobs.RunFailed, "run.refused", jobs.RunFailed},
	} {
		y := openYard(t)
		id := y.dueJob("backup")
		runs, err := y.Fire(t.Context(), []core.JobID{id}, y.at, func(j jobs.Job, _ []jobs.Run) jobs.Firing {
			f := y.firing(j)
			f.Runs[0].Run.State, f.Runs[0].Run.ErrorCode, f.Runs[0].Run.Error = c.state, c.code, "why"
			return f
		})
		y.must(err)
		r := y.run(runs[0].ID)
		if r.State != c.state || r.ErrorCode != c.code || r.Error != "why" || r.Command != "" || r.FinishedAt.IsZero() || y.job(id).LastState != c.want {
			t.Errorf("%s: the run is %+v, of %q", sentence, r, y.job(id).LastState)
		}
		if n := y.count(t, `SELECT count(*) FROM commands`); n != 0 {
			t.Errorf("%s: %d commands are stored", sentence, n)
		}
	}
}

// TestRunsThatGiveWay: of what is replaced only what its worker may have goes on until that has stopped it.
func TestRunsThatGiveWay(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	sent := y.fired(id)
	y.sentRun(sent)
	y.exec(t, `UPDATE jobs SET next_at = 1 WHERE id = ?`, id)
	unsent, waits := y.fired(id), y.waiting(id)
	y.exec(t, `UPDATE jobs SET next_at = ? WHERE id = ?`, y.at.UnixMicro(), id)
	var seen []core.RunID
	runs, err := y.Fire(t.Context(), []core.JobID{id}, y.at, func(j jobs.Job, open []jobs.Run) jobs.Firing {
		f := y.firing(j)
		f.Runs[0].Command = nil
		for _, r := range open {
			seen, f.Replace = append(seen, r.ID), append(f.Replace, r.ID)
		}
		return f
	})
	y.must(err)
	if want := []core.RunID{sent.ID, unsent.ID, waits.ID}; !reflect.DeepEqual(seen, want) {
		t.Errorf("open were %v, want %v", seen, want)
	}
	for _, id := range []core.RunID{unsent.ID, waits.ID} {
		if r := y.run(id); r.State != jobs.RunCancelled || r.ErrorCode != "run.replaced" || r.CancelledBy != "system" || r.FinishedAt.IsZero() {
			t.Errorf("what was not sent is %+v", r)
		}
	}
	if r := y.run(sent.ID); r.State != jobs.RunQueued || !r.Cancelling || r.CancelledBy != "system" {
		t.Errorf("what was sent is %+v", r)
	}
	if c, err := y.Command(t.Context(), y.w.ID, unsent.Command); err != nil || c.State != stacks.CommandCancelled {
		t.Errorf("the command that was not sent is %+v, %v", c, err)
	}
	if r := y.run(runs[0].ID); r.State != jobs.RunQueued || r.Command != "" {
		t.Errorf("the new one is %+v", r)
	}
	all, err := y.CancelledRuns(t.Context())
	if err != nil || len(all) != 1 || all[0].ID != sent.ID {
		t.Errorf("to be stopped are %+v, %v", all, err)
	}
}

// TestAnOpenRunThatCannotBeReadIsCounted: it is open, whatever it is.
func TestAnOpenRunThatCannotBeReadIsCounted(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	r := y.fired(id)
	y.exec(t, `UPDATE job_runs SET definition = '['`)
	y.exec(t, `UPDATE jobs SET next_at = 1 WHERE id = ?`, id)
	_, err := y.Fire(t.Context(), []core.JobID{id}, y.at, func(j jobs.Job, open []jobs.Run) jobs.Firing {
		if len(open) != 1 || open[0].ID != r.ID || open[0].Worker != y.w.ID || open[0].State != jobs.RunQueued {
			t.Errorf("open are %+v", open)
		}
		return jobs.Firing{Replace: []core.RunID{r.ID}, At: y.at, FiredAt: y.at}
	})
	y.must(err)
	if n := y.count(t, `SELECT count(*) FROM job_runs WHERE state = 'cancelled'`); n != 1 {
		t.Error("it was not cancelled")
	}
}

// TestManyJobsFireTogether: more than one statement holds.
func TestManyJobsFireTogether(t *testing.T) {
	y := openYard(t)
	ids := y.manyJobs(230)
	runs, err := y.Fire(t.Context(), ids, y.at, func(j jobs.Job, _ []jobs.Run) jobs.Firing {
		f := y.firing(j)
		second := y.newRun(j, j.NextAt)
		second.Fire = f.Runs[0].Run.ID
		f.Runs = append(f.Runs, jobs.Start{Run: second, Command: y.runCommand(second)})
		return f
	})
	if err != nil || len(runs) != 460 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for query, want := range map[string]int{
		`SELECT count(*) FROM job_fires`:                                                                                           230,
		`SELECT count(*) FROM jobs WHERE next_at > fired_at AND fired_at > 0`:                                                      230,
		`SELECT count(*) FROM job_runs WHERE state = 'queued'`:                                                                     460,
		`SELECT count(*) FROM job_runs r JOIN commands c ON c.id = r.command_id AND c.run_id = r.id AND c.worker_id = r.worker_id`: 460,
		`SELECT count(*) FROM job_runs r JOIN job_runs f ON f.id = r.fire_id WHERE f.job_id = r.job_id`:                            460,
	} {
		if n := y.count(t, query); n != want {
			t.Errorf("%s: %d, want %d", query, n, want)
		}
	}
}

// manyJobs makes jobs that are due now.
func (y *yard) manyJobs(n int) (ids []core.JobID) {
	y.t.Helper()
	for i := range n {
		ids = append(ids, y.addJob(fmt.Sprintf("job-%04d", i)))
	}
	at := y.tick()
	sights := make([]jobs.Sight, n)
	for i, id := range ids {
		sights[i] = jobs.Sight{Job: id, Commit: "c1", Tree: "t1", Definition: plain()}
	}
	y.must(y.RecordSights(y.t.Context(), sights, func(jobs.Job) time.Time { return at }))
	return ids
}

// TestTwoHubsFireTheSameJobs at the same time, over connections of their own: each time fires once.
func TestTwoHubsFireTheSameJobs(t *testing.T) {
	y := openYard(t)
	ids := y.manyJobs(40)
	now := y.at
	fire := func(s *store.Store) (runs []jobs.Run, err error) {
		for err == nil {
			due, next, read := s.DueJobs(t.Context(), now, 7)
			if len(due) == 0 {
				return runs, errors.Join(read, onlyLater(next, now))
			}
			var some []core.JobID
			for _, j := range due {
				some = append(some, j.ID)
			}
			var more []jobs.Run
			more, err = s.Fire(t.Context(), some, now, func(j jobs.Job, _ []jobs.Run) jobs.Firing {
				r := jobs.Run{ID: core.RunID(core.NewID(core.PrefixRun, now)), Job: j.ID, State: jobs.RunQueued, ScheduledAt: j.NextAt, QueuedAt: now, Attempt: 1}
				r.Fire = r.ID
				c := stacks.Command{ID: core.CommandID(core.NewID(core.PrefixCommand, now)), Attempt: 1, Worker: y.w.ID, Kind: stacks.CommandRun, State: stacks.CommandQueued, CreatedAt: now}
				return jobs.Firing{At: j.NextAt, FiredAt: j.NextAt, Next: now.Add(time.Hour), Runs: []jobs.Start{{Run: r, Command: &c}}}
			})
			runs = append(runs, more...)
		}
		return runs, err
	}
	var wait sync.WaitGroup
	var mu sync.Mutex
	fired := map[core.JobID]int{}
	for _, db := range []*store.DB{y.db, y.raw, y.db, y.raw} {
		wait.Go(func() {
			runs, err := fire(store.New(db, func() time.Time { return now }))
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, r := range runs {
				fired[r.Job]++
			}
		})
	}
	wait.Wait()
	for _, id := range ids {
		if fired[id] != 1 {
			t.Errorf("%s fired %d times", id, fired[id])
		}
	}
	for _, table := range []string{"job_fires", "job_runs", "commands"} {
		if n := y.count(t, `SELECT count(*) FROM `+table); n != len(ids) {
			t.Errorf("%d rows are in %s", n, table)
		}
	}
}

func onlyLater(next, now time.Time) error {
	if !next.IsZero() && !next.After(now) {
		return fmt.Errorf("nothing is due and the next was at %v", next)
	}
	return nil
}

// TestFiringIsWholeOrNotAtAll: it is broken off at each of its statements.
func TestFiringIsWholeOrNotAtAll(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	sent := y.fired(id)
	y.sentRun(sent)
	y.waiting(id)
	y.exec(t, `UPDATE jobs SET next_at = ? WHERE id = ?`, y.at.UnixMicro(), id)
	before := y.rows() + y.standsAt()
	fire := func(ctx context.Context) ([]jobs.Run, error) {
		return y.Fire(ctx, []core.JobID{id}, y.at, func(j jobs.Job, open []jobs.Run) jobs.Firing {
			f := y.firing(j)
			for _, r := range open {
				f.Replace = append(f.Replace, r.ID)
			}
			return f
		})
	}
	for cut := 1; ; cut++ {
		ctx, cancel := context.WithCancel(t.Context())
		said := 0
		store.Overhear(y.db, func(string) {
			if said++; said == cut {
				cancel()
			}
		})
		runs, err := fire(ctx)
		cancel()
		if err == nil {
			if said >= cut || cut < 8 || len(runs) != 1 {
				t.Fatalf("after %d statements of %d it ended with %+v", cut, said, runs)
			}
			break
		}
		if after := y.rows() + y.standsAt(); after != before {
			t.Fatalf("broken off at statement %d it left\n%s, was\n%s", cut, after, before)
		}
	}
	if n := y.count(t, `SELECT count(*) FROM job_runs WHERE state = 'cancelled'`); n != 1 {
		t.Errorf("%d runs gave way", n)
	}
}

// standsAt are those of all runs and jobs, as rows does not tell them.
func (y *yard) standsAt() string {
	y.t.Helper()
	all, err := texts(y.t, y.raw, `SELECT state || ' ' || cancelling || ' ' || worker_id FROM job_runs UNION ALL SELECT 'job ' || next_at || ' ' || fired_at || ' ' || missed FROM jobs`)
	y.must(err)
	return fmt.Sprint(all)
}

// TestATransactionThatIsRunAgainFiresOnce: what was decided the first time is nowhere.
func TestATransactionThatIsRunAgainFiresOnce(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	met := errors.New("met another")
	store.Retry(y.db, func(err error) bool { return errors.Is(err, met) })
	var decided []core.RunID
	var stored []jobs.Run
	err := y.db.Write(t.Context(), func(tx *store.Tx) (err error) {
		stored, err = store.FireWithin(tx, y.Store, []core.JobID{id}, y.at, func(j jobs.Job, _ []jobs.Run) jobs.Firing {
			f := y.firing(j)
			decided = append(decided, f.Runs[0].Run.ID)
			return f
		})
		if err == nil && len(decided) == 1 {
			err = met
		}
		return err
	})
	if err != nil || len(decided) != 2 || len(stored) != 1 || stored[0].ID != decided[1] {
		t.Fatalf("decided were %v, stored %+v, %v", decided, stored, err)
	}
	for _, table := range []string{"job_fires", "job_runs", "commands"} {
		if n := y.count(t, `SELECT count(*) FROM `+table); n != 1 {
			t.Errorf("%d rows are in %s", n, table)
		}
	}
}

func TestAHubThatLostItsPlaceFiresNothing(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	y.joined(t, "hub_1")
	lead, err := y.TakeLease(t.Context(), hubs.Duties, "hub_1")
	y.must(err)
	held := hubs.Under(t.Context(), hubs.Fence{Lease: lead})
	fire := func() error {
		_, err := y.Fire(held, []core.JobID{id}, y.at, func(j jobs.Job, _ []jobs.Run) jobs.Firing { return y.firing(j) })
		return err
	}
	y.must(y.DropLease(t.Context(), lead))
	rows := y.rows()
	if err := fire(); !errors.Is(err, hubs.ErrLost) || y.rows() != rows {
		t.Errorf("without its lease: %v", err)
	}
	if lead, err = y.TakeLease(t.Context(), hubs.Duties, "hub_1"); err != nil {
		t.Fatal(err)
	}
	held = hubs.Under(t.Context(), hubs.Fence{Lease: lead})
	y.must(fire())
}

func TestOnAFullDiskNothingFiresAndWhatRunsCanBeStopped(t *testing.T) {
	y := openYard(t)
	id, other := y.dueJob("backup"), y.dueJob("other")
	sent := y.fired(other)
	y.sentRun(sent)
	waits := y.waiting(other)
	y.db.StandOn(scarceGround{})
	rows := y.rows()
	ids := []core.JobID{id, other}
	_, err := y.Fire(t.Context(), ids, y.at, func(j jobs.Job, _ []jobs.Run) jobs.Firing { return y.firing(j) })
	y.refused("firing", err, "store.disk_full")
	_, err = y.Begin(t.Context(), ids, func(jobs.Job, []jobs.Run) jobs.Beginning { return jobs.Beginning{} })
	y.refused("beginning", err, "store.disk_full")
	_, err = y.QueueRun(t.Context(), jobs.Run{ID: "run_1", Job: id}, nil, someone)
	y.refused("asking for a run", err, "store.disk_full")
	_, err = y.CreateJob(t.Context(), jobs.Job{ID: "job_1", Name: "new", Repository: "rep_1"}, someone)
	y.refused("a new job", err, "store.disk_full")
	y.refused("what was seen", y.RecordSights(t.Context(), []jobs.Sight{{Job: id}}, func(jobs.Job) time.Time { return y.at }), "store.disk_full")
	y.refused("logs", y.SaveRunLog(t.Context(), nil, nil), "store.disk_full")
	if y.rows() != rows {
		t.Errorf("something was stored: %s, was %s", y.rows(), rows)
	}
	for _, r := range []jobs.Run{sent, waits} {
		_, err := y.CancelRun(t.Context(), r.ID, someone)
		y.must(err)
	}
	if !y.run(sent.ID).Cancelling || y.run(waits.ID).State != jobs.RunCancelled {
		t.Errorf("they are %+v and %+v", y.run(sent.ID), y.run(waits.ID))
	}
	var pieces []jobs.LogPiece
	for n := range 100 {
		pieces = append(pieces, jobs.LogPiece{Run: sent.ID, Number: uint64(n + 1), At: y.at, Text: fmt.Sprintf("%01024d", n)})
	}
	if news, err := y.EndRun(t.Context(), jobs.Outcome{Run: sent.ID, Command: sent.Command, State: jobs.RunCancelled, At: y.tick()}, pieces); err != nil || !news {
		t.Errorf("the end is not stored: %v, %v", news, err)
	}
	log, err := y.RunLog(t.Context(), sent.ID, 0, 1000)
	if err != nil || len(log) != store.Scarce>>10 || log[len(log)-1].Number != 100 {
		t.Errorf("%d pieces are stored, %v", len(log), err)
	}
	y.must(y.pauseJob(id))
	y.must(y.DeleteJob(t.Context(), id, someone))
	if _, err := y.Job(t.Context(), id); fault.CodeOf(err) != "job.not_found" {
		t.Errorf("the job is there: %v", err)
	}
}

// pauseJob pauses a job.
func (y *yard) pauseJob(id core.JobID) error {
	yes := true
	_, err := y.UpdateJob(y.t.Context(), id, jobs.Change{Paused: &yes}, someone)
	return err
}
