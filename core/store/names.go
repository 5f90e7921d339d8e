package store

import (
	"context"
	"slices"
	"strings"

	"berth/core"
	"berth/core/fleet"
	"berth/core/jobs"
	"berth/core/stacks"
)

// nameStep is how many names one statement reads.
const nameStep = 100

// ofThese reads what is known by these identifiers; query ends before them. What there is no more is not among it.
func ofThese[T any, ID ~string](ctx context.Context, s *Store, ids []ID, scan func(scanner) (T, error), query string) ([]T, error) {
	ids = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(ids))), func(id ID) bool { return id == "" })
	if len(ids) == 0 {
		return nil, nil
	}
	return read(ctx, s, func(tx *Tx) (all []T, err error) {
		for some := range slices.Chunk(ids, nameStep) {
			args := make([]any, len(some))
			for i, id := range some {
				args[i] = id
			}
			found, err := many(tx, scan, tx.timed(query)+` WHERE id IN (?`+strings.Repeat(`, ?`, len(some)-1)+`) ORDER BY id LIMIT ?`, append(args, nameStep)...)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
		return all, nil
	})
}

// pair is an identifier and a name.
type pair struct{ id, name string }

func scanPair(row scanner) (p pair, err error) { return p, row.Scan(&p.id, &p.name) }

func byID[ID ~string](all []pair, err error) (map[ID]string, error) {
	names := make(map[ID]string, len(all))
	for _, p := range all {
		names[ID(p.id)] = p.name
	}
	return names, err
}

// StackNames returns what these stacks are called, in one statement for a hundred.
func (s *Store) StackNames(ctx context.Context, ids []core.StackID) (map[core.StackID]string, error) {
	return byID[core.StackID](ofThese(ctx, s, ids, scanPair, `SELECT id, name FROM stacks`))
}

// JobNames is StackNames for jobs.
func (s *Store) JobNames(ctx context.Context, ids []core.JobID) (map[core.JobID]string, error) {
	return byID[core.JobID](ofThese(ctx, s, ids, scanPair, `SELECT id, name FROM jobs`))
}

// RepositoryNames is StackNames for repositories.
func (s *Store) RepositoryNames(ctx context.Context, ids []core.RepositoryID) (map[core.RepositoryID]string, error) {
	return byID[core.RepositoryID](ofThese(ctx, s, ids, scanPair, `SELECT id, name FROM repositories`))
}

// WorkersNamed returns these workers with what a list of other things tells of them: identifier, host name, whether
// another has that too, whether it is revoked, and whether it is there. All else is empty.
func (s *Store) WorkersNamed(ctx context.Context, ids []core.WorkerID) ([]fleet.Worker, error) {
	return ofThese(ctx, s, ids, func(row scanner) (w fleet.Worker, err error) {
		return w, row.Scan(&w.ID, &w.Hostname, &w.Namesake, &w.Revoked, &w.Online, &w.Unheard)
	}, `SELECT id, hostname, `+namesake+`, revoked, CASE WHEN `+isOnline+` THEN 1 ELSE 0 END, CASE WHEN `+isUnheard+` THEN 1 ELSE 0 END FROM workers`)
}

// LastDeployments returns the newest deployment of each of these stacks, of those that have one.
func (s *Store) LastDeployments(ctx context.Context, ids []core.StackID) (map[core.StackID]stacks.Last, error) {
	last := make(map[core.StackID]stacks.Last, len(ids))
	_, err := ofThese(ctx, s, ids, func(row scanner) (none struct{}, err error) {
		var stack core.StackID
		var d stacks.Last
		if err = row.Scan(&stack, &d.ID, &d.ErrorCode); d.ID != "" {
			last[stack] = d
		}
		return none, err
	}, `SELECT id, coalesce((SELECT d.id FROM deployments d WHERE d.stack_id = stacks.id ORDER BY d.id DESC LIMIT 1), ''),
		coalesce((SELECT d.error_code FROM deployments d WHERE d.stack_id = stacks.id ORDER BY d.id DESC LIMIT 1), '') FROM stacks`)
	return last, err
}

// StackBriefs returns all stacks of a repository, by name.
func (s *Store) StackBriefs(ctx context.Context, id core.RepositoryID) ([]stacks.Brief, error) {
	return read(ctx, s, func(tx *Tx) ([]stacks.Brief, error) {
		return many(tx, func(row scanner) (b stacks.Brief, err error) {
			return b, row.Scan(&b.ID, &b.Name, &b.Path, &b.Status, &b.Deleting)
		}, `SELECT id, name, path, status, deleting FROM stacks WHERE repository_id = ? ORDER BY name LIMIT ?`, id, maxStacks)
	})
}

// JobBriefs returns all jobs of a repository, by name.
func (s *Store) JobBriefs(ctx context.Context, id core.RepositoryID) ([]jobs.Brief, error) {
	return read(ctx, s, func(tx *Tx) ([]jobs.Brief, error) {
		return many(tx, func(row scanner) (b jobs.Brief, err error) {
			return b, row.Scan(&b.ID, &b.Name, &b.Path, &b.Standing)
		}, `SELECT id, name, path, `+standing+` FROM jobs WHERE repository_id = ? ORDER BY name LIMIT ?`, id, maxJobs)
	})
}
