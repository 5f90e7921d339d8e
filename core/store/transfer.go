package store

import (
	"fmt"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/stacks"
)

// mayMove refuses a transfer that cannot work: of a stack that runs nowhere, to where it is
// already, to a worker that may not be used, or between two workers of one container engine,
// where taking it down in the old place would take it down in the new one too.
func mayMove(tx *Tx, st stacks.Stack, to core.WorkerID) error {
	complain := func(problem string, args ...any) error {
		return fault.BadFields("stack.transfer", []fault.Field{{Path: "worker_id", Problem: fmt.Sprintf(problem, args...)}})
	}
	if err := workerAssignable(tx, to); err != nil {
		return err
	}
	if st.Revision == 0 || st.Worker == "" {
		return complain("the stack was not deployed yet, so there is nothing to move; set its worker and sync it")
	}
	from, err := workerByID(tx, st.Worker)
	if err != nil {
		return err
	}
	there, err := workerByID(tx, to)
	if err != nil {
		return err
	}
	if why := fleet.WhyNotMove(from, there); why != "" {
		return complain("%s", why)
	}
	return nil
}

// move ends a transfer that succeeded: the stack belongs to the new worker, and what it left on the
// old one is taken down; its volumes stay there.
func (s *Store) move(tx *Tx, st *stacks.Stack, d stacks.Deployment, at time.Time) error {
	from := st.Worker
	st.Worker = d.Worker
	if _, err := tx.exec(`UPDATE stacks SET worker_id = ? WHERE id = ?`, d.Worker, st.ID); err != nil {
		return err
	}
	text, err := s.clear(tx, *st, from, d.Worker)
	if err != nil {
		return err
	}
	return s.note(tx, st.ID, d, "moved to another worker; "+text, at)
}

// undoMove ends a transfer that did not succeed: what it may have left on the new worker is
// taken down, and the stack goes on where it was.
func (s *Store) undoMove(tx *Tx, st stacks.Stack, d stacks.Deployment, at time.Time) error {
	if d.Revision == 0 {
		return nil // nothing was sent
	}
	text, err := s.clear(tx, st, d.Worker, st.Worker)
	if err != nil {
		return err
	}
	return s.note(tx, st.ID, d, "not moved; it goes on where it was; "+text, at)
}

// clear stores the command that takes a stack off one worker while it runs on another. It says
// what becomes of the containers there.
func (s *Store) clear(tx *Tx, st stacks.Stack, from, stays core.WorkerID) (string, error) {
	w, err := workerByID(tx, from)
	switch {
	case fault.Is(err, fault.NotFound) || err == nil && w.Revoked:
		return "its containers on the worker that is gone stay as they are", nil
	case err != nil:
		return "", err
	}
	there, err := workerByID(tx, stays)
	if err != nil {
		return "", err
	}
	if why := fleet.WhyNotMove(w, there); why != "" {
		return "its containers on " + w.Hostname + " stay as they are: " + why, nil
	}
	now := s.now()
	return "its containers on " + w.Hostname + " are taken down, its volumes there stay", insertCommand(tx, stacks.Command{
		ID: core.CommandID(core.NewID(core.PrefixCommand, now)), Attempt: 1, Worker: from, Kind: stacks.CommandTeardown, Stack: st.ID,
		State: stacks.CommandQueued, CreatedAt: now,
		Body: stacks.CommandBody{Project: st.ProjectName(), Keep: true, Seconds: int(stacks.DefaultTimeout.Seconds())},
	})
}

// note records what became of a stack beside a deployment's own end.
func (s *Store) note(tx *Tx, stack core.StackID, d stacks.Deployment, reason string, at time.Time) error {
	return insertDecision(tx, stacks.Decision{ID: core.NewID(core.PrefixDecision, at), Stack: stack, At: at, Trigger: d.Trigger,
		Commit: d.Commit, Reason: reason, Deployment: d.ID})
}
