package store

import (
	"context"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// EndTeardown closes a teardown. When it succeeded the stack's row goes with it, unless the stack
// runs elsewhere; otherwise the stack stays, says why, and can be deleted again. One that has ended
// changes nothing any more, because the stack may have been deployed since: NotFound then.
func (s *Store) EndTeardown(ctx context.Context, cmd stacks.Command, problem string, at time.Time) error {
	return s.db.Write(ctx, func(tx *Tx) error { return s.endTeardown(tx, cmd, problem, at) })
}

func (s *Store) endTeardown(tx *Tx, cmd stacks.Command, problem string, at time.Time) error {
	state := stacks.CommandSucceeded
	if problem != "" {
		state = stacks.CommandFailed
	}
	if err := tx.change(errCommandMissing, `UPDATE commands SET state = ?, ended_at = ? WHERE id = ? AND kind = ? AND ended_at = 0`,
		state, micros(at), cmd.ID, stacks.CommandTeardown); err != nil {
		return err
	}
	switch {
	case cmd.Body.Keep && problem != "" && cmd.Attempt < maxClearings:
		return s.clearAgain(tx, cmd, problem, at)
	case cmd.Body.Keep:
		return s.cleared(tx, cmd, problem, at)
	case problem == "":
		return s.removeStack(tx, cmd.Stack) // and the command with it
	}
	_, err := tx.exec(`UPDATE stacks SET deleting = 0, status = ?, error = ?, updated_at = ? WHERE id = ?`,
		stacks.StatusError, "teardown failed: "+problem, micros(at), cmd.Stack)
	return err
}

// maxClearings is how often a worker is asked to take down what runs elsewhere by now: with the
// pauses between, for about a week.
const maxClearings = 600

// clearAgain has a teardown done again after a while: until then the stack runs in two places.
func (s *Store) clearAgain(tx *Tx, cmd stacks.Command, problem string, at time.Time) error {
	due := at.Add(stacks.RetryAfter(cmd.Attempt - 1))
	if _, err := tx.exec(`UPDATE commands SET state = ?, ended_at = 0, attempt = ?, epoch = 0, deadline_at = ? WHERE id = ?`,
		stacks.CommandQueued, cmd.Attempt+1, micros(due), cmd.ID); err != nil || cmd.Attempt > 1 {
		return err // it was told the first time
	}
	return insertDecision(tx, stacks.Decision{ID: core.NewID(core.PrefixDecision, at), Stack: cmd.Stack, At: at, Trigger: stacks.TriggerTransfer,
		Reason: "what ran on the other worker could not be taken down: " + problem + ". It is tried again"})
}

// cleared tells how it went to take a stack off a worker where it does not run any more.
func (s *Store) cleared(tx *Tx, cmd stacks.Command, problem string, at time.Time) error {
	reason := "what ran on the other worker was taken down"
	if problem != "" {
		reason = "what ran on the other worker could not be taken down: " + problem + ". Remove its containers on that host by hand"
	}
	there, err := one(tx, nil, scalar[int], `SELECT count(*) FROM stacks WHERE id = ?`, cmd.Stack)
	if err != nil || there == 0 {
		return err
	}
	return insertDecision(tx, stacks.Decision{ID: core.NewID(core.PrefixDecision, at), Stack: cmd.Stack, At: at, Trigger: stacks.TriggerTransfer, Reason: reason})
}
