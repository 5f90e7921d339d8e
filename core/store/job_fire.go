package store

import (
	"context"
	"slices"
	"time"

	"berth/core"
	"berth/core/jobs"
)

// fireStep is how many jobs are read and fired together.
const fireStep = 100

// Fire stores what becomes of jobs that are due, all in one commit. decide is asked about each job and its open
// runs, oldest first, as they are in the transaction. A job that is not due any more, that another transaction
// fires just now, or that cannot be read is left out, and so is a time that fired before. Of an open run that
// cannot be read there is no definition. Fire returns the runs that were stored. Unavailable
// "store.disk_full" when there is no room to begin anything.
func (s *Store) Fire(ctx context.Context, ids []core.JobID, at time.Time, decide func(j jobs.Job, open []jobs.Run) jobs.Firing) ([]jobs.Run, error) {
	return writeNew(ctx, s, func(tx *Tx) ([]jobs.Run, error) {
		var all []jobs.Run
		for some := range slices.Chunk(ids, fireStep) {
			runs, err := s.fire(tx, some, at, decide)
			if err != nil {
				return nil, err
			}
			all = append(all, runs...)
		}
		return all, nil
	})
}

// fired is a job, and what becomes of it.
type fired struct {
	job jobs.Job
	jobs.Firing
}

func (s *Store) fire(tx *Tx, ids []core.JobID, at time.Time, decide func(jobs.Job, []jobs.Run) jobs.Firing) ([]jobs.Run, error) {
	due, open, err := takeJobs(tx, ids, ` AND next_at > 0 AND next_at <= ? AND paused = 0`, micros(at))
	if err != nil || len(due) == 0 {
		return nil, err
	}
	all := make([]fired, len(due))
	for i, j := range due {
		all[i] = fired{j, decide(j, open[j.ID])}
	}
	if all, err = prove(tx, all, s.now()); err != nil {
		return nil, err
	}
	if err := moveOn(tx, all, at); err != nil {
		return nil, err
	}
	var starts []jobs.Start
	for _, f := range all {
		if err := s.replace(tx, f.Replace); err != nil {
			return nil, err
		}
		starts = append(starts, f.Runs...)
	}
	return s.keepStarts(tx, starts)
}

// takeJobs reads jobs that match and takes them for this transaction, with their open runs. Those that another
// has taken and those that cannot be read are left out.
func takeJobs(tx *Tx, ids []core.JobID, match string, args ...any) ([]jobs.Job, map[core.JobID][]jobs.Run, error) {
	in, named := among(ids)
	taken, err := manyLegible(tx, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE id IN (`+in+`)`+match+` ORDER BY next_at, id LIMIT ?`+tx.dialect.Claim,
		append(append(named, args...), len(ids))...)
	if err != nil && !unreadable(err) || len(taken) == 0 {
		return nil, nil, ignoreUnreadable(err)
	}
	found := make([]core.JobID, len(taken))
	for i, j := range taken {
		found[i] = j.ID
	}
	open, err := openRuns(tx, found)
	return taken, open, err
}

func ignoreUnreadable(err error) error {
	if unreadable(err) {
		return nil
	}
	return err
}

// prove stores that times fire. Who would fire a time for the second time fires nothing: that the clock was set
// back, or that somebody else was faster, is found out here whatever the job's row says.
func prove(tx *Tx, all []fired, now time.Time) ([]fired, error) {
	var args []any
	for _, f := range all {
		if !f.At.IsZero() {
			args = append(args, f.job.ID, micros(f.At), micros(now))
		}
	}
	proven := map[core.JobID]bool{}
	if len(args) > 0 {
		ids, err := many(tx, scalar[core.JobID], `INSERT INTO job_fires (job_id, scheduled_at, fired_at) VALUES `+tuples(len(args)/3, 3)+` ON CONFLICT DO NOTHING RETURNING job_id`, args...)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			proven[id] = true
		}
	}
	for i, f := range all {
		if !proven[f.job.ID] {
			all[i].Runs, all[i].Replace = nil, nil
		}
	}
	return all, nil
}

// moveOn stores when jobs are due next, what fired or was given up, and how many times were missed.
func moveOn(tx *Tx, all []fired, at time.Time) error {
	var args []any
	for _, f := range all {
		missed := int64(0)
		if f.Missed > 0 {
			missed = micros(at)
		}
		args = append(args, f.job.ID, micros(f.Next), micros(f.FiredAt), f.Missed, missed)
	}
	first := `(?, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))`
	_, err := tx.exec(`UPDATE jobs SET next_at = v.column2, fired_at = CASE WHEN v.column3 = 0 THEN fired_at ELSE v.column3 END,
		missed = missed + v.column4, missed_at = CASE WHEN v.column5 > 0 THEN v.column5 ELSE missed_at END FROM (VALUES `+first+moreTuples(len(all)-1, 5)+`) AS v WHERE jobs.id = v.column1`, args...)
	return err
}
