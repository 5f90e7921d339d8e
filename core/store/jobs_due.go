package store

import (
	"context"
	"errors"
	"time"

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
	return many(tx, func(row scanner) (perhaps[jobs.Job], error) {
		j, err := scanJob(row)
		if unreadable(err) {
			return perhaps[jobs.Job]{j, true}, nil
		}
		return perhaps[jobs.Job]{value: j}, err
	}, `SELECT `+jobColumns+` FROM jobs WHERE next_at > 0 AND paused = 0 AND (next_at, id) > (?, ?) AND next_at <= ? ORDER BY next_at, id LIMIT ?`,
		micros(last.NextAt), last.ID, micros(at), limit)
}
