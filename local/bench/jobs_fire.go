package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// fireAhead is how long before all jobs are due the commit that says so is made.
const fireAhead = 3 * time.Minute

// fire lets all jobs come due at the same moment.
func (y *jobYard) fire(ctx context.Context) (figures []figure, err error) {
	at := time.Now().UTC().Add(fireAhead).Truncate(time.Minute)
	y.b.say("all jobs are due at %s", at.Format(time.TimeOnly))
	began := time.Now()
	if err := y.commit(fmt.Sprintf("%d %d %d %d *", at.Minute(), at.Hour(), at.Day(), at.Month())); err != nil {
		return nil, err
	}
	if err := call(ctx, y.client, http.MethodPost, "/api/custom/repositories/"+string(y.repository)+"/sync", struct{}{}, nil); err != nil {
		return nil, err
	}
	if err := y.read(ctx, `SELECT count(*) FROM jobs WHERE next_at = ?`, at.UnixMicro()); err != nil {
		return nil, err
	}
	figures = append(figures, figure{name: "  a commit that changes all of them: fetched, read and stored", result: fmt.Sprintf("%.1f s", time.Since(began).Seconds())})
	if !time.Now().Before(at) {
		return nil, errors.New("the jobs were due before all of them were read")
	}
	if err := pause(ctx, time.Until(at)); err != nil {
		return nil, err
	}
	used, err := processorTime(y.pid())
	if err != nil {
		return nil, err
	}
	stored, err := y.counted(ctx, at, `SELECT count(*) FROM job_fires WHERE scheduled_at = ?`)
	if err != nil {
		return nil, err
	}
	ended, err := y.counted(ctx, at, `SELECT count(*) FROM job_runs WHERE scheduled_at = ? AND finished_at > 0`)
	if err != nil {
		return nil, err
	}
	until, err := processorTime(y.pid())
	if err != nil {
		return nil, err
	}
	rate := manyJobs / stored.Seconds()
	figures = append(figures,
		figure{name: fmt.Sprintf("%d jobs due at one moment: fires", manyJobs), result: fmt.Sprintf("%.0f a second, all stored after %.1f s", rate, stored.Seconds()), goal: fmt.Sprintf("over %.0f", firesGoal), met: rate > firesGoal},
		figure{name: "  all runs started, ended and stored", result: fmt.Sprintf("after %.1f s, %.0f a second", ended.Seconds(), manyJobs/ended.Seconds()), goal: "within a minute", met: ended < time.Minute},
		figure{name: "  processor time of the server until then", result: fmt.Sprintf("%.1f s", (until - used).Seconds())})
	for _, what := range []struct{ name, query string }{
		{"  lateness of the fire", `SELECT fired_at - scheduled_at FROM job_fires WHERE scheduled_at = ?`},
		{"  lateness of the container's start", `SELECT started_at - scheduled_at FROM job_runs WHERE scheduled_at = ? AND started_at > 0`},
	} {
		late, err := y.db.durations(ctx, what.query, at.UnixMicro())
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure{name: what.name, result: fmt.Sprintf("half within %s, 99 %% within %s, all within %s", ms(percentile(late, 50)), ms(percentile(late, 99)), ms(slices.Max(late)))})
	}
	some, err := y.accounts(ctx, at)
	return append(figures, some...), err
}

// counted returns how long after a moment a query counts every job.
func (y *jobYard) counted(ctx context.Context, at time.Time, query string) (time.Duration, error) {
	err := until(ctx, 10*time.Minute, 20*time.Millisecond, "every run", func(ctx context.Context) (bool, error) {
		n, err := y.db.number(ctx, query, at.UnixMicro())
		return n >= manyJobs, errors.Join(err, y.alive())
	})
	return time.Since(at), err
}

// accounts says what was lost and what was done twice, by the database and by the workers.
func (y *jobYard) accounts(ctx context.Context, at time.Time) ([]figure, error) {
	lost, err := y.db.number(ctx, `SELECT count(*) FROM jobs WHERE NOT EXISTS (SELECT 1 FROM job_runs r WHERE r.job_id = jobs.id AND r.scheduled_at = ? AND r.state = 'succeeded')`, at.UnixMicro())
	if err != nil {
		return nil, err
	}
	twice, err := y.db.number(ctx, `SELECT count(*) FROM (SELECT job_id FROM job_runs GROUP BY job_id HAVING count(*) > 1) AS more`)
	if err != nil {
		return nil, err
	}
	var a crowdAnswer
	if err := y.crowd.ask(crowdQuestion{}, &a); err != nil {
		return nil, err
	}
	doubled := int(twice) + a.Twice + max(0, a.Runs-manyJobs)
	return []figure{
		{name: "  lost", result: fmt.Sprint(lost), goal: "0", met: lost == 0},
		{name: "  doubled", result: fmt.Sprint(doubled), goal: "0", met: doubled == 0},
	}, nil
}

// number returns the one number that a query gives.
func (d *database) number(ctx context.Context, query string, args ...any) (n int64, err error) {
	return n, d.conn.QueryRowContext(ctx, query, args...).Scan(&n)
}

// durations returns a query's numbers, which are microseconds.
func (d *database) durations(ctx context.Context, query string, args ...any) (all []time.Duration, err error) {
	rows, err := d.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var us int64
		if err := rows.Scan(&us); err != nil {
			return nil, err
		}
		all = append(all, time.Duration(us)*time.Microsecond)
	}
	return all, rows.Err()
}
