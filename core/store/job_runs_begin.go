package store

import (
	"context"
	"fmt"
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
		b := decide(j, slices.Clone(open[j.ID]))
		if err := s.replace(tx, b.Replace); err != nil {
			return nil, err
		}
		for _, start := range b.Runs {
			known := slices.IndexFunc(open[j.ID], func(r jobs.Run) bool { return r.ID == start.Run.ID })
			switch {
			case known < 0:
				added = append(added, start)
			case open[j.ID][known].Command == "" && open[j.ID][known].State == jobs.RunQueued:
				waited = append(waited, start)
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

// moveStarts stores what becomes of runs that wait, as was read in this transaction.
func (s *Store) moveStarts(tx *Tx, starts []jobs.Start) ([]jobs.Run, error) {
	for some := range slices.Chunk(starts, rowStep) {
		var args []any
		for i, start := range some {
			some[i] = s.stored(start)
			r := some[i].Run
			args = append(args, r.ID, r.State, r.Worker, r.Command, r.ErrorCode, r.Error, micros(r.NotBefore), micros(r.FinishedAt))
		}
		n, err := tx.exec(`UPDATE job_runs SET state = v.column2, worker_id = v.column3, command_id = v.column4, error_code = v.column5, error = v.column6,
			not_before = v.column7, finished_at = v.column8 FROM (VALUES (?, ?, ?, ?, ?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT))`+moreTuples(len(some)-1, 8)+`) AS v
			WHERE job_runs.id = v.column1 AND job_runs.finished_at = 0`, args...)
		if err == nil && n != int64(len(some)) {
			err = fmt.Errorf("store: %d of %d runs that wait could begin", n, len(some))
		}
		if err != nil {
			return nil, err
		}
	}
	return s.follow(tx, starts)
}
