package store

import (
	"time"

	"berth/core/stacks"
)

// returnToHead says what becomes of the branch's head after a deployment that aimed at something else.
// Polling has seen that head and does not look at it again, and the wish for the other thing took back
// what was planned for it: what failed is tried again, or waits for a change as before, and what had been put aside stays so.
func returnToHead(tx *Tx, st *stacks.Stack, d stacks.Deployment, at time.Time, meanwhile bool) error {
	settled := st.SeenTree == "" || st.SeenTree == st.DeployedTree || st.SeenTree == st.Quarantine.Tree
	if d.Aim == (stacks.Aim{}) || settled || !st.RetryAt.IsZero() {
		return nil
	}
	ended, err := many(tx, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments WHERE stack_id = ? AND aim = '{}'
		AND state IN ('succeeded', 'failed', 'rolled_back', 'cancelled', 'lost') ORDER BY id DESC LIMIT 1`, st.ID)
	if err != nil || len(ended) == 0 || ended[0].Cancelling {
		return err
	}
	switch last := ended[0]; last.State {
	case stacks.DeploymentFailed, stacks.DeploymentLost:
		if st.AutoSync {
			planRetry(st, stacks.Retry{Trigger: stacks.TriggerPoll, Of: last.ID, Attempt: max(1, last.Attempt) + 1, Failed: last.Commit}, last.ErrorCode, meanwhile, at)
		}
	case stacks.DeploymentRolledBack, stacks.DeploymentSucceeded:
		if last.Tree != st.SeenTree {
			return nil
		}
		st.Quarantine = stacks.Quarantine{Tree: last.Tree, Commit: last.Commit, Revision: last.Revision, Deployment: last.ID, Reason: last.Error}
		if last.State == stacks.DeploymentSucceeded {
			st.Quarantine.Reason = "another revision was put in its place"
		}
	}
	return nil
}
