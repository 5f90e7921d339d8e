package store

import (
	"fmt"
	"slices"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
)

// settle supersedes the queued deployment when the one that ended has done its work, and
// gives the stack the status that follows.
func (s *Store) settle(tx *Tx, d stacks.Deployment, o stacks.Outcome) error {
	open, err := openOf(tx, d.Stack)
	if err != nil {
		return err
	}
	if len(open) == 1 && stacks.Superseded(open[0], d) {
		err = supersede(tx, open[0].ID, "the deployment before was of this commit", "", o.At)
		open = nil
	}
	if err != nil {
		return err
	}
	return s.settleStack(tx, d, o, len(open) > 0)
}

// settleStack gives the stack the status that a deployment's end leaves it in. more says
// that another one is open: its status goes first then.
func (s *Store) settleStack(tx *Tx, d stacks.Deployment, o stacks.Outcome, more bool) error {
	st, err := stackByID(tx, d.Stack)
	if err != nil {
		return err
	}
	if d.Aim != (stacks.Aim{}) && st.AutoSync && !st.Paused { // what polling wanted waited for it, however it ended
		if err := s.lookAgain(tx, st.Repository, access.System); err != nil {
			return err
		}
	}
	if d.StartedAt.IsZero() && more {
		return nil // it never began; the one that runs settles the stack
	}
	meanwhile := st.Retry == changedMeanwhile
	st.RetryAt, st.Retry, st.HealAt = time.Time{}, stacks.Retry{}, time.Time{}
	if d.Aim.Worker != "" && o.State != stacks.DeploymentSucceeded {
		return s.settleUnmoved(tx, st, d, o, more, meanwhile)
	}
	if o.Containers != nil {
		st.Containers, st.ObservedAt = o.Containers, o.At
	}
	switch {
	case o.State == stacks.DeploymentSucceeded:
		err = s.settleSuccess(tx, &st, d, o)
	case o.State == stacks.DeploymentRolledBack:
		settleRestored(&st, d)
		if err = verified(tx, st.ID, d.Restore.Revision, o); err == nil {
			err = s.judgeEnd(tx, &st, o)
		}
	case o.State == stacks.DeploymentCancelled && stacks.Began(o.Phases): // what runs was not verified since
		st.Status, st.OutOfSync = stacks.StatusError, true
		st.Error = fmt.Sprintf("revision %d was cancelled while it was being applied; what runs may be a part of it. Deploy again to put it right", d.Revision)
	case o.State == stacks.DeploymentCancelled:
		// Polling may have noted it of a paused stack, or is to look again at what it does not know.
		st.OutOfSync = st.OutOfSync || st.Behind() || st.SeenTree == "" && st.Revision > 0
		st.Status, st.Error, err = statusWithout(tx, st, d.ID)
	default:
		st.Status, st.Error, st.OutOfSync = stacks.StatusError, o.Error, true
		if (st.AutoSync || d.Trigger == stacks.TriggerDrift) && !more && !d.Cancelling {
			planRetry(&st, stacks.RetryOf(d), d.ErrorCode, meanwhile, o.At)
		}
		st.Retries++
	}
	if err == nil && o.State == stacks.DeploymentCancelled && st.Revision > 0 && st.Status == st.RestingStatus() {
		err = s.judge(tx, &st, o.At) // a hand may have been at what runs before
	}
	if err != nil {
		return err
	}
	if more {
		st.Status, st.OutOfSync = stacks.StatusPending, true
		return saveSettled(tx, st, o.At)
	}
	if err := returnToHead(tx, &st, d, o.At, meanwhile); err != nil {
		return err
	}
	return saveSettled(tx, st, o.At)
}

// sinceBehind is what goes with every change of out_of_sync: its parameters are the new value and the time.
const sinceBehind = `out_of_sync_since = CASE WHEN ? = 0 THEN 0 WHEN out_of_sync = 1 AND out_of_sync_since > 0 THEN out_of_sync_since ELSE ? END`

// saveSettled stores what a deployment's end changed of its stack.
func saveSettled(tx *Tx, st stacks.Stack, at time.Time) error {
	_, err := tx.exec(`UPDATE stacks SET status = ?, error = ?, drifted = ?, drift = ?, heals = ?, heal_at = ?, out_of_sync = ?, `+sinceBehind+`, revision = ?, commit_hash = ?, deployed_tree = ?,
		retries = ?, retry_at = ?, retry = ?, quarantine = ?, containers = ?, observed_at = ?, updated_at = ? WHERE id = ?`,
		st.Status, st.Error, st.Drifted, toJSON(list(st.Drift)), st.Heals, micros(st.HealAt), st.OutOfSync, st.OutOfSync, micros(at), st.Revision, st.Commit, st.DeployedTree,
		st.Retries, micros(st.RetryAt), toJSON(st.Retry), toJSON(st.Quarantine), toJSON(list(st.Containers)), micros(st.ObservedAt), micros(at), st.ID)
	return err
}

// settleSuccess gives the stack what a verified deployment put in place.
func (s *Store) settleSuccess(tx *Tx, st *stacks.Stack, d stacks.Deployment, o stacks.Outcome) error {
	if d.Tree != "" || d.Revision != st.Revision { // a revision of an older release does not know its tree
		st.DeployedTree = d.Tree
	}
	if d.Aim == (stacks.Aim{}) || d.Revision != st.Revision { // the same again came with a later commit, perhaps
		st.Commit = d.Commit
	}
	st.Revision = d.Revision
	if err := verified(tx, st.ID, d.Revision, o); err != nil {
		return err
	}
	if _, err := tx.exec(`UPDATE stacks SET deployed_at = ? WHERE id = ?`, micros(o.At), st.ID); err != nil {
		return err
	}
	st.Status, st.Error, st.Drifted, st.Drift = st.RestingStatus(), "", false, nil
	st.OutOfSync = st.Behind() // of the branch's head, too: what polling queued behind it may have been cancelled
	if !st.OutOfSync || d.Aim == (stacks.Aim{}) {
		st.Quarantine, st.Retries = stacks.Quarantine{}, 0
	}
	if d.Trigger != stacks.TriggerDrift {
		st.Heals = 0
	}
	if d.Aim.Worker != "" {
		if err := s.move(tx, st, d, o.At); err != nil {
			return err
		}
	}
	if d.Trigger == stacks.TriggerRollback && st.OutOfSync && st.Quarantine.Tree != st.SeenTree { // a failure's reason stays
		head, err := revisionOfTree(tx, st.ID, st.SeenTree)
		if err != nil {
			return err
		}
		st.Quarantine = stacks.Quarantine{Tree: st.SeenTree, Commit: st.Seen, Revision: head, Deployment: d.ID,
			Reason: fmt.Sprintf("revision %d was put in its place by %s", d.Revision, d.Actor)}
	}
	if err := s.judgeEnd(tx, st, o); err != nil {
		return err
	}
	return s.lookBehind(tx, *st)
}

// revisionOfTree returns the newest revision that a state of the stack's folder led to; 0 when it never
// was rendered.
func revisionOfTree(tx *Tx, stack core.StackID, tree string) (int, error) {
	if tree == "" {
		return 0, nil // an older release did not keep it
	}
	return one(tx, nil, scalar[int], `SELECT coalesce(max(number), 0) FROM revisions WHERE stack_id = ? AND tree = ?`, stack, tree)
}

// judgeEnd gives a stack whose deployment went well what its containers showed at the end of it: they
// may have failed, or met a hand, since they were verified.
func (s *Store) judgeEnd(tx *Tx, st *stacks.Stack, o stacks.Outcome) error {
	if o.Containers == nil {
		return nil // nobody looked; the next report tells
	}
	return s.judge(tx, st, o.At)
}

// settleRestored gives the stack what a restore put back: what it had, and the commit that failed
// in quarantine.
func settleRestored(st *stacks.Stack, d stacks.Deployment) {
	st.Status, st.Error, st.Drifted, st.Drift = st.RestingStatus(), "", false, nil
	st.Retries, st.OutOfSync = 0, st.OutOfSync || d.Aim.Revision == 0 || st.Behind()
	if d.Aim.Revision == 0 {
		st.Quarantine = stacks.Quarantine{Tree: d.Tree, Commit: d.Commit, Revision: d.Revision, Deployment: d.ID, Reason: d.Error}
	}
}

// settleUnmoved ends a transfer that did not succeed: the stack shows what its containers in
// the old place show.
func (s *Store) settleUnmoved(tx *Tx, st stacks.Stack, d stacks.Deployment, o stacks.Outcome, more, meanwhile bool) error {
	if err := s.undoMove(tx, st, d, o.At); err != nil {
		return err
	}
	var err error
	if st.Status, st.Error, err = statusWithout(tx, st, d.ID); err != nil {
		return err
	}
	if more {
		st.Status = stacks.StatusPending
	} else if err := returnToHead(tx, &st, d, o.At, meanwhile); err != nil {
		return err
	}
	return saveSettled(tx, st, o.At)
}

// lookBehind asks for a look at the repository when what was just deployed is not its head, or not
// what polling saw last. That the stack is behind was noted while the deployment ran, and success
// has taken it back; a look that is under way may have noted it already, so that it does not count.
func (s *Store) lookBehind(tx *Tx, st stacks.Stack) error {
	if st.AutoSync && !st.Paused {
		return nil // polling has queued a deployment of it
	}
	r, err := repositoryByID(tx, st.Repository)
	if err != nil || (r.Head == "" || r.Head == st.Commit) && (st.Seen == "" || st.Seen == st.Commit) {
		return err
	}
	return s.lookAgain(tx, st.Repository, access.System)
}

// untouched bounds how many deployments that changed nothing are passed over to find the one
// that made what runs.
const untouched = 100

// lastChange returns the last deployment of a stack, but for one, that made what runs now or began to
// change it; nil when there is none among the last ones. One that was moving the stack elsewhere and did
// not succeed changed nothing here.
func lastChange(tx *Tx, stack core.StackID, except core.DeploymentID) (*stacks.Deployment, error) {
	ended, err := many(tx, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments
		WHERE stack_id = ? AND id <> ? AND state NOT IN ('queued', 'running') ORDER BY id DESC LIMIT ?`, stack, except, untouched)
	for _, d := range ended {
		if d.State == stacks.DeploymentSucceeded || d.Aim.Worker == "" && (d.State == stacks.DeploymentRolledBack || stacks.Began(d.Phases)) {
			return &d, nil
		}
	}
	return nil, err
}

// statusWithout is the status, and the reason, of a stack whose deployment was cancelled
// before it changed anything: what the last one that did change something left behind.
func statusWithout(tx *Tx, st stacks.Stack, id core.DeploymentID) (stacks.Status, string, error) {
	ended, err := many(tx, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments
		WHERE stack_id = ? AND id <> ? AND state IN ('succeeded', 'failed', 'rolled_back', 'cancelled', 'lost') ORDER BY id DESC LIMIT ?`, st.ID, id, untouched)
	if err != nil {
		return "", "", err
	}
	last := slices.IndexFunc(ended, func(d stacks.Deployment) bool {
		return d.Aim.Worker == "" && (d.State != stacks.DeploymentCancelled || stacks.Began(d.Phases))
	})
	services, err := servicesOf(tx, st)
	if err != nil {
		return "", "", err
	}
	health, err := healthOf(tx, st, services)
	if err != nil {
		return "", "", err
	}
	switch {
	case last >= 0 && ended[last].State != stacks.DeploymentSucceeded && ended[last].State != stacks.DeploymentRolledBack:
		return stacks.StatusError, st.Error, nil
	case st.Revision == 0 && st.Error != "":
		return stacks.StatusError, st.Error, nil
	case st.Revision == 0:
		return st.RestingStatus(), "", nil
	case !health.OK:
		return stacks.StatusDegraded, health.Reason, nil
	}
	return st.RestingStatus(), "", nil
}
