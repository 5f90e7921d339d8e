package store

import (
	"context"
	"errors"
	"time"

	"berth/core"
	"berth/core/jobs"
)

// DueJobs returns the jobs that are due at a time and not paused, longest overdue first; next is when the next
// of the others is due, zero when none is. Those that cannot be read are left out and named in the error,
// "store.unreadable"; they stay due and take no place of the others.
func (s *Store) DueJobs(ctx context.Context, at time.Time, limit int) (due []jobs.Job, next time.Time, err error) {
	var bad []error
	err = s.db.Read(ctx, func(tx *Tx) error {
		due, bad = []jobs.Job{}, nil
		last := jobs.Job{} // that was looked at
		for len(due) < limit {
			some, err := dueAfter(tx, last, at, limit-len(due))
			if err != nil {
				return err
			}
			for _, p := range some {
				if last = p.value; !p.illegible {
					due = append(due, p.value)
				} else if len(bad) < maxUnreadable {
					bad = append(bad, legible("job", string(p.value.ID), errContent))
				}
			}
			if len(some) == 0 {
				break
			}
		}
		others, err := many(tx, scalar[int64], `SELECT next_at FROM jobs WHERE next_at > 0 AND paused = 0 AND (next_at, id) > (?, ?) ORDER BY next_at, id LIMIT 1`, micros(last.NextAt), last.ID)
		if len(others) > 0 {
			next = fromMicros(others[0])
		}
		return err
	})
	return due, next, errors.Join(append(bad, err)...)
}

// dueAfter returns jobs that are due, after one of them in order of their times.
func dueAfter(tx *Tx, last jobs.Job, at time.Time, limit int) ([]perhaps[jobs.Job], error) {
	return many(tx, scanPerhapsJob, `SELECT `+jobColumns+` FROM jobs WHERE next_at > 0 AND paused = 0 AND (next_at, id) > (?, ?) AND next_at <= ? ORDER BY next_at, id LIMIT ?`,
		micros(last.NextAt), last.ID, micros(at), limit)
}

func scanPerhapsJob(row scanner) (perhaps[jobs.Job], error) {
	j, err := scanJob(row)
	if unreadable(err) {
		return perhaps[jobs.Job]{j, true}, nil
	}
	return perhaps[jobs.Job]{value: j}, err
}

// duePage is how many jobs are asked about together.
const duePage = 500

// SetDue stores anew when each job is due, which next says. Those that cannot be read, or that somebody changes
// at the same time, stay as they are.
func (s *Store) SetDue(ctx context.Context, next func(jobs.Job) time.Time) error {
	for last := core.JobID(""); ; {
		all, err := read(ctx, s, func(tx *Tx) ([]perhaps[jobs.Job], error) {
			return many(tx, scanPerhapsJob, `SELECT `+jobColumns+` FROM jobs WHERE id > ? ORDER BY id LIMIT ?`, last, duePage)
		})
		if err != nil || len(all) == 0 {
			return err
		}
		last = all[len(all)-1].value.ID
		var args [][]any
		for _, p := range all {
			if at := micros(next(p.value)); !p.illegible && at != micros(p.value.NextAt) {
				args = append(args, []any{at, p.value.ID, micros(p.value.NextAt)})
			}
		}
		if err := s.setDue(ctx, args); err != nil {
			return err
		}
	}
}

// setDue stores when jobs are due that were due at another time so far.
func (s *Store) setDue(ctx context.Context, all [][]any) error {
	if len(all) == 0 {
		return nil
	}
	return s.db.Write(ctx, func(tx *Tx) error {
		for _, args := range all {
			if _, err := tx.exec(`UPDATE jobs SET next_at = ? WHERE id = ? AND next_at = ?`, args...); err != nil {
				return err
			}
		}
		return nil
	})
}
