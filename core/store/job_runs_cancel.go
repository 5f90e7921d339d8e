package store

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/jobs"
)

// CancelRun implements jobs.Store. What runs can be stopped while the disk is full.
func (s *Store) CancelRun(ctx context.Context, id core.RunID, by access.Principal) (jobs.Run, error) {
	return write(ctx, s, func(tx *Tx) (jobs.Run, error) {
		r, err := runByID(tx, id, scanOpenRun)
		if err != nil {
			return r, err
		}
		if r.State.Ended() {
			return r, fault.New(fault.Conflict, "run.ended", "The run has ended (%s); there is nothing to cancel.", r.State)
		}
		if err := s.audit(tx, by.Audit("run.cancel", string(r.Job), string(id))); err != nil {
			return r, err
		}
		if err := s.stop(tx, r, stopping{by.Name, "run.cancelled", "Cancelled by " + by.Name + " before it began; nothing ran."}); err != nil {
			return r, err
		}
		return runByID(tx, id, scanOpenRun)
	})
}

// stopping is why a run is stopped: who wants it, and what its end says when it was not given to its worker.
type stopping struct{ by, code, text string }

// replace stops runs for newer ones of their jobs.
func (s *Store) replace(tx *Tx, ids []core.RunID) error {
	for _, id := range ids {
		r, err := runByID(tx, id, scanOpenRun)
		if err == nil && !r.State.Ended() {
			err = s.stop(tx, r, stopping{access.System.Name, "run.replaced", "A newer run of the job took its place before it began, as overlap: replace in job.yaml wants it; nothing ran."})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stop ends an open run that was not given to its worker, and marks another to be stopped there. Who
// asked first stays.
func (s *Store) stop(tx *Tx, r jobs.Run, why stopping) error {
	if r.Cancelling {
		return nil
	}
	if _, err := tx.exec(`UPDATE job_runs SET cancelling = 1, cancelled_by = ? WHERE id = ?`, why.by, r.ID); err != nil {
		return err
	}
	_, err := s.endRun(tx, jobs.Outcome{Run: r.ID, State: jobs.RunCancelled, ErrorCode: why.code, Error: why.text, At: s.now().Truncate(time.Microsecond), OnlyUnsent: true}, nil)
	return err
}
