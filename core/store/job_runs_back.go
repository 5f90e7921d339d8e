package store

import (
	"context"
	"slices"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
)

// TakeBackRuns takes the runs back that were given to a worker which left before they were sent to it, or which
// does not take runs any more, or is gone. They wait again: for any worker, when their job wants one, else for the same
// one. Those that cannot be read stay as they are.
func (s *Store) TakeBackRuns(ctx context.Context) error {
	unsent, err := read(ctx, s, unsentRuns)
	if err != nil || len(unsent) == 0 {
		return ignoreUnreadable(err)
	}
	return s.db.Write(ctx, func(tx *Tx) error {
		unsent, err := unsentRuns(tx) // some may have been sent meanwhile
		if err != nil && !unreadable(err) {
			return err
		}
		for some := range slices.Chunk(unsent, rowStep) {
			if err := s.takeBack(tx, some); err != nil {
				return err
			}
		}
		return nil
	})
}

// unsentRuns returns the runs whose command waits to be sent to a worker that is not there for it.
func unsentRuns(tx *Tx) ([]jobs.Run, error) {
	return manyLegible(tx, scanRun, `SELECT `+runColumns+` FROM job_runs r JOIN commands c ON c.id = r.command_id
		WHERE r.worker_id NOT IN (SELECT id FROM workers WHERE connected_at > left_at AND runs = 1) AND r.state IN ('queued', 'running') AND r.state = 'queued'
		AND c.state = 'queued' AND c.ended_at = 0 ORDER BY r.worker_id, r.id LIMIT ?`, maxJobs)
}

func (s *Store) takeBack(tx *Tx, some []jobs.Run) error {
	byCommand := make(map[core.CommandID]jobs.Run, len(some))
	ids := make([]core.CommandID, len(some))
	for i, r := range some {
		byCommand[r.Command], ids[i] = r, r.Command
	}
	in, args := among(ids)
	taken, err := many(tx, scalar[core.CommandID], `UPDATE commands SET state = ?, ended_at = ? WHERE id IN (`+in+`) AND state = 'queued' AND ended_at = 0 RETURNING id`,
		append([]any{stacks.CommandCancelled, micros(s.now())}, args...)...)
	if err != nil {
		return err
	}
	for _, id := range taken {
		r := byCommand[id]
		if r.Definition.Mode == jobs.ModeOnce {
			r.Worker = ""
		}
		if _, err := tx.exec(`UPDATE job_runs SET command_id = '', worker_id = ? WHERE id = ? AND command_id = ?`, r.Worker, r.ID, id); err != nil {
			return err
		}
	}
	return nil
}
