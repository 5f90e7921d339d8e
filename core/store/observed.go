package store

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// SaveObserved stores what a worker saw, in one commit, and gives stacks that no
// deployment works on the status that their containers show. Only the worker's own
// stacks are touched. complete says that stacks which are not listed have no container; those that are
// listed as Told stay as they are.
// It returns the stacks whose row changed. A stack that cannot be read is passed over.
func (s *Store) SaveObserved(ctx context.Context, worker core.WorkerID, seen []stacks.Observation, complete bool, at time.Time) ([]core.StackID, error) {
	news, err := read(ctx, s, func(tx *Tx) ([]core.StackID, error) { return s.seen(tx, worker, seen, complete, at, false) })
	if err != nil || len(news) == 0 { // as most reports are: they need no turn to write
		return nil, err
	}
	return write(ctx, s, func(tx *Tx) ([]core.StackID, error) { return s.seen(tx, worker, seen, complete, at, true) })
}

// seen returns the stacks of a worker of which something else was seen than their rows say, and updates
// those when save is true.
func (s *Store) seen(tx *Tx, worker core.WorkerID, seen []stacks.Observation, complete bool, at time.Time, save bool) (changed []core.StackID, err error) {
	own, err := manyLegible(tx, scanStack, `SELECT `+stackColumns+` FROM stacks WHERE worker_id = ? ORDER BY name LIMIT ?`, worker, maxStacks)
	if err != nil && !unreadable(err) {
		return nil, err
	}
	byID := make(map[core.StackID][]stacks.ContainerState, len(seen))
	told := map[core.StackID]bool{}
	for _, o := range seen {
		if told[o.Stack] = o.Told; o.Told {
			continue
		}
		byID[o.Stack] = o.Containers
	}
	for _, st := range own {
		containers, listed := byID[st.ID]
		if !listed && (!complete || told[st.ID]) {
			continue
		}
		moved, err := s.observe(tx, st, containers, at, save)
		if unreadable(err) {
			continue // its revision; the others' containers are news all the same
		}
		if err != nil {
			return nil, err
		}
		if moved {
			changed = append(changed, st.ID)
		}
	}
	return changed, nil
}

// observe updates one stack, when save is true, if what was seen differs from its row, and reports whether it does. What differs from what was
// verified is drift, unless a deployment is at work: that changes things on purpose.
func (s *Store) observe(tx *Tx, st stacks.Stack, containers []stacks.ContainerState, at time.Time, save bool) (bool, error) {
	before := st
	st.Containers = list(containers)
	if err := s.judgeSeen(tx, &st, at); err != nil {
		return false, err
	}
	if st.Status == before.Status && st.Error == before.Error && st.HealAt.Equal(before.HealAt) && toJSON(list(before.Drift)) == toJSON(list(st.Drift)) && same(before.Containers, st.Containers) {
		return false, nil
	}
	if !save {
		return true, nil
	}
	_, err := tx.exec(`UPDATE stacks SET containers = ?, status = ?, error = ?, drifted = ?, drift = ?, heals = ?, heal_at = ?, observed_at = ? WHERE id = ?`,
		toJSON(st.Containers), st.Status, st.Error, st.Drifted, toJSON(list(st.Drift)), st.Heals, micros(st.HealAt), micros(at), st.ID)
	return true, err
}

// judgeSeen judges what was seen of a stack that no deployment works on. One whose last deployment
// failed before it changed anything runs what was verified, so a hand is seen there too; its status and
// its error go on telling of that failure.
func (s *Store) judgeSeen(tx *Tx, st *stacks.Stack, at time.Time) error {
	switch st.Status {
	case stacks.StatusActive, stacks.StatusDegraded, stacks.StatusPaused:
		if st.Revision == 0 {
			return nil
		}
		return s.judge(tx, st, at)
	case stacks.StatusError:
		intact, err := runsVerified(tx, *st)
		if err != nil {
			return err
		}
		if !intact {
			return judgeRestored(tx, st)
		}
		status, text := st.Status, st.Error
		err = s.judge(tx, st, at)
		st.Status, st.Error = status, text
		return err
	}
	return nil
}

// judgeRestored names what runs of a stack whose deployment was under way when the backup was made that the server was
// restored from. It is shown beside the failure and never repaired: a person, or the next commit, decides.
func judgeRestored(tx *Tx, st *stacks.Stack) error {
	cut, err := cutByRestore(tx, *st)
	if err != nil || !cut {
		return err
	}
	st.Drift = stacks.Beyond(st.Containers, st.Revision)
	st.Drifted, st.HealAt = len(st.Drift) > 0, time.Time{}
	return nil
}

// cutByRestore reports whether a stack's last deployment failed only because a backup was restored that was made in the middle of it.
func cutByRestore(tx *Tx, st stacks.Stack) (bool, error) {
	if st.Status != stacks.StatusError {
		return false, nil
	}
	last, err := many(tx, scalar[string], `SELECT error_code FROM deployments WHERE stack_id = ? AND state NOT IN ('queued', 'running') ORDER BY id DESC LIMIT 1`, st.ID)
	return err == nil && slices.Contains(last, errorRestored), err
}

// runsVerified reports whether what runs is the stack's current revision: no later deployment
// began to change it, or the last one that did put that revision back.
func runsVerified(tx *Tx, st stacks.Stack) (bool, error) {
	if st.Revision == 0 {
		return false, nil
	}
	last, err := lastChange(tx, st.ID, "")
	return err == nil && last != nil && (last.State == stacks.DeploymentSucceeded || last.State == stacks.DeploymentRolledBack), err
}

// judge gives a stack that no deployment works on what its containers show. What a person put beside
// them is no reason for a repair, which would leave it there; and there is none while a person has stopped
// something through Berth, which it would start, or while the stack is paused.
func (s *Store) judge(tx *Tx, st *stacks.Stack, at time.Time) error {
	rev, err := revisionOf(tx, st.ID, st.Revision)
	if err != nil {
		return err
	}
	st.Drift = stacks.Differences(rev.Services, st.Containers, !rev.Manifest.RemoveOrphans)
	unknown, err := unknownOf(tx, *st)
	if err != nil {
		return err
	}
	st.Drift = append(st.Drift, unknown...)
	st.Drifted = len(st.Drift) > 0
	health, err := healthOf(tx, *st, rev.Services)
	if err != nil {
		return err
	}
	switch wasBad := st.Status == stacks.StatusDegraded; {
	case st.Drifted:
		st.Status, st.Error = stacks.StatusDegraded, driftText(st.Drift)
	case !health.OK:
		st.Status, st.Error = stacks.StatusDegraded, health.Reason
	case wasBad: // an active stack keeps what polling says of it
		st.Status, st.Error = st.RestingStatus(), ""
	}
	halted := slices.ContainsFunc(st.Containers, stacks.ContainerState.Halted)
	if st.Paused || halted || !rev.Manifest.SelfHeal || len(stacks.Differences(rev.Services, stacks.Own(st.Containers), !rev.Manifest.RemoveOrphans)) == 0 {
		st.HealAt = time.Time{}
		return nil
	}
	return planHeal(tx, st, at)
}

// unknownOf names what was put in place by a revision that is not stored. It is shown and never repaired: a person
// decides whether what runs or what is known here is the older state.
func unknownOf(tx *Tx, st stacks.Stack) ([]stacks.Difference, error) {
	if cut, err := cutByRestore(tx, st); err != nil || cut {
		return stacks.Beyond(st.Containers, st.Revision), err
	}
	newest, err := one(tx, nil, scalar[int], `SELECT coalesce(max(number), 0) FROM revisions WHERE stack_id = ?`, st.ID)
	if err != nil || !slices.ContainsFunc(st.Containers, func(c stacks.ContainerState) bool { return c.Revision > newest }) {
		return nil, err
	}
	last, err := lastChange(tx, st.ID, "")
	if err != nil || last == nil {
		return nil, err
	}
	return stacks.Unknown(st.Containers, newest, last.FinishedAt), nil
}

// planHeal says when a drifted stack is repaired. One that was left alone for long enough
// since its last deployment is repaired soon again.
func planHeal(tx *Tx, st *stacks.Stack, at time.Time) error {
	if !st.HealAt.IsZero() {
		return nil
	}
	last, err := one(tx, nil, scalar[int64], `SELECT coalesce(max(finished_at), 0) FROM (SELECT finished_at FROM deployments
		WHERE stack_id = ? AND state NOT IN ('queued', 'running') ORDER BY id DESC LIMIT 1) AS last`, st.ID)
	if err != nil {
		return err
	}
	if at.Sub(fromMicros(last)) > stacks.HealRest {
		st.Heals = 0
	}
	st.HealAt = at.Add(stacks.HealAfter(st.Heals))
	return nil
}

// servicesOf returns what should run of a stack: the compose services of its current revision.
func servicesOf(tx *Tx, st stacks.Stack) ([]core.ComposeService, error) {
	return one(tx, nil, func(row scanner) (services []core.ComposeService, err error) {
		return services, row.Scan(jsonInto{&services})
	},
		`SELECT services FROM revisions WHERE stack_id = ? AND number = ?`, st.ID, st.Revision)
}

func same(a, b []stacks.ContainerState) bool {
	x, errX := json.Marshal(list(a))
	y, errY := json.Marshal(list(b))
	return errX == nil && errY == nil && string(x) == string(y)
}
