package store

import (
	"fmt"

	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/stacks"
)

// closeRun ends a run whose worker leaves. One that was sent may or may not have run, so it is lost. One that
// was not goes to another worker, when its job wants one worker.
func (s *Store) closeRun(tx *Tx, c stacks.Command, gone leaving) error {
	r, err := runByID(tx, c.Run, scanOpenRun)
	if fault.Is(err, fault.NotFound) {
		return nil // it went with its job
	}
	if err != nil || r.State.Ended() || r.Command != c.ID {
		return err
	}
	if c.State != stacks.CommandQueued {
		return s.endGone(tx, r, gone, jobs.RunLost, "while it had the run; whether that ended, and how, is not known")
	}
	if _, err := tx.exec(`UPDATE commands SET state = ?, ended_at = ? WHERE id = ?`, stacks.CommandCancelled, micros(gone.at), c.ID); err != nil {
		return err
	}
	if _, err := tx.exec(`UPDATE job_runs SET command_id = '' WHERE id = ?`, r.ID); err != nil {
		return err
	}
	r.Command = ""
	return s.waitElsewhere(tx, r, gone)
}

// closeWaiting does with the runs that wait for a worker that leaves, such as another attempt on it, what closeRun
// does with those that were not sent.
func (s *Store) closeWaiting(tx *Tx, gone leaving) error {
	waiting, err := many(tx, scanOpenRun, `SELECT `+runColumns+` FROM job_runs r WHERE r.worker_id = ? AND r.state IN ('queued', 'running') AND r.state = 'queued' AND r.command_id = '' ORDER BY r.id LIMIT ?`,
		gone.worker.ID, maxJobs)
	if err != nil {
		return err
	}
	for _, r := range waiting {
		if err := s.waitElsewhere(tx, r, gone); err != nil {
			return err
		}
	}
	return nil
}

// waitElsewhere has a run that has not begun wait for any worker, when its job wants one. Nothing is known of
// the job of a run that cannot be read, so that ends.
func (s *Store) waitElsewhere(tx *Tx, r jobs.Run, gone leaving) error {
	if r.Definition.Mode != jobs.ModeOnce {
		return s.endGone(tx, r, gone, jobs.RunSkipped, "before the run began; nothing was started on its host")
	}
	_, err := tx.exec(`UPDATE job_runs SET worker_id = '' WHERE id = ?`, r.ID)
	return err
}

func (s *Store) endGone(tx *Tx, r jobs.Run, gone leaving, state jobs.RunState, when string) error {
	_, err := s.endRun(tx, jobs.Outcome{Run: r.ID, State: state, ErrorCode: "run.worker_gone", At: gone.at, Actor: personOf(gone.by.Name),
		Error: fmt.Sprintf("Worker %s %s %s.", gone.worker.Hostname, gone.why, when)}, nil)
	return err
}
