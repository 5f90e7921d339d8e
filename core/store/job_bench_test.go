package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/store"
	"berth/local/stand/pgserver"
)

// BenchmarkFire fires 10,000 jobs that are due in one minute and reads what is due, page by page, as a hub that
// leads does; each gets a run and a command for one of 20 workers. fires/s counts all of that.
func BenchmarkFire(b *testing.B) {
	for _, on := range []string{"sqlite", "postgres"} {
		b.Run(on, func(b *testing.B) {
			r := dueRoom(b, on)
			for _, page := range []int{1, 20, 200, 2000} {
				b.Run(fmt.Sprint("pages of ", page), func(b *testing.B) { r.fireAll(b, page) })
			}
		})
	}
}

// manyDue is how many jobs are due at once.
const manyDue = 10_000

// dueRoom is a store of a database of this kind with many jobs.
func dueRoom(b *testing.B, on string) *fleetRoom {
	b.Helper()
	onPostgres = on == "postgres"
	b.Cleanup(func() { onPostgres = false })
	r := &fleetRoom{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	if onPostgres {
		address := pgserver.URL(b)
		r.db, r.raw = connected(b, address), connected(b, address)
	} else {
		dir := b.TempDir()
		r.db, r.raw = openedIn(b, dir), openedIn(b, dir)
	}
	if err := r.db.Migrate(b.Context(), migratedAt); err != nil {
		b.Fatal(err)
	}
	r.Store = store.New(r.db, func() time.Time { return r.at })
	r.exec(b, `INSERT INTO repositories (id, name, url, branch, head, fetched_at, error_code, error, asked_at, asked_by, created_at, updated_at)
		VALUES ('rep_1', 'demo', 'http://git.example/demo', 'main', '', 0, '', '', 0, '', 0, 0)`)
	sights := make([]jobs.Sight, manyDue)
	for i := range sights {
		j := jobs.Job{ID: core.JobID(core.NewID(core.PrefixJob, r.at)), Name: fmt.Sprint("job-", i), Repository: "rep_1", Path: fmt.Sprint("jobs/", i)}
		if _, err := r.CreateJob(b.Context(), j, someone); err != nil {
			b.Fatal(err)
		}
		d := plain()
		d.Cron, d.Command = "30 3 * * *", []string{"backup", "--all", "--to", "/srv/backup"}
		sights[i] = jobs.Sight{Job: j.ID, Commit: "0123456789abcdef0123456789abcdef01234567", Tree: "tree", Definition: d}
	}
	if err := r.RecordSights(b.Context(), sights, jobNever); err != nil {
		b.Fatal(err)
	}
	return r
}

// fireAll has all jobs due and fires them.
func (r *fleetRoom) fireAll(b *testing.B, page int) {
	b.Helper()
	var workers []jobs.Candidate
	for i := range 20 {
		workers = append(workers, jobs.Candidate{Worker: core.WorkerID(fmt.Sprint("wrk_", i))})
	}
	rounds := 0
	for b.Loop() {
		b.StopTimer()
		rounds++
		r.exec(b, `DELETE FROM job_runs`)
		r.exec(b, `DELETE FROM job_fires`)
		r.exec(b, `DELETE FROM commands`)
		r.exec(b, `UPDATE jobs SET fired_at = 0, next_at = ?`, r.at.Truncate(24*time.Hour).Add(3*time.Hour+30*time.Minute).UnixMicro())
		b.StartTimer()
		if n := r.fireDue(b, page, jobs.NewRoster(workers), r.at.Truncate(24*time.Hour).Add(3*time.Hour+31*time.Minute)); n != manyDue {
			b.Fatalf("%d jobs fired", n)
		}
	}
	b.ReportMetric(float64(rounds*manyDue)/b.Elapsed().Seconds(), "fires/s")
}

// fireDue fires what is due at a time and returns how many runs began.
func (r *fleetRoom) fireDue(b *testing.B, page int, roster *jobs.Roster, now time.Time) (began int) {
	b.Helper()
	for {
		due, _, err := r.DueJobs(b.Context(), now, max(page, 500))
		if err != nil || len(due) == 0 {
			return began
		}
		ids := make([]core.JobID, len(due))
		for i, j := range due {
			ids[i] = j.ID
		}
		for some := range slices.Chunk(ids, page) {
			runs, err := r.Fire(b.Context(), some, now, func(j jobs.Job, open []jobs.Run) jobs.Firing { return jobs.Fire(j, open, roster, now) })
			if err != nil {
				b.Fatal(err)
			}
			began += len(runs)
		}
	}
}

// BenchmarkJobFigures reads what the metrics show of 10,000 jobs, for the first time and again; BenchmarkDueAtRest what a hub
// asks of as many, of which none is due.
func BenchmarkJobFigures(b *testing.B) {
	r := dueRoom(b, "sqlite")
	for name, from := range map[string]func() *store.Store{
		"first": func() *store.Store { return store.New(r.db, func() time.Time { return r.at }) },
		"again": func() *store.Store { return r.Store },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if f, err := from().JobFigures(b.Context()); err != nil || len(f.Jobs) != manyDue {
					b.Fatal(len(f.Jobs), err)
				}
			}
		})
	}
}

func BenchmarkDueAtRest(b *testing.B) {
	r := dueRoom(b, "sqlite")
	r.exec(b, `UPDATE jobs SET next_at = ?`, r.at.Add(time.Hour).UnixMicro())
	for b.Loop() {
		if due, next, err := r.DueJobs(b.Context(), r.at, 500); err != nil || len(due) != 0 || next.IsZero() {
			b.Fatal(due, next, err)
		}
		if waiting, _, err := r.WaitingRuns(b.Context(), r.at); err != nil || len(waiting) != 0 {
			b.Fatal(waiting, err)
		}
	}
}
