package store

import (
	"fmt"

	"berth/core"
	"berth/core/stacks"
)

// restorable returns the revision that is to be put back when d ends with o; its number is 0
// when nothing is.
func (s *Store) restorable(tx *Tx, st stacks.Stack, d stacks.Deployment, o stacks.Outcome) (stacks.Revision, error) {
	if o.State != stacks.DeploymentFailed || d.Revision == 0 {
		return stacks.Revision{}, nil
	}
	failed, err := revisionOf(tx, d.Stack, d.Revision)
	if err != nil {
		return failed, err
	}
	number := stacks.Restorable(st, d, o, failed.Manifest.OnFailure)
	if number == 0 {
		return stacks.Revision{}, nil
	}
	return revisionOf(tx, d.Stack, number)
}

// beginRestore keeps why a deployment failed and stores the command that puts the good
// revision back. The deployment goes on until that command has ended.
func (s *Store) beginRestore(tx *Tx, st stacks.Stack, d stacks.Deployment, o stacks.Outcome, good stacks.Revision) error {
	if err := pass(tx, transition{deployment: d.ID, from: d.State, to: stacks.DeploymentRunning, at: o.At, cause: fmt.Sprintf("%s: revision %d is put back", o.ErrorCode, good.Number)},
		`, commit_hash = ?, phases = ?, error_code = ?, error = ?, failed_service = ?, failed_lines = ?, restore = ?`,
		d.Commit, toJSON(list(d.Phases)), o.ErrorCode, o.Error, o.Service, o.Lines, toJSON(stacks.Restore{Revision: good.Number, State: stacks.RestoreRunning})); err != nil {
		return err
	}
	last, err := one(tx, nil, scalar[uint64], `SELECT coalesce(max(number), 0) FROM deployment_log WHERE deployment_id = ?`, d.ID)
	if err != nil {
		return err
	}
	if err := appendLog(tx, []stacks.LogLine{{Deployment: d.ID, Number: last + 1, At: o.At,
		Text: fmt.Sprintf("restore: the deployment failed, so revision %d, the last good one, is put back\n", good.Number)}}); err != nil {
		return err
	}
	now := s.now()
	return insertCommand(tx, stacks.Command{
		ID: core.CommandID(core.NewID(core.PrefixCommand, now)), Attempt: 1, Worker: d.Worker, Kind: stacks.CommandDeploy, Stack: d.Stack, Deployment: d.ID,
		State: stacks.CommandQueued, CreatedAt: now,
		Body: stacks.CommandBody{Project: st.ProjectName(), Revision: good.Number, Restore: true, Seconds: int(good.Manifest.Timeout.Seconds())},
	})
}
