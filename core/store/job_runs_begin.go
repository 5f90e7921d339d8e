package store

import (
	"context"
	"slices"

	"berth/core"
	"berth/core/jobs"
)

// Begin stores what becomes of jobs' waiting runs, all in one commit. decide is asked about each job and its open
// runs, oldest first, in the transaction. A Start whose run waits already replaces that row; one whose run has its
// command is left out. Jobs are left out as by Fire. Unavailable "store.disk_full" when there is no room to
// begin anything.
func (s *Store) Begin(ctx context.Context, ids []core.JobID, decide func(j jobs.Job, open []jobs.Run) jobs.Beginning) ([]jobs.Run, error) {
	return writeNew(ctx, s, func(tx *Tx) ([]jobs.Run, error) {
		var all []jobs.Run
		for some := range slices.Chunk(ids, fireStep) {
			runs, err := s.begin(tx, some, decide)
			if err != nil {
				return nil, err
			}
			all = append(all, runs...)
		}
		return all, nil
	})
}

func (s *Store) begin(tx *Tx, ids []core.JobID, decide func(jobs.Job, []jobs.Run) jobs.Beginning) ([]jobs.Run, error) {
	taken, open, err := takeJobs(tx, ids, ``)
	if err != nil {
		return nil, err
	}
	var waited, added []jobs.Start
	for _, j := range taken {
		b := decide(j, open[j.ID])
		if err := s.replace(tx, b.Replace); err != nil {
			return nil, err
		}
		for _, start := range b.Runs {
			if slices.ContainsFunc(open[j.ID], func(r jobs.Run) bool { return r.ID == start.Run.ID }) {
				waited = append(waited, start)
			} else {
				added = append(added, start)
			}
		}
	}
	begun, err := s.moveStarts(tx, waited)
	if err != nil {
		return nil, err
	}
	more, err := s.keepStarts(tx, added)
	return append(begun, more...), err
}

// moveStarts stores what becomes of runs that wait, and returns those that did.
func (s *Store) moveStarts(tx *Tx, starts []jobs.Start) (moved []jobs.Run, err error) {
	for some := range slices.Chunk(starts, rowStep) {
		runs, err := s.moveSome(tx, some)
		if err != nil {
			return nil, err
		}
		moved = append(moved, runs...)
	}
	return moved, nil
}

func (s *Store) moveSome(tx *Tx, starts []jobs.Start) ([]jobs.Run, error) {
	var args []any
	for i, start := range starts {
		starts[i] = s.stored(start)
		r := starts[i].Run
		args = append(args, r.ID, r.State, r.Worker, r.Command, r.ErrorCode, r.Error, micros(r.NotBefore), micros(r.FinishedAt))
	}
	first := `(?, ?, ?, ?, ?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT))`
	moved, err := many(tx, scalar[core.RunID], `UPDATE job_runs SET state = v.column2, worker_id = v.column3, command_id = v.column4, error_code = v.column5, error = v.column6,
		not_before = v.column7, finished_at = v.column8 FROM (VALUES `+first+moreTuples(len(starts)-1, 8)+`) AS v
		WHERE job_runs.id = v.column1 AND job_runs.state = 'queued' AND job_runs.command_id = '' RETURNING id`, args...)
	if err != nil {
		return nil, err
	}
	starts = slices.DeleteFunc(starts, func(start jobs.Start) bool { return !slices.Contains(moved, start.Run.ID) })
	return s.follow(tx, starts)
}
