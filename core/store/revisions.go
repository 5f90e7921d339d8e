package store

import (
	"context"
	"errors"
	"fmt"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

var errRevisionMissing = fault.New(fault.NotFound, "revision.not_found", "The stack has no such revision.")

const revisionColumns = `stack_id, number, commit_hash, digest, manifest, services, content, variables, watch, tree, created_at, verified_at, secrets_file`

func scanRevision(row scanner) (stacks.Revision, error) {
	var r stacks.Revision
	var created, verified int64
	err := row.Scan(&r.Stack, &r.Number, &r.Commit, &r.Digest, jsonInto{&r.Manifest}, jsonInto{&r.Services}, jsonInto{&r.Content},
		jsonInto{&r.Variables}, jsonInto{&r.Watch}, &r.Tree, &created, &verified, &r.SecretsFile)
	r.CreatedAt, r.VerifiedAt = fromMicros(created), fromMicros(verified)
	return r, legible("revision", fmt.Sprintf("%d of stack %s", r.Number, r.Stack), err)
}

// revise stores a revision under the next number, or finds the one with the same digest.
func (s *Store) revise(tx *Tx, r stacks.Revision) (int, error) {
	known, err := many(tx, scalar[int], `SELECT number FROM revisions WHERE stack_id = ? AND digest = ? LIMIT 1`, r.Stack, r.Digest)
	if err != nil {
		return 0, err
	}
	if len(known) == 1 { // a row of an older release lacks what was added since
		if _, err := tx.exec(`UPDATE revisions SET tree = ? WHERE stack_id = ? AND number = ? AND tree = ''`, r.Tree, r.Stack, known[0]); err != nil {
			return 0, err
		}
		services := toJSON(list(r.Services))
		_, err := tx.exec(`UPDATE revisions SET services = ? WHERE stack_id = ? AND number = ? AND services <> ?`, services, r.Stack, known[0], services)
		return known[0], err
	}
	if r.Number == 0 {
		if r.Number, err = nextRevision(tx, r.Stack); err != nil {
			return 0, err
		}
	}
	_, err = tx.exec(`INSERT INTO revisions (`+revisionColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`,
		r.Stack, r.Number, r.Commit, r.Digest, toJSON(r.Manifest), toJSON(list(r.Services)), toJSON(list(r.Content)),
		toJSON(list(r.Variables)), toJSON(list(r.Watch)), r.Tree, micros(s.now()), r.SecretsFile)
	return r.Number, err
}

// verified notes when a revision was last found to run well, and what its containers were given.
func verified(tx *Tx, stack core.StackID, number int, o stacks.Outcome) error {
	if _, err := tx.exec(`UPDATE revisions SET verified_at = ? WHERE stack_id = ? AND number = ?`, micros(o.At), stack, number); err != nil {
		return err
	}
	return delivered(tx, stack, number, o.Deployment)
}

func first(numbers []int) int {
	if len(numbers) == 0 {
		return 0
	}
	return numbers[0]
}

func nextRevision(tx *Tx, stack core.StackID) (int, error) {
	return one(tx, nil, scalar[int], `SELECT coalesce(max(number), 0) + 1 FROM revisions WHERE stack_id = ?`, stack)
}

// RevisionNumber returns the number of the stack's revision with this digest, or the next
// free one; known says which. Only the stack's one open deployment makes revisions, so
// the number stays free until it stores it.
func (s *Store) RevisionNumber(ctx context.Context, stack core.StackID, digest string) (number int, known bool, err error) {
	err = s.db.Read(ctx, func(tx *Tx) error {
		found, err := many(tx, scalar[int], `SELECT number FROM revisions WHERE stack_id = ? AND digest = ? LIMIT 1`, stack, digest)
		if err != nil || len(found) == 1 {
			number, known = first(found), true
			return err
		}
		number, err = nextRevision(tx, stack)
		return err
	})
	return number, known, err
}

// Revision returns one revision; NotFound "revision.not_found".
func (s *Store) Revision(ctx context.Context, stack core.StackID, number int) (stacks.Revision, error) {
	return read(ctx, s, func(tx *Tx) (stacks.Revision, error) { return revisionOf(tx, stack, number) })
}

func revisionOf(tx *Tx, stack core.StackID, number int) (stacks.Revision, error) {
	return one(tx, errRevisionMissing, scanRevision, `SELECT `+revisionColumns+` FROM revisions WHERE stack_id = ? AND number = ?`, stack, number)
}

// Watched returns, for each stack of a repository, the paths outside its folder that the
// revision of its last deployment of the branch's head was rendered from: what polling has seen is
// about those, whatever else was put in place since. Where the revision cannot be read there are none but
// the stack, and the error names it, "store.unreadable".
func (s *Store) Watched(ctx context.Context, repository core.RepositoryID) (map[core.StackID][]string, error) {
	watched, bad := map[core.StackID][]string{}, []error{}
	_, err := read(ctx, s, func(tx *Tx) ([]core.StackID, error) {
		clear(watched)
		return many(tx, func(row scanner) (id core.StackID, err error) {
			var paths []string
			err = row.Scan(&id, jsonInto{&paths})
			if errors.Is(err, errContent) {
				bad, paths, err = append(bad, legible("a revision of stack", string(id), err)), nil, nil
			}
			watched[id] = paths
			return id, err
		}, `SELECT r.stack_id, r.watch FROM revisions r JOIN stacks s ON s.id = r.stack_id
			WHERE s.repository_id = ? AND r.watch <> '[]' AND r.number = (SELECT revision FROM deployments WHERE stack_id = s.id AND revision > 0 AND aim = '{}' ORDER BY id DESC LIMIT 1)
			ORDER BY r.stack_id LIMIT ?`, repository, maxStacks)
	})
	return watched, errors.Join(append(bad[:min(len(bad), maxUnreadable)], err)...)
}

// Revisions lists the revisions of a stack, newest first; the cursor is a number.
func (s *Store) Revisions(ctx context.Context, stack core.StackID, before, limit int) ([]stacks.Revision, error) {
	return read(ctx, s, func(tx *Tx) ([]stacks.Revision, error) {
		return many(tx, scanRevision, `SELECT `+revisionColumns+` FROM revisions WHERE stack_id = ? AND (? = 0 OR number < ?) ORDER BY number DESC LIMIT ?`,
			stack, before, before, limit)
	})
}
