package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/stacks"
)

// RevokeWorker implements fleet.Store.
func (s *Store) RevokeWorker(ctx context.Context, id core.WorkerID, e access.AuditEvent) (fleet.Worker, error) {
	return write(ctx, s, func(tx *Tx) (fleet.Worker, error) {
		w, err := workerByID(tx, id)
		if err != nil || w.Revoked {
			return w, err
		}
		if _, err := tx.exec(`UPDATE worker_tokens SET revoked = 1 WHERE id = ?`, w.TokenID); err != nil {
			return w, err
		}
		if err := tx.change(errWorkerMissing, `UPDATE workers SET revoked = 1, epoch = epoch + 1, left_at = CASE WHEN connected_at > ? THEN connected_at ELSE ? END
			WHERE id = ? AND revoked = 0`, micros(s.now()), micros(s.now()), id); err != nil {
			return w, err
		}
		if err := s.closeWork(tx, w, "was revoked", e.Actor); err != nil {
			return w, err
		}
		if err := s.audit(tx, e); err != nil {
			return w, err
		}
		return workerByID(tx, id)
	})
}

// DeleteWorker implements fleet.Store.
func (s *Store) DeleteWorker(ctx context.Context, id core.WorkerID, e access.AuditEvent) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		w, err := workerByID(tx, id)
		if err != nil {
			return err
		}
		if err := refuseWithStacks(tx, w); err != nil {
			return err
		}
		if err := s.closeWork(tx, w, "was deleted", e.Actor); err != nil {
			return err
		}
		if err := tx.change(errWorkerMissing, `DELETE FROM workers WHERE id = ?`, id); err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM worker_tokens WHERE id = ?`, w.TokenID); err != nil {
			return err
		}
		return s.audit(tx, e)
	})
}

// refuseWithStacks is a Conflict that names the stacks assigned to w, if there are any.
func refuseWithStacks(tx *Tx, w fleet.Worker) error {
	if w.Stacks == 0 {
		return nil
	}
	const shown = 10
	names, err := many(tx, scalar[string], `SELECT name FROM stacks WHERE worker_id = ? ORDER BY name LIMIT ?`, w.ID, shown)
	if err != nil {
		return err
	}
	text := strings.Join(names, ", ")
	if more := w.Stacks - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fault.New(fault.Conflict, "worker.has_stacks",
		"Worker %s still has stacks: %s. Transfer or delete them first.", w.Hostname, text)
}

// closeWork ends what a worker will never answer: its commands and the deployments that
// wait for them. What was sent may or may not run on its host, so that is lost rather
// than failed.
func (s *Store) closeWork(tx *Tx, w fleet.Worker, why string, by access.Principal) error {
	open, err := many(tx, scanCommand, `SELECT `+commandColumns+` FROM commands WHERE worker_id = ? AND ended_at = 0 ORDER BY id LIMIT ?`, w.ID, maxStacks)
	if err != nil {
		return err
	}
	now := s.now()
	for _, cmd := range open {
		if cmd.Deployment != "" {
			err = s.closeDeployment(tx, cmd, w, why, by, now)
		} else {
			err = s.endTeardown(tx, cmd, fmt.Sprintf("worker %s %s", w.Hostname, why), now)
		}
		if err != nil {
			return err
		}
	}
	_, err = tx.exec(`UPDATE commands SET state = ?, ended_at = ? WHERE worker_id = ? AND ended_at = 0`, stacks.CommandCancelled, micros(now), w.ID)
	return err
}

func (s *Store) closeDeployment(tx *Tx, cmd stacks.Command, w fleet.Worker, why string, by access.Principal, now time.Time) error {
	d, err := deploymentByID(tx, cmd.Deployment)
	if fault.Is(err, fault.NotFound) {
		return nil // it went with its stack; the command is closed with the others
	}
	if err != nil {
		return err
	}
	o := stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentLost, Phases: d.Phases, ErrorCode: "worker.gone", At: now, Actor: personOf(by.Name), NoRestore: true,
		Error: fmt.Sprintf("worker %s %s while it was deploying; what runs on its host is not known", w.Hostname, why)}
	if cmd.State == stacks.CommandQueued && !cmd.Body.Restore {
		o.State, o.Error = stacks.DeploymentFailed, fmt.Sprintf("worker %s %s before it began; nothing was changed on its host", w.Hostname, why)
	}
	if cmd.Body.Restore {
		o.Error = fmt.Sprintf("worker %s %s before revision %d was put back; what runs on its host is not known", w.Hostname, why, cmd.Body.Revision)
	}
	for i, phase := range o.Phases {
		if phase.State == stacks.PhaseRunning {
			o.Phases[i].State, o.Phases[i].Message = stacks.PhaseFailed, o.Error
			o.Phases[i].DurationMS = stacks.Elapsed(phase.StartedAt, now)
		}
	}
	_, err = s.end(tx, o, nil)
	return err
}
