package store

import (
	"context"
	"time"

	"berth/core"
)

// Retention: how much history is kept.
const (
	keptDeployments = 500                  // ended deployments of a stack, with their logs
	keptRevisions   = 20                   // revisions of a stack, beside those that something still names
	keptAudit       = 365 * 24 * time.Hour // audit events, unless KeepAudit says otherwise
	keptCommands    = 7 * 24 * time.Hour   // commands that have ended
	keptLetters     = 14 * 24 * time.Hour  // messages that were sent, or given up
	keptStates      = time.Hour            // answers of Git hosts that were used, beyond the time in which they are good
	keptRuns        = 500                  // ended runs of a job, with their logs
	keptFires       = 10_000               // times of a job that fired
	keptFired       = 400 * 24 * time.Hour // times that fired, but for the newest of each job
)

// Sizes of one transaction, so that nobody waits long for it.
const (
	pruneStep   = 500 // rows of each kind
	pruneHeavy  = 20  // deployments, which take their logs with them, and revisions
	pruneStacks = 50  // stacks that are looked at, and jobs
	prunePieces = 200 // pieces of logs of runs, of up to 64 KiB
)

// Prune deletes what is older than retention allows, a bounded number of rows at a time;
// more says that there is more to delete. Calls follow each other: each goes on with the stacks
// where the one before has ended.
func (s *Store) Prune(ctx context.Context, now time.Time) (more bool, err error) {
	s.pruning.Lock()
	defer s.pruning.Unlock()
	moreRows, err := write(ctx, s, func(tx *Tx) (bool, error) { return pruneByTime(tx, now, s.keptAudit) })
	if err != nil {
		return false, err
	}
	at, err := write(ctx, s, func(tx *Tx) (place, error) { return pruneStackRows(tx, s.pruned) })
	if err != nil {
		return false, err
	}
	s.pruned = at.after
	moreJobs, err := s.pruneJobs(ctx, now)
	return moreRows || moreJobs || !at.end, err
}

// place is how far the stacks have been looked at.
type place struct {
	after core.StackID // go on after this one
	end   bool         // all have been looked at; the next pass begins anew
}

// pruneByTime deletes what is kept for so long and no longer.
func pruneByTime(tx *Tx, now time.Time, audit time.Duration) (more bool, err error) {
	for _, step := range []struct {
		query string
		until time.Time
	}{
		{`DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < ? LIMIT ?)`, now},
		{`DELETE FROM audit_events WHERE id IN (SELECT id FROM audit_events WHERE at < ? ORDER BY at LIMIT ?)`, since(now, audit)},
		{`DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at < ? LIMIT ?)`, now},
		{`DELETE FROM password_resets WHERE id IN (SELECT id FROM password_resets WHERE expires_at < ? LIMIT ?)`, now},
		{`DELETE FROM spent_states WHERE nonce IN (SELECT nonce FROM spent_states WHERE expires_at < ? LIMIT ?)`, now.Add(-keptStates)},
		{`DELETE FROM commands WHERE id IN (SELECT id FROM commands WHERE ended_at > 0 AND ended_at < ? LIMIT ?)`, now.Add(-keptCommands)},
		{`DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE state <> 'waiting' AND ended_at < ? ORDER BY ended_at LIMIT ?)`, now.Add(-keptLetters)},
	} {
		n, err := tx.exec(step.query, micros(step.until), pruneStep)
		if err != nil {
			return false, err
		}
		more = more || n >= pruneStep
	}
	return more, nil
}

// since is what is older than what is kept: nothing, where it is kept for ever.
func since(now time.Time, kept time.Duration) time.Time {
	if kept == 0 {
		return time.Time{}
	}
	return now.Add(-kept)
}

// pruneStackRows deletes what some stacks have too much of, beginning after one of them. History
// is read by index and no further back than what is kept, so that an old installation is not
// slower than a new one.
func pruneStackRows(tx *Tx, after core.StackID) (place, error) {
	some, err := many(tx, scalar[core.StackID], `SELECT id FROM stacks WHERE id > ? ORDER BY id LIMIT ?`, after, pruneStacks)
	if err != nil {
		return place{}, err
	}
	room := int64(pruneHeavy)
	for _, id := range some {
		for _, prune := range []func(*Tx, core.StackID, int64) (int64, error){pruneDeployments, pruneRevisions} {
			n, err := prune(tx, id, room)
			if unreadable(err) {
				continue // nothing of it was deleted; the other stacks are not held up
			}
			if err != nil {
				return place{}, err
			}
			if room -= n; room <= 0 {
				return place{after: after}, nil // this stack may have more
			}
		}
		after = id
	}
	if len(some) < pruneStacks {
		return place{end: true}, nil
	}
	return place{after: after}, nil
}

// pruneDeployments deletes at most so many of a stack's oldest deployments. What goes is all up to the last of
// them, and not a list of them: a planner that takes a table which grew for an empty one goes through the list anew
// for every row.
func pruneDeployments(tx *Tx, stack core.StackID, most int64) (int64, error) {
	return tx.exec(`DELETE FROM deployments WHERE stack_id = ? AND state NOT IN ('queued', 'running')
		AND id <= (SELECT max(id) FROM (SELECT id FROM deployments WHERE stack_id = ? AND state NOT IN ('queued', 'running')
			AND id <= (SELECT id FROM deployments WHERE stack_id = ? AND state NOT IN ('queued', 'running') ORDER BY id DESC LIMIT 1 OFFSET ?)
			ORDER BY id LIMIT ?) AS oldest)`, stack, stack, stack, keptDeployments, most)
}
