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
		err = tx.change(errDeploymentMoved, `UPDATE deployments SET state = ?, finished_at = ?, error = ? WHERE id = ? AND state = ?`,
			stacks.DeploymentSuperseded, micros(o.At), "the deployment before was of this commit", open[0].ID, stacks.DeploymentQueued)
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
	if d.StartedAt.IsZero() && more {
		return nil // it never began; the one that runs settles the stack
	}
	st, err := stackByID(tx, d.Stack)
	if err != nil {
		return err
	}
	if o.Containers != nil {
		st.Containers, st.ObservedAt = o.Containers, o.At
	}
	st.RetryAt = time.Time{}
	switch {
	case o.State == stacks.DeploymentSucceeded:
		st.Status, st.Error, st.OutOfSync = stacks.StatusActive, "", false
		st.Revision, st.Commit, st.DeployedTree, st.Retries = d.Revision, d.Commit, d.Tree, 0
		err = s.lookBehind(tx, st)
	case o.State == stacks.DeploymentCancelled && applied(o.Phases) && d.Revision != st.Revision:
		st.Status, st.OutOfSync = stacks.StatusError, true
		st.Error = fmt.Sprintf("revision %d was cancelled while it was being applied; what runs may be a part of it. Deploy again to put it right", d.Revision)
	case o.State == stacks.DeploymentCancelled:
		st.OutOfSync = true
		st.Status, st.Error, err = statusWithout(tx, st, d.ID)
	default:
		st.Status, st.Error, st.OutOfSync = stacks.StatusError, o.Error, true
		if st.AutoSync && !more {
			st.RetryAt = o.At.Add(stacks.RetryAfter(st.Retries))
		}
		st.Retries++
	}
	if err != nil {
		return err
	}
	if more {
		st.Status, st.OutOfSync = stacks.StatusPending, true
	}
	_, err = tx.exec(`UPDATE stacks SET status = ?, error = ?, out_of_sync = ?, revision = ?, commit_hash = ?, deployed_tree = ?, retries = ?, retry_at = ?,
		containers = ?, observed_at = ?, updated_at = ? WHERE id = ?`,
		st.Status, st.Error, st.OutOfSync, st.Revision, st.Commit, st.DeployedTree, st.Retries, micros(st.RetryAt),
		toJSON(list(st.Containers)), micros(st.ObservedAt), micros(o.At), st.ID)
	return err
}

// lookBehind asks for a look at the repository when its head is not what was just deployed.
// Without automatic sync nobody else would tell that the stack is behind again: that was
// noted while the deployment ran, and success has taken it back.
func (s *Store) lookBehind(tx *Tx, st stacks.Stack) error {
	if st.AutoSync {
		return nil
	}
	r, err := repositoryByID(tx, st.Repository)
	if err != nil || r.Head == "" || r.Head == st.Commit || !r.AskedAt.IsZero() {
		return err
	}
	return s.lookAgain(tx, st.Repository, access.System)
}

// applied reports whether the worker began to change what runs.
func applied(phases []stacks.Phase) bool {
	return slices.ContainsFunc(phases, func(p stacks.Phase) bool { return p.Name == stacks.PhaseApply })
}

// untouched bounds how many deployments that changed nothing are passed over to find the one
// that made what runs.
const untouched = 100

// statusWithout is the status, and the reason, of a stack whose deployment was cancelled
// before it changed anything: what the last one that did change something left behind.
func statusWithout(tx *Tx, st stacks.Stack, id core.DeploymentID) (stacks.Status, string, error) {
	ended, err := many(tx, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments
		WHERE stack_id = ? AND id <> ? AND state IN ('succeeded', 'failed', 'rolled_back', 'cancelled', 'lost') ORDER BY id DESC LIMIT ?`, st.ID, id, untouched)
	if err != nil {
		return "", "", err
	}
	last := slices.IndexFunc(ended, func(d stacks.Deployment) bool {
		return d.State != stacks.DeploymentCancelled || applied(d.Phases)
	})
	services, err := servicesOf(tx, st)
	if err != nil {
		return "", "", err
	}
	health := stacks.JudgeServices(services, st.Containers)
	switch {
	case last >= 0 && ended[last].State != stacks.DeploymentSucceeded:
		return stacks.StatusError, st.Error, nil
	case st.Revision == 0 && st.Error != "":
		return stacks.StatusError, st.Error, nil
	case st.Revision == 0:
		return stacks.StatusNew, "", nil
	case !health.OK:
		return stacks.StatusDegraded, health.Reason, nil
	}
	return stacks.StatusActive, "", nil
}
