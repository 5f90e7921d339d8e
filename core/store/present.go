package store

import (
	"context"
	"slices"
	"strings"

	"berth/core"
)

// presentIn finds what is left of things that the audit names, by the prefix of their identifiers.
var presentIn = map[string]string{
	core.PrefixStack:          `SELECT id FROM stacks WHERE id IN (`,
	core.PrefixJob:            `SELECT id FROM jobs WHERE id IN (`,
	core.PrefixRepository:     `SELECT id FROM repositories WHERE id IN (`,
	core.PrefixServiceAccount: `SELECT id FROM service_accounts WHERE id IN (`,
}

// Present tells which of the identifiers of stacks, jobs, repositories and service accounts are of something that
// there still is. There are at most core.MaxPage identifiers.
func (s *Store) Present(ctx context.Context, ids []string) (map[string]bool, error) {
	kinds := map[string][]string{}
	for _, id := range ids {
		if prefix, _, _ := strings.Cut(id, "_"); presentIn[prefix] != "" && !slices.Contains(kinds[prefix], id) {
			kinds[prefix] = append(kinds[prefix], id)
		}
	}
	there := map[string]bool{}
	return there, s.db.Read(ctx, func(tx *Tx) error {
		for prefix, some := range kinds {
			in, args := among(some)
			found, err := many(tx, scalar[string], presentIn[prefix]+in+`) ORDER BY id LIMIT ?`, append(args, len(some))...)
			if err != nil {
				return err
			}
			for _, id := range found {
				there[id] = true
			}
		}
		return nil
	})
}
