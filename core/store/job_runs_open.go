package store

import (
	"context"
	"strings"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
)

// openRuns reads the open runs of jobs, by job, oldest first.
func openRuns(tx *Tx, ids []core.JobID) (map[core.JobID][]jobs.Run, error) {
	in, args := among(ids)
	all, err := many(tx, scanOpenRun, `SELECT `+runColumns+` FROM job_runs r WHERE r.job_id IN (`+in+`) AND r.state IN ('queued', 'running') ORDER BY r.id LIMIT ?`,
		append(args, maxJobs)...)
	open := map[core.JobID][]jobs.Run{}
	for _, r := range all {
		open[r.Job] = append(open[r.Job], r)
	}
	return open, err
}

// among is a list of placeholders, and what they stand for.
func among[T any](values []T) (placeholders string, args []any) {
	for _, v := range values {
		args = append(args, v)
	}
	return "?" + strings.Repeat(", ?", len(values)-1), args
}

// WaitingRuns returns the jobs of queued runs that have no command and may begin at a time, oldest run first,
// each job once; next is when the next of the others may begin, zero when there is none.
func (s *Store) WaitingRuns(ctx context.Context, at time.Time) (waiting []core.JobID, next time.Time, err error) {
	err = s.db.Read(ctx, func(tx *Tx) error {
		if waiting, err = many(tx, scalar[core.JobID], `SELECT job_id FROM job_runs WHERE state = 'queued' AND command_id = '' AND not_before <= ?
			GROUP BY job_id ORDER BY min(id) LIMIT ?`, micros(at), maxJobs); err != nil {
			return err
		}
		us, err := one(tx, nil, scalar[int64], `SELECT coalesce(min(not_before), 0) FROM job_runs WHERE state = 'queued' AND command_id = '' AND not_before > ?`, micros(at))
		next = fromMicros(us)
		return err
	})
	return waiting, next, err
}

// CancelledRuns returns the open runs that somebody asked to stop and that have a command, oldest first.
func (s *Store) CancelledRuns(ctx context.Context) ([]jobs.Run, error) {
	return read(ctx, s, func(tx *Tx) ([]jobs.Run, error) {
		return many(tx, scanOpenRun, `SELECT `+runColumns+` FROM job_runs r WHERE r.cancelling = 1 AND r.state IN ('queued', 'running') AND r.command_id <> '' ORDER BY r.id LIMIT ?`, maxJobs)
	})
}

// OpenRunsOf counts the open runs that each worker has.
func (s *Store) OpenRunsOf(ctx context.Context) (map[core.WorkerID]int, error) {
	return read(ctx, s, func(tx *Tx) (map[core.WorkerID]int, error) {
		return counts[core.WorkerID](tx, `SELECT worker_id, count(*) FROM job_runs WHERE state IN ('queued', 'running') AND worker_id <> '' GROUP BY worker_id ORDER BY worker_id`)
	})
}

// StackRuns returns the running runs of the jobs that belong to a stack, oldest first: those of its
// repository whose folder is the stack's or lies below it. NotFound "stack.not_found".
func (s *Store) StackRuns(ctx context.Context, stack core.StackID) ([]jobs.Run, error) {
	return read(ctx, s, func(tx *Tx) ([]jobs.Run, error) {
		st, err := one(tx, errStackMissing, func(row scanner) (st stacks.Stack, err error) { return st, row.Scan(&st.Repository, &st.Path) },
			`SELECT repository_id, path FROM stacks WHERE id = ?`, stack)
		if err != nil {
			return nil, err
		}
		return many(tx, scanOpenRun, `SELECT `+runColumns+` FROM jobs j JOIN job_runs r ON r.job_id = j.id
			WHERE j.repository_id = ? AND (? = '' OR j.path = ? OR substr(j.path, 1, ?) = ?) AND r.state IN ('queued', 'running') AND r.state = 'running' ORDER BY r.id LIMIT ?`,
			st.Repository, st.Path, st.Path, len([]rune(st.Path))+1, st.Path+"/", maxJobs)
	})
}
