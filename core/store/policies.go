package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/policy"
)

const policyColumns = `worker_id, rules, changed_by, updated_at`

func scanPolicy(row scanner) (fleet.Policy, error) {
	var p fleet.Policy
	var updated int64
	err := row.Scan(&p.Worker, jsonInto{&p.Rules}, &p.ChangedBy, &updated)
	p.UpdatedAt = fromMicros(updated)
	return p, legible("policy", string(p.Worker), err)
}

// Policy implements fleet.Store.
func (s *Store) Policy(ctx context.Context, worker core.WorkerID) (fleet.Policy, error) {
	return read(ctx, s, func(tx *Tx) (fleet.Policy, error) { return policyOf(tx, worker) })
}

func policyOf(tx *Tx, worker core.WorkerID) (fleet.Policy, error) {
	found, err := many(tx, scanPolicy, `SELECT `+policyColumns+` FROM policies WHERE worker_id = ?`, worker)
	if err != nil || len(found) == 0 {
		return fleet.Policy{Worker: worker}, err
	}
	return found[0], nil
}

// PolicyLayers returns the rules that the server has for a worker, those of the worker first. Where they cannot be read
// nothing is known to be allowed, so that is an error.
func (s *Store) PolicyLayers(ctx context.Context, worker core.WorkerID) ([]policy.Layer, error) {
	return read(ctx, s, func(tx *Tx) ([]policy.Layer, error) {
		all, err := many(tx, scanPolicy, `SELECT `+policyColumns+` FROM policies WHERE worker_id IN (?, '') ORDER BY worker_id DESC LIMIT 2`, worker)
		var layers []policy.Layer
		for _, p := range all {
			layers = append(layers, p.Layer())
		}
		return layers, err
	})
}

// EditPolicy implements fleet.Store.
func (s *Store) EditPolicy(ctx context.Context, worker core.WorkerID, edit func(before fleet.Policy) (after fleet.Policy, e access.AuditEvent)) (fleet.Policy, error) {
	return write(ctx, s, func(tx *Tx) (fleet.Policy, error) {
		if worker != "" {
			if _, err := workerByID(tx, worker); err != nil {
				return fleet.Policy{}, err
			}
		}
		before, err := policyOf(tx, worker)
		if err != nil && fault.CodeOf(err) != "store.unreadable" { // what cannot be read is replaced
			return before, err
		}
		after, e := edit(before)
		if e.Action == "" {
			return after, nil
		}
		if _, err := tx.exec(`DELETE FROM policies WHERE worker_id = ?`, worker); err != nil {
			return after, err
		}
		if !after.UpdatedAt.IsZero() {
			if _, err := tx.exec(`INSERT INTO policies (`+policyColumns+`) VALUES (?, ?, ?, ?)`, worker, toJSON(after.Rules), after.ChangedBy, micros(after.UpdatedAt)); err != nil {
				return after, err
			}
		}
		return after, s.audit(tx, e)
	})
}
