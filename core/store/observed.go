package store

import (
	"context"
	"encoding/json"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// SaveObserved stores what a worker saw, in one commit, and gives stacks that no
// deployment works on the status that their containers show. Only the worker's own
// stacks are touched. complete says that stacks which are not listed have no container.
// It returns the stacks whose row changed.
func (s *Store) SaveObserved(ctx context.Context, worker core.WorkerID, seen []stacks.Observation, complete bool, at time.Time) ([]core.StackID, error) {
	return write(ctx, s, func(tx *Tx) ([]core.StackID, error) {
		own, err := many(tx, scanStack, `SELECT `+stackColumns+` FROM stacks WHERE worker_id = ? ORDER BY name LIMIT ?`, worker, maxStacks)
		if err != nil {
			return nil, err
		}
		byID := make(map[core.StackID][]stacks.ContainerState, len(seen))
		for _, o := range seen {
			byID[o.Stack] = o.Containers
		}
		var changed []core.StackID
		for _, st := range own {
			containers, listed := byID[st.ID]
			if !listed && !complete {
				continue
			}
			moved, err := observe(tx, st, containers, at)
			if err != nil {
				return nil, err
			}
			if moved {
				changed = append(changed, st.ID)
			}
		}
		return changed, nil
	})
}

// observe updates one stack if what was seen differs from its row.
func observe(tx *Tx, st stacks.Stack, containers []stacks.ContainerState, at time.Time) (bool, error) {
	before := st
	st.Containers = list(containers)
	services, err := servicesOf(tx, st)
	if err != nil {
		return false, err
	}
	health := stacks.JudgeServices(services, st.Containers)
	switch active, degraded := st.Status == stacks.StatusActive, st.Status == stacks.StatusDegraded; {
	case (active || degraded) && !health.OK:
		st.Status, st.Error = stacks.StatusDegraded, health.Reason
	case degraded: // an active stack keeps what polling says of it
		st.Status, st.Error = stacks.StatusActive, ""
	}
	if st.Status == before.Status && st.Error == before.Error && same(before.Containers, st.Containers) {
		return false, nil
	}
	_, err = tx.exec(`UPDATE stacks SET containers = ?, status = ?, error = ?, observed_at = ? WHERE id = ?`,
		toJSON(st.Containers), st.Status, st.Error, micros(at), st.ID)
	return true, err
}

// servicesOf returns what should run of a stack: the compose services of its current revision.
func servicesOf(tx *Tx, st stacks.Stack) ([]core.ComposeService, error) {
	return one(tx, nil, func(row scanner) (services []core.ComposeService, err error) {
		return services, row.Scan(jsonInto{&services})
	},
		`SELECT services FROM revisions WHERE stack_id = ? AND number = ?`, st.ID, st.Revision)
}

func same(a, b []stacks.ContainerState) bool {
	x, errX := json.Marshal(list(a))
	y, errY := json.Marshal(list(b))
	return errX == nil && errY == nil && string(x) == string(y)
}
