package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
)

// RecordAct implements stacks.Store.
func (s *Store) RecordAct(ctx context.Context, id core.StackID, service string, act stacks.Act, by access.Principal) error {
	return s.db.Write(ctx, func(tx *Tx) error { // not WriteNew: what hurts can be stopped while the disk is full
		if _, err := stackByID(tx, id); err != nil {
			return err
		}
		return s.audit(tx, by.Audit("service."+string(act), string(id), service))
	})
}

// healthOf is stacks.JudgeServices, and names who stopped what was stopped through Berth, where that is known.
func healthOf(tx *Tx, st stacks.Stack, services []core.ComposeService) (stacks.Health, error) {
	health := stacks.JudgeServices(services, st.Containers)
	if health.Halted == "" {
		return health, nil
	}
	by, err := one(tx, nil, scalar[string], `SELECT actor_name FROM audit_events WHERE resource = ? AND action = 'service.stop' AND detail = ? ORDER BY id DESC LIMIT 1`,
		st.ID, health.Halted)
	health.Reason = stacks.HaltedReason(health.Halted, by)
	return health, err
}
