package store

import (
	"context"
	"time"

	"berth/core/jobs"
)

// JobFigures returns what the metrics show of all jobs: in one transaction, at most jobs.MaxFigures one by one.
func (s *Store) JobFigures(ctx context.Context) (jobs.Figures, error) {
	return read(ctx, s, func(tx *Tx) (f jobs.Figures, err error) {
		if f.Jobs, err = many(tx, scanFigure, `SELECT j.id, j.name, r.name, j.paused, j.error_code <> '', j.next_at, j.last_success_at, j.last_state, j.last_took, j.missed
			FROM jobs j JOIN repositories r ON r.id = j.repository_id ORDER BY j.id LIMIT ?`, jobs.MaxFigures); err != nil {
			return f, err
		}
		f.Open, err = counts[jobs.RunState](tx, `SELECT state, count(*) FROM job_runs WHERE state IN ('queued', 'running') GROUP BY state ORDER BY state LIMIT 100`)
		return f, err
	})
}

func scanFigure(row scanner) (jobs.Figure, error) {
	var f jobs.Figure
	var next, success, took int64
	err := row.Scan(&f.Job, &f.Name, &f.Repository, &f.Paused, &f.Broken, &next, &success, &f.LastState, &took, &f.Missed)
	f.NextAt, f.LastSuccessAt, f.LastSeconds = fromMicros(next), fromMicros(success), (time.Duration(took) * time.Microsecond).Seconds()
	return f, err
}
