package store

import (
	"context"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/seal"
)

// QueueRun implements jobs.Store. The run waits for Begin.
func (s *Store) QueueRun(ctx context.Context, r jobs.Run, overrides seal.Sealed, by access.Principal) (jobs.Run, error) {
	return writeNew(ctx, s, func(tx *Tx) (jobs.Run, error) {
		j, err := jobByID(tx, r.Job)
		if err != nil {
			return r, err
		}
		if !j.Ready() {
			return r, notReady(j)
		}
		if err := queueHasRoom(tx, j); err != nil {
			return r, err
		}
		r.Fire, r.State, r.Commit, r.Definition, r.Configs = r.ID, jobs.RunQueued, j.Commit, j.Definition, j.Configs
		r.Worker, r.Command, r.Attempt = "", "", max(1, r.Attempt)
		if r.QueuedAt.IsZero() {
			r.QueuedAt = s.now()
		}
		if r.ScheduledAt.IsZero() {
			r.ScheduledAt = r.QueuedAt
		}
		if err := insertRuns(tx, []jobs.Run{r}); err != nil {
			return r, err
		}
		if _, err := tx.exec(`UPDATE job_runs SET overrides = ? WHERE id = ?`, overrides, r.ID); err != nil {
			return r, err
		}
		if err := s.audit(tx, by.Audit("job.run", string(j.ID), string(r.ID))); err != nil {
			return r, err
		}
		return runByID(tx, r.ID, scanRun)
	})
}

func notReady(j jobs.Job) error {
	why := "its file was not read yet. Try again in a moment"
	if j.ErrorCode != "" {
		why = j.Error
	}
	return fault.New(fault.Conflict, "job.not_ready", "The job %q cannot run: %s.", j.Name, why)
}

// queueHasRoom refuses a run behind as many as may wait.
func queueHasRoom(tx *Tx, j jobs.Job) error {
	waiting, err := one(tx, nil, scalar[int], `SELECT count(*) FROM job_runs WHERE job_id = ? AND state IN ('queued', 'running') AND state = 'queued' AND command_id = ''`, j.ID)
	if err == nil && waiting >= jobs.MaxWaiting {
		err = fault.New(fault.Conflict, "job.queue_full", "%d runs of the job %q wait already, which is as many as may. Wait for them, or cancel some.", waiting, j.Name)
	}
	return err
}
