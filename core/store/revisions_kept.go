package store

import (
	"context"
	"errors"

	"berth/core"
	"berth/core/stacks"
)

// pruneRevisions deletes at most so many of a stack's revisions that are beyond the newest and that nothing
// names: neither the stack, nor its containers, nor what is open. Their files go when they are swept.
func pruneRevisions(tx *Tx, stack core.StackID, most int64) (deleted int64, err error) {
	old, err := many(tx, scalar[int], `SELECT number FROM revisions WHERE stack_id = ? ORDER BY number DESC LIMIT ? OFFSET ?`, stack, maxStacks, keptRevisions)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	named, err := namedRevisions(tx, stack)
	if err != nil {
		return 0, err
	}
	for _, number := range old {
		if named[number] {
			continue
		}
		if deleted == most {
			break
		}
		n, err := tx.exec(`DELETE FROM revisions WHERE stack_id = ? AND number = ?`, stack, number)
		if err != nil {
			return deleted, err
		}
		deleted += n
	}
	return deleted, nil
}

// namedRevisions returns the revisions that something still names, whatever their age.
func namedRevisions(tx *Tx, stack core.StackID) (map[int]bool, error) {
	st, err := stackByID(tx, stack)
	if err != nil {
		return nil, err
	}
	named := map[int]bool{st.Revision: true, st.Retry.Aim.Revision: true, st.Quarantine.Revision: true}
	for _, c := range st.Containers {
		named[c.Revision] = true
	}
	// What polling watches is in the revision of the last deployment of the head.
	last, err := many(tx, scalar[int], `SELECT revision FROM deployments WHERE stack_id = ? AND revision > 0 AND aim = '{}' ORDER BY id DESC LIMIT 1`, stack)
	if err != nil {
		return nil, err
	}
	named[first(last)] = true
	open, err := openOf(tx, stack)
	if err != nil {
		return nil, err
	}
	for _, d := range open {
		named[d.Revision], named[d.Aim.Revision], named[d.Restore.Revision] = true, true, true
	}
	commands, err := many(tx, scanCommand, `SELECT `+commandColumns+` FROM commands WHERE ended_at = 0 AND stack_id = ? ORDER BY worker_id, id LIMIT ?`, stack, maxStacks)
	for _, c := range commands {
		named[c.Body.Revision] = true
	}
	return named, err
}

// KeptRevisions lists revisions of all stacks in order of stack and number, after the given ones: what
// of the files of revisions is still needed. Those that cannot be read are among them.
func (s *Store) KeptRevisions(ctx context.Context, after core.StackID, number, limit int) ([]stacks.KeptRevision, error) {
	return read(ctx, s, func(tx *Tx) ([]stacks.KeptRevision, error) {
		return many(tx, func(row scanner) (r stacks.KeptRevision, err error) {
			err = row.Scan(&r.Stack, &r.Number, &r.SecretsFile, jsonInto{&r.Content})
			if errors.Is(err, errContent) {
				r.Content, r.Illegible, err = nil, true, nil
			}
			return r, err
		}, `SELECT stack_id, number, secrets_file, content FROM revisions WHERE (stack_id, number) > (?, ?) ORDER BY stack_id, number LIMIT ?`, after, number, limit)
	})
}
