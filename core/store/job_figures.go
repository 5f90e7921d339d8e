package store

import (
	"context"
	"database/sql"
	"time"

	"berth/core/jobs"
)

// JobFigures returns what the metrics show of all jobs: in one transaction, at most jobs.MaxFigures one by one.
func (s *Store) JobFigures(ctx context.Context) (jobs.Figures, error) {
	var reading *jobs.ExpectationReading
	f, err := read(ctx, s, func(tx *Tx) (f jobs.Figures, err error) {
		reading = s.expected.Read()
		if f.Jobs, err = many(tx, figureRows{reading}.scan, `SELECT j.id, j.name, r.name, j.paused, j.error_code <> '', j.next_at, j.last_success_at, j.last_state, j.last_took, j.missed,
			j.updated_at, j.definition FROM jobs j JOIN repositories r ON r.id = j.repository_id ORDER BY j.id LIMIT ?`, jobs.MaxFigures); err != nil {
			return f, err
		}
		if f.All, err = one(tx, nil, scalar[int], `SELECT count(*) FROM jobs`); err != nil {
			return f, err
		}
		f.Open, err = counts[jobs.RunState](tx, `SELECT state, count(*) FROM job_runs WHERE state IN ('queued', 'running') GROUP BY state ORDER BY state LIMIT 100`)
		if err != nil {
			return f, err
		}
		f.Withdrawn, err = many(tx, scanWithdrawal, `SELECT r.id, r.finished_at FROM (SELECT id, finished_at, command_id FROM job_runs
			WHERE state = 'cancelled' AND state NOT IN ('queued', 'running') ORDER BY id DESC LIMIT ?) r
			WHERE NOT EXISTS (SELECT 1 FROM commands c WHERE c.id = r.command_id AND c.epoch > 0) ORDER BY r.id DESC LIMIT ?`, jobs.MaxWithdrawn, jobs.MaxWithdrawn)
		return f, err
	})
	if err == nil {
		reading.Done()
	}
	return f, err
}

// figureRows reads rows of jobs.
type figureRows struct{ expected *jobs.ExpectationReading }

// scan expects nothing of a job that people have paused, nor of one whose definition cannot be read.
func (all figureRows) scan(row scanner) (jobs.Figure, error) {
	var f jobs.Figure
	var next, success, took, updated int64
	var definition sql.RawBytes
	err := row.Scan(&f.Job, &f.Name, &f.Repository, &f.Paused, &f.Broken, &next, &success, &f.LastState, &took, &f.Missed, &updated, &definition)
	f.NextAt, f.LastSuccessAt, f.LastSeconds = fromMicros(next), fromMicros(success), (time.Duration(took) * time.Microsecond).Seconds()
	if err == nil && !f.Paused {
		f.ExpectedAt = all.expected.After(f.Job, definition, fromMicros(max(success, updated)))
	}
	return f, err
}

func scanWithdrawal(row scanner) (jobs.Withdrawal, error) {
	var w jobs.Withdrawal
	var at int64
	err := row.Scan(&w.Run, &at)
	w.At = fromMicros(at)
	return w, err
}
