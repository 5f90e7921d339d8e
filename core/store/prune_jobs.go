package store

import (
	"context"
	"time"

	"berth/core"
)

// pruneJobs deletes what some jobs have too much of, and goes on at the next call where it ended; and logs that are
// left.
func (s *Store) pruneJobs(ctx context.Context, now time.Time) (more bool, err error) {
	type place struct {
		after core.JobID
		end   bool
	}
	at, err := write(ctx, s, func(tx *Tx) (place, error) {
		after := s.prunedJobs
		some, err := many(tx, scalar[core.JobID], `SELECT id FROM jobs WHERE id > ? ORDER BY id LIMIT ?`, after, pruneStacks)
		if err != nil {
			return place{}, err
		}
		room := int64(pruneHeavy)
		for _, id := range some {
			n, err := pruneRuns(tx, id, room)
			if err != nil {
				return place{}, err
			}
			fires, err := pruneFires(tx, id, now)
			if err != nil {
				return place{}, err
			}
			if room -= n; room <= 0 || fires >= pruneStep {
				return place{after: after}, nil // this job may have more
			}
			after = id
		}
		return place{after, len(some) < pruneStacks}, nil
	})
	if err != nil {
		return false, err
	}
	if s.prunedJobs = at.after; at.end {
		s.prunedJobs = ""
	}
	more, err = write(ctx, s, pruneLogs)
	return more || !at.end, err
}

// pruneRuns deletes at most so many of a job's oldest runs. The first run of a fire stays while another of that
// fire is open: what was given for the fire is in its row.
func pruneRuns(tx *Tx, job core.JobID, most int64) (int64, error) {
	gone, err := many(tx, scalar[core.RunID], `DELETE FROM job_runs WHERE job_id = ? AND state NOT IN ('queued', 'running') AND overrides IS NULL
		AND id <= (SELECT max(id) FROM (SELECT id FROM job_runs WHERE job_id = ? AND state NOT IN ('queued', 'running') AND overrides IS NULL
			AND id <= (SELECT id FROM job_runs WHERE job_id = ? AND state NOT IN ('queued', 'running') ORDER BY id DESC LIMIT 1 OFFSET ?)
			ORDER BY id LIMIT ?) AS oldest) RETURNING id`, job, job, job, keptRuns, most)
	for _, id := range gone {
		if err == nil {
			_, err = tx.exec(`INSERT INTO job_logs_left (run_id) VALUES (?)`, id)
		}
	}
	return int64(len(gone)), err
}

// pruneLogs deletes logs of runs that are gone, a bounded number of pieces.
func pruneLogs(tx *Tx) (more bool, err error) {
	left, err := many(tx, scalar[core.RunID], `SELECT run_id FROM job_logs_left ORDER BY run_id LIMIT ?`, pruneStep)
	if err != nil {
		return false, err
	}
	room := int64(prunePieces)
	for _, id := range left {
		n, err := tx.exec(`DELETE FROM job_run_log WHERE run_id = ? AND number <= (SELECT max(number) FROM (SELECT number FROM job_run_log WHERE run_id = ? ORDER BY number LIMIT ?) AS oldest)`, id, id, room)
		if err != nil {
			return false, err
		}
		if room -= n; room <= 0 {
			return true, nil // it may have more
		}
		if _, err := tx.exec(`DELETE FROM job_logs_left WHERE run_id = ?`, id); err != nil {
			return false, err
		}
	}
	return len(left) == pruneStep, nil
}

// pruneFires deletes a job's oldest fires; the newest stays, whatever its age.
func pruneFires(tx *Tx, job core.JobID, now time.Time) (int64, error) {
	return tx.exec(`DELETE FROM job_fires WHERE job_id = ? AND scheduled_at <= (SELECT max(scheduled_at) FROM (SELECT scheduled_at FROM job_fires WHERE job_id = ?
		AND (scheduled_at <= (SELECT scheduled_at FROM job_fires WHERE job_id = ? ORDER BY scheduled_at DESC LIMIT 1 OFFSET ?)
		OR scheduled_at < ? AND scheduled_at < (SELECT max(scheduled_at) FROM job_fires WHERE job_id = ?)) ORDER BY scheduled_at LIMIT ?) AS oldest)`,
		job, job, job, keptFires, micros(now.Add(-keptFired)), job, pruneStep)
}
