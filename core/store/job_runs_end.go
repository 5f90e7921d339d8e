package store

import (
	"context"

	"berth/core/jobs"
	"berth/core/stacks"
)

// EndRun closes a run and its command, and stores the retry that follows it. ended is false when it was closed
// before, or when it is to end only unsent and was sent. The word of a command counts as long as that is open.
// NotFound "run.not_found".
func (s *Store) EndRun(ctx context.Context, o jobs.Outcome, pieces []jobs.LogPiece) (ended bool, err error) {
	return write(ctx, s, func(tx *Tx) (bool, error) { return s.endRun(tx, o, pieces) })
}

func (s *Store) endRun(tx *Tx, o jobs.Outcome, pieces []jobs.LogPiece) (ended bool, err error) {
	r, err := runByID(tx, o.Run, scanOpenRun)
	if err != nil || r.State.Ended() {
		return false, err
	}
	if may, err := mayEnd(tx, r, o); err != nil || !may {
		return false, err
	}
	if !s.db.Room() {
		pieces = lastPieces(pieces)
	}
	if err := appendRunLog(tx, pieces); err != nil {
		return false, err
	}
	if _, err := tx.exec(`UPDATE commands SET state = ?, ended_at = ? WHERE id = ? AND ended_at = 0`, runCommandEnd(o.State), micros(o.At), r.Command); err != nil {
		return false, err
	}
	r.State, r.ExitCode, r.ErrorCode, r.Error, r.FinishedAt = o.State, o.ExitCode, o.ErrorCode, o.Error, o.At
	if !o.StartedAt.IsZero() {
		r.StartedAt = o.StartedAt
	}
	if _, err := tx.exec(`UPDATE job_runs SET state = ?, exit_code = ?, error_code = ?, error = ?, started_at = ?, finished_at = ? WHERE id = ?`,
		r.State, exitCode(r.ExitCode), r.ErrorCode, r.Error, micros(r.StartedAt), micros(r.FinishedAt), r.ID); err != nil {
		return false, err
	}
	if o.Retry != nil {
		if err := insertRuns(tx, []jobs.Run{*o.Retry}); err != nil {
			return false, err
		}
	}
	return true, over(tx, r)
}

// mayEnd reports whether an outcome counts for a run that is open.
func mayEnd(tx *Tx, r jobs.Run, o jobs.Outcome) (bool, error) {
	if o.Command != "" && o.Command != r.Command {
		return false, nil
	}
	if r.Command == "" || o.Command == "" && !o.OnlyUnsent {
		return true, nil
	}
	open, err := many(tx, scalar[stacks.CommandState], `SELECT state FROM commands WHERE id = ? AND ended_at = 0`, r.Command)
	switch {
	case err != nil:
		return false, err
	case len(open) == 0:
		return o.Command == "", nil
	}
	return !o.OnlyUnsent || open[0] == stacks.CommandQueued, nil
}

func runCommandEnd(state jobs.RunState) stacks.CommandState {
	switch state {
	case jobs.RunSucceeded:
		return stacks.CommandSucceeded
	case jobs.RunCancelled:
		return stacks.CommandCancelled
	}
	return stacks.CommandFailed
}

// over does what follows when a run has ended: its job shows how, where that says how the job is, and what was
// given for its fire alone is forgotten with the last run of it.
func over(tx *Tx, r jobs.Run) error {
	if _, err := tx.exec(`UPDATE job_runs SET overrides = NULL WHERE id = ? AND overrides IS NOT NULL AND NOT EXISTS
		(SELECT 1 FROM job_runs o WHERE o.job_id = ? AND o.fire_id = ? AND o.state IN ('queued', 'running'))`, r.Fire, r.Job, r.Fire); err != nil {
		return err
	}
	if !r.Tells() {
		return nil
	}
	took := int64(0)
	if !r.StartedAt.IsZero() {
		took = max(0, r.FinishedAt.Sub(r.StartedAt).Microseconds())
	}
	well := int64(0)
	if r.State == jobs.RunSucceeded {
		well = micros(r.FinishedAt)
	}
	_, err := tx.exec(`UPDATE jobs SET last_state = ?, last_took = ?, last_success_at = CASE WHEN last_success_at < ? THEN ? ELSE last_success_at END WHERE id = ?`,
		r.State, took, well, well, r.Job)
	return err
}
