package store

import (
	"context"
	"database/sql"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
)

// maxStacks bounds reads of a whole installation's stacks.
const maxStacks = 100_000

var (
	errStackMissing   = fault.New(fault.NotFound, "stack.not_found", "There is no such stack.")
	errStackNameTaken = fault.New(fault.Conflict, "stack.name_taken", "Another stack has this name. Names are unique because they name the Compose project; choose another.")
	errStackPaused    = fault.New(fault.Conflict, "stack.paused", "The stack is paused. Resume it, or sync it by hand.")
	errStackDeleting  = fault.New(fault.Conflict, "stack.deleting", "The stack is being deleted.")
)

const stackColumns = `id, name, repository_id, path, worker_id, worker_tags, auto_sync, status, drifted, out_of_sync,
	seen_commit, seen_tree, deployed_tree, retries, retry_at, retry, paused, quarantine, drift, heals, heal_at,
	revision, commit_hash, error, containers, observed_at, deleting, created_at, updated_at`

func scanStack(row scanner) (stacks.Stack, error) {
	var (
		s                          stacks.Stack
		worker                     sql.NullString
		observed, created, updated int64
		retry, heal                int64
	)
	err := row.Scan(&s.ID, &s.Name, &s.Repository, &s.Path, &worker, jsonInto{&s.WorkerTags}, &s.AutoSync, &s.Status, &s.Drifted, &s.OutOfSync,
		&s.Seen, &s.SeenTree, &s.DeployedTree, &s.Retries, &retry, jsonInto{&s.Retry}, &s.Paused, jsonInto{&s.Quarantine}, jsonInto{&s.Drift}, &s.Heals, &heal, &s.Revision, &s.Commit, &s.Error, jsonInto{&s.Containers}, &observed, &s.Deleting, &created, &updated)
	s.Worker, s.RetryAt = core.WorkerID(worker.String), fromMicros(retry)
	s.HealAt = fromMicros(heal)
	s.ObservedAt, s.CreatedAt, s.UpdatedAt = fromMicros(observed), fromMicros(created), fromMicros(updated)
	return s, legible("stack", string(s.ID), err)
}

// Stack returns one stack; NotFound "stack.not_found".
func (s *Store) Stack(ctx context.Context, id core.StackID) (stacks.Stack, error) {
	return read(ctx, s, func(tx *Tx) (stacks.Stack, error) { return stackByID(tx, id) })
}

func stackByID(tx *Tx, id core.StackID) (stacks.Stack, error) {
	return one(tx, errStackMissing, scanStack, `SELECT `+stackColumns+` FROM stacks WHERE id = ?`, id)
}

// StacksOfRepository returns every stack of a repository that is not being deleted, by name. Those
// that cannot be read are left out and named in the error, "store.unreadable".
func (s *Store) StacksOfRepository(ctx context.Context, id core.RepositoryID) ([]stacks.Stack, error) {
	return read(ctx, s, func(tx *Tx) ([]stacks.Stack, error) {
		return manyLegible(tx, scanStack, `SELECT `+stackColumns+` FROM stacks WHERE repository_id = ? AND deleting = 0 ORDER BY name LIMIT ?`, id, maxStacks)
	})
}

// StackCounts returns how many stacks have each status.
func (s *Store) StackCounts(ctx context.Context) (map[stacks.Status]int, error) {
	counts := map[stacks.Status]int{}
	type row struct {
		status stacks.Status
		n      int
	}
	rows, err := read(ctx, s, func(tx *Tx) ([]row, error) {
		return many(tx, func(sc scanner) (r row, err error) { return r, sc.Scan(&r.status, &r.n) },
			`SELECT status, count(*) FROM stacks GROUP BY status ORDER BY status LIMIT 100`)
	})
	for _, r := range rows {
		counts[r.status] = r.n
	}
	return counts, err
}

// CreateStack stores a new stack and, when first is set, queues its first deployment.
// Conflict "stack.name_taken"; NotFound or Invalid when the repository or worker is missing.
func (s *Store) CreateStack(ctx context.Context, st stacks.Stack, first *stacks.Ask, by access.Principal) (stacks.Stack, stacks.Deployment, error) {
	var d stacks.Deployment
	created, err := writeNew(ctx, s, func(tx *Tx) (stacks.Stack, error) {
		if err := mustExist(tx, `SELECT 1 FROM repositories WHERE id = ?`, string(st.Repository), "repository_id", "names no repository"); err != nil {
			return st, err
		}
		if err := workerAssignable(tx, st.Worker); err != nil {
			return st, err
		}
		now := micros(s.now())
		err := tx.insert(errStackNameTaken, `INSERT INTO stacks (id, name, repository_id, path, worker_id, worker_tags, auto_sync, status, drifted, out_of_sync,
			seen_commit, seen_tree, deployed_tree, retries, retry_at, revision, commit_hash, error, containers, observed_at, deleting, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, '', '', '', 0, 0, 0, '', '', '[]', 0, 0, ?, ?)`,
			st.ID, st.Name, st.Repository, st.Path, nullable(string(st.Worker)), toJSON(list(st.WorkerTags)), st.AutoSync, stacks.StatusNew, now, now)
		if err != nil {
			return st, err
		}
		if err := s.audit(tx, by.Audit("stack.create", string(st.ID), st.Name)); err != nil {
			return st, err
		}
		if first != nil {
			if d, err = s.queue(tx, *first); err != nil {
				return st, err
			}
		}
		return stackByID(tx, st.ID)
	})
	return created, d, err
}

// UpdateStack edits a stack. A stack that was deployed keeps its name and worker: they
// say where its containers are. Conflict "stack.placed" then.
func (s *Store) UpdateStack(ctx context.Context, id core.StackID, change stacks.Change, by access.Principal) (stacks.Stack, error) {
	return write(ctx, s, func(tx *Tx) (stacks.Stack, error) {
		st, err := stackByID(tx, id)
		if err != nil {
			return st, err
		}
		if st.Deleting {
			return st, errStackDeleting
		}
		moved := change.Path != nil && *change.Path != st.Path
		if err := applyChange(tx, &st, change); err != nil {
			return st, err
		}
		err = tx.insert(errStackNameTaken, `UPDATE stacks SET name = ?, path = ?, worker_id = ?, worker_tags = ?, auto_sync = ?, seen_tree = ?, retry = ?, updated_at = ? WHERE id = ?`,
			st.Name, st.Path, nullable(string(st.Worker)), toJSON(list(st.WorkerTags)), st.AutoSync, st.SeenTree, toJSON(st.Retry), micros(s.now()), id)
		if err != nil {
			return st, err
		}
		if err := s.lookAgain(tx, st.Repository, by); err != nil {
			return st, err
		}
		if moved {
			if err := s.dropProposal(tx, string(id)); err != nil {
				return st, err
			}
		}
		if err := s.followMove(tx, st, moved, by); err != nil {
			return st, err
		}
		if err := s.audit(tx, by.Audit("stack.update", string(id), st.Name)); err != nil {
			return st, err
		}
		return stackByID(tx, id)
	})
}

// followMove has a deployment that runs from the stack's old folder followed by one from the
// new: to a look, both are of the same commit.
func (s *Store) followMove(tx *Tx, st stacks.Stack, moved bool, by access.Principal) error {
	if !moved || !st.AutoSync {
		return nil
	}
	running, err := beingDeployed(tx, st.ID)
	if err != nil || !running {
		return err
	}
	_, err = s.queue(tx, stacks.Ask{Stack: st.ID, Trigger: stacks.TriggerManual, Actor: by.Name, Reason: "the stack's folder was changed by " + by.Name})
	return err
}

// beingDeployed reports whether a deployment of the stack is running.
func beingDeployed(tx *Tx, id core.StackID) (bool, error) {
	n, err := one(tx, nil, scalar[int], `SELECT count(*) FROM deployments WHERE stack_id = ? AND state = ?`, id, stacks.DeploymentRunning)
	return n > 0, err
}

// applyChange puts change into st, as far as what runs permits it.
func applyChange(tx *Tx, st *stacks.Stack, change stacks.Change) error {
	placed, err := dispatched(tx, st.ID)
	if err != nil {
		return err
	}
	moved := change.Worker != nil && *change.Worker != st.Worker
	renamed := change.Name != nil && *change.Name != st.Name
	if moved && st.Worker != "" && canTearDown(tx, st.Worker) != nil {
		placed = placed && renamed // what a revoked worker runs is out of reach; the stack may go elsewhere
	}
	if placed && (renamed || (moved && st.Worker != "")) {
		return fault.New(fault.Conflict, "stack.placed",
			"The stack was deployed as %s, so its name and worker stay: its containers are there. Delete it with teardown and add it anew under the other name or worker.", st.Name)
	}
	if moved {
		if err := workerAssignable(tx, *change.Worker); err != nil {
			return err
		}
		st.Worker = *change.Worker
	}
	if renamed {
		st.Name = *change.Name
	}
	if change.Path != nil && *change.Path != st.Path {
		st.Path, st.SeenTree, st.Retry.Failed = *change.Path, "", ""
	}
	if change.WorkerTags != nil {
		st.WorkerTags = *change.WorkerTags
	}
	if change.AutoSync != nil {
		st.AutoSync = *change.AutoSync
	}
	return nil
}

// dispatched reports whether anything of the stack was ever sent to a worker: revisions
// are stored together with the command that puts them in place.
func dispatched(tx *Tx, id core.StackID) (bool, error) {
	n, err := one(tx, nil, scalar[int], `SELECT count(*) FROM revisions WHERE stack_id = ?`, id)
	return n > 0, err
}

// lookAgain asks for a look at a repository: an edited stack may have something to catch up with.
func (s *Store) lookAgain(tx *Tx, id core.RepositoryID, by access.Principal) error {
	_, err := tx.exec(`UPDATE repositories SET asked_at = ?, asked_by = ? WHERE id = ?`, micros(s.now()), by.Name, id)
	return err
}

// workerAssignable refuses workers that do not exist or were revoked; none is fine.
func workerAssignable(tx *Tx, id core.WorkerID) error {
	if id == "" {
		return nil
	}
	return mustExist(tx, `SELECT 1 FROM workers WHERE id = ? AND revoked = 0`, string(id), "worker_id", "names no worker, or one that was revoked; GET /workers lists them")
}

// mustExist turns a missing reference into an Invalid fault that names the field.
func mustExist(tx *Tx, query, id, field, problem string) error {
	_, err := one(tx, fault.BadFields("input.reference", []fault.Field{{Path: field, Problem: problem}}), scalar[int], query, id)
	return err
}

// nullable stores "" as NULL, for foreign keys.
func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// list returns items, never nil, so that it encodes as [].
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
