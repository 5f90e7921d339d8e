package store

import (
	"context"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
)

// WorkerDeployments returns what a worker was given to deploy: what is open, and then what ended, each newest first
// and at most limit of each. What cannot be read is left out and named.
func (s *Store) WorkerDeployments(ctx context.Context, id core.WorkerID, limit int) (core.List[stacks.Deployment], error) {
	return read(ctx, s, func(tx *Tx) (core.List[stacks.Deployment], error) {
		return openFirst(tx, limit, func(d stacks.Deployment) string { return string(d.ID) }, scanDeployment,
			`SELECT `+deploymentColumns+` FROM deployments WHERE worker_id = ?`, id)
	})
}

// WorkerRuns is WorkerDeployments for runs of jobs.
func (s *Store) WorkerRuns(ctx context.Context, id core.WorkerID, limit int) (core.List[jobs.Run], error) {
	return read(ctx, s, func(tx *Tx) (core.List[jobs.Run], error) {
		return openFirst(tx, limit, func(r jobs.Run) string { return string(r.ID) }, scanRun,
			`SELECT `+runColumns+` FROM job_runs r WHERE r.worker_id = ?`, id)
	})
}

// openFirst lists what is open, then what ended, of a query that ends in a condition.
func openFirst[T any](tx *Tx, limit int, name func(T) string, scan func(scanner) (T, error), query string, id core.WorkerID) (all core.List[T], err error) {
	for _, which := range []string{`IN`, `NOT IN`} {
		list, err := pageLegible(tx, core.Page{Limit: limit}, name, scan, query+` AND state `+which+` ('queued', 'running') ORDER BY id DESC LIMIT ?`, id, limit+1)
		if err != nil {
			return core.List[T]{}, err
		}
		all.Items, all.LeftOut = append(all.Items, list.Items...), append(all.LeftOut, list.LeftOut...)
	}
	return all, nil
}
