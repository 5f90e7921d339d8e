package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"berth/core"
	"berth/core/stacks"
)

// MarkDelivering notes which secret values the frame of a command gives, as fingerprints by name, before it
// is sent. What a worker already has on its disk keeps the values that it came with.
func (s *Store) MarkDelivering(ctx context.Context, id core.CommandID, prints map[string]string) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE commands SET delivered = ? WHERE id = ? AND state <> 'accepted' AND ended_at = 0`, toJSON(prints), id)
		return err
	})
}

// delivered notes what the last command of a deployment, which put a revision in place, gave to the stack's
// containers.
func delivered(tx *Tx, stack core.StackID, revision int, deployment core.DeploymentID) error {
	prints, err := one(tx, nil, scalar[string], `SELECT delivered FROM commands WHERE deployment_id = ? ORDER BY id DESC LIMIT 1`, deployment)
	if err != nil {
		return err
	}
	if _, err := tx.exec(`DELETE FROM delivered WHERE stack_id = ?`, stack); err != nil || prints == "" {
		return err
	}
	_, err = tx.exec(`INSERT INTO delivered (stack_id, revision, prints, rotation) VALUES (?, ?, ?, '{}')`, stack, revision, prints)
	return err
}

// Delivered returns what stacks were given of secret values, in order of stacks, after the given one. A row
// that cannot be read is left out and named in the error, "store.unreadable".
func (s *Store) Delivered(ctx context.Context, after core.StackID, limit int) ([]stacks.Delivered, error) {
	return read(ctx, s, func(tx *Tx) ([]stacks.Delivered, error) {
		return manyLegible(tx, scanDelivered, `SELECT d.stack_id, s.name, d.revision, r.services, r.manifest, d.prints, d.rotation
			FROM delivered d JOIN stacks s ON s.id = d.stack_id JOIN revisions r ON r.stack_id = d.stack_id AND r.number = d.revision
			WHERE d.stack_id > ? AND s.deleting = 0 ORDER BY d.stack_id LIMIT ?`, after, limit)
	})
}

func scanDelivered(row scanner) (stacks.Delivered, error) {
	var d stacks.Delivered
	var m stacks.Manifest
	err := row.Scan(&d.Stack, &d.Name, &d.Revision, jsonInto{&d.Services}, jsonInto{&m}, jsonInto{&d.Prints}, jsonInto{&d.Rotation})
	d.Redeploy = m.RedeployOnRotation
	return d, legible("delivered secrets", fmt.Sprintf("of stack %s", d.Stack), err)
}

// SetRotation stores what was found out of a stack's secret values, unless another deployment has put
// something in place since. With redeploy it queues a deployment of the revision that runs, once for each
// set of newer values; not while the stack is paused or another deployment is open, which is found out
// again at the next look.
func (s *Store) SetRotation(ctx context.Context, d stacks.Delivered, r stacks.Rotation, redeploy bool) (queued bool, err error) {
	return write(ctx, s, func(tx *Tx) (bool, error) {
		kept := r
		st, err := stackByID(tx, d.Stack)
		if err != nil {
			return false, err
		}
		open, err := openOf(tx, d.Stack)
		if err != nil {
			return false, err
		}
		redeploy = redeploy && !st.Paused && !st.Deleting && len(open) == 0 && st.Revision == d.Revision
		if !redeploy {
			kept.Seen = d.Rotation.Seen
		}
		changed, err := tx.exec(`UPDATE delivered SET rotation = ? WHERE stack_id = ? AND revision = ? AND prints = ?`, toJSON(kept), d.Stack, d.Revision, toJSON(d.Prints))
		if err != nil || changed == 0 || !redeploy {
			return false, err
		}
		_, err = s.queue(tx, stacks.Ask{Stack: d.Stack, Trigger: stacks.TriggerRotation, Actor: stacks.SystemActor, Aim: stacks.Aim{Revision: d.Revision}, Reason: r.Text()})
		return err == nil, err
	})
}

// Rotation returns what is known of a stack's secret values that are newer at their provider.
func (s *Store) Rotation(ctx context.Context, stack core.StackID) (stacks.Rotation, error) {
	return read(ctx, s, func(tx *Tx) (stacks.Rotation, error) {
		return one(tx, nil, func(row scanner) (stacks.Rotation, error) {
			var r stacks.Rotation
			err := row.Scan(jsonInto{&r})
			if errors.Is(err, sql.ErrNoRows) {
				return r, err
			}
			return r, legible("delivered secrets", fmt.Sprintf("of stack %s", stack), err)
		}, `SELECT rotation FROM delivered WHERE stack_id = ?`, stack)
	})
}
