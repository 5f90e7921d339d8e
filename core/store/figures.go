package store

import (
	"context"
	"encoding/json"

	"berth/core/stacks"
)

// Figures returns what the metrics show of all stacks, their deployments and their commands: in one
// transaction, at most stacks.MaxFigures stacks one by one.
func (s *Store) Figures(ctx context.Context) (stacks.Figures, error) {
	return read(ctx, s, func(tx *Tx) (f stacks.Figures, err error) {
		if f.Stacks, err = figures(tx); err != nil {
			return f, err
		}
		if f.Counts, err = counts[stacks.Status](tx, `SELECT status, count(*) FROM stacks GROUP BY status ORDER BY status LIMIT 100`); err != nil {
			return f, err
		}
		if f.Open, err = counts[stacks.DeploymentState](tx, `SELECT state, count(*) FROM deployments WHERE state IN ('queued', 'running') GROUP BY state ORDER BY state LIMIT 100`); err != nil {
			return f, err
		}
		if f.Repositories, err = counts[string](tx, `SELECT error_code, count(*) FROM repositories GROUP BY error_code ORDER BY error_code LIMIT 100`); err != nil {
			return f, err
		}
		hooked, err := one(tx, nil, scalar[int64], `SELECT coalesce(max(hooked_at), 0) FROM repositories`)
		if err != nil {
			return f, err
		}
		f.DeliveredAt = fromMicros(hooked)
		f.Unacknowledged, err = one(tx, nil, scalar[int], `SELECT count(*) FROM commands WHERE ended_at = 0 AND state IN (?, ?)`, stacks.CommandQueued, stacks.CommandSent)
		return f, err
	})
}

// counts reads how many rows there are of each word.
func counts[W ~string](tx *Tx, query string) (map[W]int, error) {
	all := map[W]int{}
	_, err := many(tx, func(row scanner) (W, error) {
		var word W
		var n int
		err := row.Scan(&word, &n)
		all[word] = n
		return word, err
	}, query)
	return all, err
}

// figures reads the stacks one by one. What their containers show is read only where the status does not
// tell it, and counts as nothing when it cannot be read.
func figures(tx *Tx) ([]stacks.Figure, error) {
	return many(tx, func(row scanner) (stacks.Figure, error) {
		var (
			st              stacks.Stack
			repository      string
			containers      string
			behind, success int64
		)
		err := row.Scan(&st.ID, &st.Name, &st.Worker, &repository, &st.Status, &st.Drifted, &st.Revision, &behind, &success, &containers)
		if containers != "" && json.Unmarshal([]byte(containers), &st.Containers) != nil {
			st.Containers = nil
		}
		return stacks.FigureOf(st, repository, fromMicros(behind), fromMicros(success)), err
	}, `SELECT s.id, s.name, coalesce(s.worker_id, ''), r.name, s.status, s.drifted, s.revision, s.out_of_sync_since, s.deployed_at,
		CASE WHEN s.revision > 0 AND s.status NOT IN (?, ?, ?) THEN s.containers ELSE '' END
		FROM stacks s JOIN repositories r ON r.id = s.repository_id ORDER BY s.id LIMIT ?`,
		stacks.StatusActive, stacks.StatusDegraded, stacks.StatusPaused, stacks.MaxFigures)
}
