package store

import (
	"context"
	"database/sql"

	"berth/core"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/seal"
)

var errRunMissing = fault.New(fault.NotFound, "run.not_found", "There is no such run.")

// Columns of runs; those that may not be legible come last.
const (
	plainRunColumns = `r.id, r.job_id, r.fire_id, r.state, r.trigger, r.actor, r.scheduled_at, r.commit_hash, r.worker_id, r.command_id, r.retry_of, r.attempt, r.not_before,
	r.exit_code, r.error_code, r.error, r.cancelling, r.cancelled_by, r.queued_at, r.started_at, r.finished_at`
	runColumns = plainRunColumns + `, r.definition, r.configs, r.given`
)

func scanRun(row scanner) (jobs.Run, error) {
	var r jobs.Run
	return r, scanRunInto(row, &r, jsonInto{&r.Definition}, jsonInto{&r.Configs}, jsonInto{&r.Overrides})
}

// scanPlainRun scans plainRunColumns.
func scanPlainRun(row scanner) (jobs.Run, error) {
	var r jobs.Run
	return r, scanRunInto(row, &r)
}

// scanOpenRun is scanRun for what must not be held up by a run that cannot be read: what can be read of it is
// enough to count it, to cancel it and to end it.
func scanOpenRun(row scanner) (jobs.Run, error) {
	r, err := scanRun(row)
	if unreadable(err) {
		err = nil
	}
	return r, err
}

func scanRunInto(row scanner, r *jobs.Run, more ...any) error {
	var scheduled, notBefore, queued, started, finished int64
	var exit sql.NullInt64
	err := row.Scan(append([]any{&r.ID, &r.Job, &r.Fire, &r.State, &r.Trigger, &r.Actor, &scheduled, &r.Commit, &r.Worker, &r.Command, &r.RetryOf, &r.Attempt, &notBefore,
		&exit, &r.ErrorCode, &r.Error, &r.Cancelling, &r.CancelledBy, &queued, &started, &finished}, more...)...)
	if exit.Valid {
		code := int(exit.Int64)
		r.ExitCode = &code
	}
	r.ScheduledAt, r.NotBefore = fromMicros(scheduled), fromMicros(notBefore)
	r.QueuedAt, r.StartedAt, r.FinishedAt = fromMicros(queued), fromMicros(started), fromMicros(finished)
	return legible("run", string(r.ID), err)
}

// Run implements jobs.Store.
func (s *Store) Run(ctx context.Context, id core.RunID) (jobs.Run, error) {
	return read(ctx, s, func(tx *Tx) (jobs.Run, error) { return runByID(tx, id, scanRun) })
}

func runByID(tx *Tx, id core.RunID, scan func(scanner) (jobs.Run, error)) (jobs.Run, error) {
	return one(tx, errRunMissing, scan, `SELECT `+runColumns+` FROM job_runs r WHERE r.id = ?`, id)
}

// Runs implements jobs.Store. Those that cannot be read are left out and named.
func (s *Store) Runs(ctx context.Context, f jobs.RunFilter, ask core.Page) (core.List[jobs.Run], error) {
	where, args := `r.id < ?`, []any{before(ask.After)}
	switch {
	case f.Job != "": // of which there are few enough to look for a state among them
		where, args = where+` AND r.job_id = ? AND (? = '' OR r.state = ?)`, append(args, f.Job, f.State, f.State)
	case f.State != "" && f.State.Ended():
		where, args = where+` AND r.state = ? AND r.state NOT IN ('queued', 'running')`, append(args, f.State)
	case f.State != "": // there are no more than are open
		where, args = where+` AND r.id IN (SELECT id FROM job_runs WHERE state IN ('queued', 'running') AND state = ?)`, append(args, f.State)
	}
	return read(ctx, s, func(tx *Tx) (core.List[jobs.Run], error) {
		return pageLegible(tx, ask, func(r jobs.Run) string { return string(r.ID) }, scanRun,
			`SELECT `+runColumns+` FROM job_runs r WHERE `+where+` ORDER BY r.id DESC LIMIT ?`, append(args, ask.Limit+1)...)
	})
}

// RunOverrides returns the sealed values of the variables that were given for a fire, by its first run; nil when
// there are none, or when no run of the fire is open any more. NotFound "run.not_found".
func (s *Store) RunOverrides(ctx context.Context, id core.RunID) (seal.Sealed, error) {
	return read(ctx, s, func(tx *Tx) (seal.Sealed, error) {
		return one(tx, errRunMissing, scalar[seal.Sealed], `SELECT overrides FROM job_runs WHERE id = ?`, id)
	})
}
