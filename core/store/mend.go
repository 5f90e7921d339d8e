package store

import (
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/core/variables"
)

// changedMeanwhile is the plan of a stack that something changed for while a deployment was open, which may
// have read what was before. What fails then for want of that very change is tried again.
var changedMeanwhile = stacks.Retry{Trigger: stacks.TriggerPoll}

// planRetry says when what failed is tried again. A failure that time does not mend waits for a change,
// unless there was one meanwhile.
func planRetry(st *stacks.Stack, retry stacks.Retry, code string, meanwhile bool, at time.Time) {
	st.Retry = retry
	if meanwhile || !stacks.Stands(code) {
		st.RetryAt = at.Add(stacks.RetryAfter(st.Retries))
	}
}

// mendByVariable tries again at once what failed of the owner's stacks, where another value may help.
func (s *Store) mendByVariable(tx *Tx, v variables.Variable) error {
	if v.Owner.Scope == variables.ScopeGlobal {
		return s.mendAll(tx, byVariable, anyOpen, `id IN (SELECT scope_id FROM variable_bindings WHERE scope = ? AND variable_id = ?)`, variables.ScopeStack, v.ID)
	}
	return s.mendOwner(tx, v.Owner)
}

// mendOwner is mendByVariable for all that a stack has.
func (s *Store) mendOwner(tx *Tx, o variables.Owner) error {
	if o.Scope != variables.ScopeStack {
		return nil
	}
	return s.mendAll(tx, byVariable, anyOpen, `id = ?`, o.ID)
}

// mendByHead tries again at once what failed of a repository's stacks, where a commit that did not change
// their own folder may help. What is deployed, or has failed, of that commit has read it.
func (s *Store) mendByHead(tx *Tx, id core.RepositoryID, head core.Commit) error {
	helps := func(failed stacks.Retry, code string) bool {
		return failed.Failed != head && stacks.MendedOutside(code)
	}
	return s.mendAll(tx, helps, `state = 'running' AND commit_hash <> ?`, `repository_id = ?`, head, id)
}

// anyOpen matches the deployments that have not ended.
const anyOpen = `state IN ('queued', 'running')`

func byVariable(_ stacks.Retry, code string) bool {
	return stacks.Stands(code) || code == "secret.unresolved"
}

// planned is what of a stack says whether a change may mend it.
type planned struct {
	id    core.StackID
	retry stacks.Retry
	at    time.Time
}

func scanPlanned(row scanner) (p planned, err error) {
	var at int64
	err = row.Scan(&p.id, jsonInto{&p.retry}, &at)
	p.at = fromMicros(at)
	return p, legible("stack", string(p.id), err)
}

// mendAll has what failed of the stacks that match tried again at once, where helps says of it and its code that a
// change such as this one may have mended it. Of those with a deployment that may have read what was before,
// it is noted.
func (s *Store) mendAll(tx *Tx, helps func(failed stacks.Retry, code string) bool, open, match string, args ...any) error {
	all, err := manyLegible(tx, scanPlanned, `SELECT id, retry, retry_at FROM stacks WHERE
		(retry <> '{}' OR EXISTS (SELECT 1 FROM deployments WHERE stack_id = stacks.id AND `+open+`)) AND `+match+` AND deleting = 0
		ORDER BY id LIMIT ?`, append(args, maxStacks)...)
	if err != nil && !unreadable(err) {
		return err
	}
	for _, p := range all {
		if err := s.mendOne(tx, p, helps); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) mendOne(tx *Tx, p planned, helps func(stacks.Retry, string) bool) error {
	if p.retry.Of == "" {
		_, err := tx.exec(`UPDATE stacks SET retry = ? WHERE id = ?`, toJSON(changedMeanwhile), p.id)
		return err
	}
	code, err := one(tx, nil, scalar[string], `SELECT error_code FROM deployments WHERE id = ?`, p.retry.Of)
	if err != nil || !helps(p.retry, code) || p.at.IsZero() && !stacks.Stands(code) {
		return err
	}
	_, err = tx.exec(`UPDATE stacks SET retry_at = ? WHERE id = ? AND (retry_at = 0 OR retry_at > ?)`, micros(s.now()), p.id, micros(s.now()))
	return err
}
