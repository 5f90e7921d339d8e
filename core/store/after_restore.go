package store

import (
	"context"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
)

// restoredEpochs is by how much the epochs of links rise in a database that was restored: more than there can have been
// links since its backup was made, so that no number comes a second time.
const restoredEpochs = 1 << 20

// errorRestored is the code of what was open when a backup was made.
const errorRestored = "backup.restored"

const whyRestored = "It was under way when the backup was made that the server was restored from. What became of it is not known here; what runs is observed and shown."

const whyUnsent = "It waited when the backup was made that the server was restored from, and may have been sent since."

// AfterRestore makes a database that was restored fit to be used: nobody is signed in, nothing that was under way when
// its backup was made is begun again, and no epoch comes a second time.
func (s *Store) AfterRestore(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		for _, query := range []string{`DELETE FROM sessions`, `DELETE FROM invitations`, `DELETE FROM password_resets`} { // used since, they would be good again
			if _, err := tx.exec(query); err != nil {
				return err
			}
		}
		if err := s.endRestored(tx); err != nil {
			return err
		}
		now := micros(s.now())
		if _, err := tx.exec(`UPDATE outbox SET state = 'failed', ended_at = ?, sealed = NULL, code = ?, answer = ? WHERE state = 'waiting'`, now, errorRestored, whyUnsent); err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE commands SET state = ?, ended_at = ? WHERE ended_at = 0`, stacks.CommandCancelled, now); err != nil {
			return err
		}
		_, err := tx.exec(`UPDATE workers SET epoch = epoch + ?, hub_id = '', left_at = CASE WHEN left_at < connected_at THEN ? ELSE left_at END`, restoredEpochs, now)
		return err
	})
}

// endRestoredDeployments ends all that are in one state with another.
func (s *Store) endRestoredDeployments(tx *Tx, from, to stacks.DeploymentState) error {
	open, err := many(tx, scalar[core.DeploymentID], `SELECT id FROM deployments WHERE state IN ('queued', 'running') ORDER BY id`)
	for _, id := range open {
		if err != nil {
			return err
		}
		var d stacks.Deployment
		if d, err = deploymentByID(tx, id); err == nil && d.State == from {
			_, err = s.end(tx, stacks.Outcome{Deployment: id, State: to, ErrorCode: errorRestored, Error: whyRestored, At: s.now(), NoRestore: true}, nil)
		}
	}
	return err
}

// endRestored ends every deployment and run that was open.
func (s *Store) endRestored(tx *Tx) error {
	if err := s.endRestoredDeployments(tx, stacks.DeploymentRunning, stacks.DeploymentFailed); err != nil {
		return err
	}
	// Those too that waited for one that ran.
	if err := s.endRestoredDeployments(tx, stacks.DeploymentQueued, stacks.DeploymentCancelled); err != nil {
		return err
	}
	runs, err := many(tx, scalar[core.RunID], `SELECT id FROM job_runs WHERE state IN ('queued', 'running') ORDER BY job_id, id`)
	for _, id := range runs {
		if err == nil {
			_, err = s.endRun(tx, jobs.Outcome{Run: id, State: jobs.RunLost, ErrorCode: errorRestored, Error: whyRestored, At: s.now()}, nil)
		}
	}
	return err
}
