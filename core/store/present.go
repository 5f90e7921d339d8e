package store

import (
	"context"
	"strings"

	"berth/core"
)

// namedBy finds what is left of things that the audit names, by the prefix of their identifiers.
var namedBy = map[string]string{
	core.PrefixStack:          `SELECT id, name FROM stacks`,
	core.PrefixJob:            `SELECT id, name FROM jobs`,
	core.PrefixRepository:     `SELECT id, name FROM repositories`,
	core.PrefixServiceAccount: `SELECT id, name FROM service_accounts`,
	core.PrefixUser:           `SELECT id, email FROM users`,
	core.PrefixWorker:         `SELECT id, hostname FROM workers`,
	core.PrefixWorkerToken:    `SELECT id, name FROM worker_tokens`,
	core.PrefixDeployment:     `SELECT id, '' FROM deployments`,
	core.PrefixRun:            `SELECT id, '' FROM job_runs`,
}

// Named returns what these things are called, of those that there still are; some have no name. What has no page is not
// among them. There are at most core.MaxPage identifiers.
func (s *Store) Named(ctx context.Context, ids []string) (map[string]string, error) {
	kinds := map[string][]string{}
	for _, id := range ids {
		prefix, _, _ := strings.Cut(id, "_")
		kinds[prefix] = append(kinds[prefix], id)
	}
	names := map[string]string{}
	for prefix, query := range namedBy {
		found, err := ofThese(ctx, s, kinds[prefix], scanPair, query)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			names[p.id] = p.name
		}
	}
	return names, nil
}
