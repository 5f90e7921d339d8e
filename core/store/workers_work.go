package store

import (
	"fmt"
	"time"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/stacks"
)

// leaving is a worker that will never answer again, and why.
type leaving struct {
	worker fleet.Worker
	why    string // "was revoked"
	by     access.Principal
	at     time.Time
}

// closeWork ends what a worker will never answer: its commands and the deployments that
// wait for them. What was sent may or may not run on its host, so that is lost rather
// than failed. A row that cannot be read does not keep anybody from barring a worker: what
// can be known of it is enough to end it.
func (s *Store) closeWork(tx *Tx, w fleet.Worker, why string, by access.Principal) error {
	left, err := many(tx, scanLeft, `SELECT `+commandColumns+` FROM commands WHERE worker_id = ? AND ended_at = 0 ORDER BY id LIMIT ?`, w.ID, maxStacks)
	if err != nil {
		return err
	}
	gone := leaving{worker: w, why: why, by: by, at: s.now()}
	for _, c := range left {
		switch {
		case c.Run != "":
			err = s.closeRun(tx, c.Command, gone)
		case c.Deployment != "":
			err = s.closeDeployment(tx, c, gone)
		default:
			err = s.closeTeardown(tx, c, gone)
		}
		if err != nil {
			return err
		}
	}
	if _, err = tx.exec(`UPDATE commands SET state = ?, ended_at = ? WHERE worker_id = ? AND ended_at = 0`, stacks.CommandCancelled, micros(gone.at), w.ID); err != nil {
		return err
	}
	return s.closeWaiting(tx, gone)
}

// commandLeft is an open command of a worker that leaves.
type commandLeft struct {
	stacks.Command
	vague bool // its body cannot be read, which is its last column but for times
}

func scanLeft(row scanner) (commandLeft, error) {
	c, err := scanCommand(row)
	if unreadable(err) {
		return commandLeft{Command: c, vague: true}, nil
	}
	return commandLeft{Command: c}, err
}

// closeTeardown ends a teardown, which nobody will do again. A stack that is not being deleted was to
// be taken down where it does not run any more.
func (s *Store) closeTeardown(tx *Tx, c commandLeft, gone leaving) error {
	if c.vague {
		deleting, err := one(tx, nil, scalar[int], `SELECT count(*) FROM stacks WHERE id = ? AND deleting = 1`, c.Stack)
		if err != nil {
			return err
		}
		c.Body.Keep = deleting == 0
	}
	c.Attempt = maxClearings
	return s.endTeardown(tx, c.Command, fmt.Sprintf("worker %s %s", gone.worker.Hostname, gone.why), gone.at)
}

func (s *Store) closeDeployment(tx *Tx, c commandLeft, gone leaving) error {
	d, err := deploymentByID(tx, c.Deployment)
	if err == nil {
		_, err = s.end(tx, outcomeWithout(d, c, gone), nil)
	}
	switch {
	case fault.Is(err, fault.NotFound):
		return nil // it went with its stack; the command is closed with the others
	case unreadable(err):
		return endUnread(tx, c, gone)
	}
	return err
}

// outcomeWithout is how a deployment ends whose worker leaves.
func outcomeWithout(d stacks.Deployment, c commandLeft, gone leaving) stacks.Outcome {
	name, why := gone.worker.Hostname, gone.why
	o := stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentLost, Phases: d.Phases, ErrorCode: "worker.gone", At: gone.at, Actor: personOf(gone.by.Name), NoRestore: true,
		Error: fmt.Sprintf("worker %s %s while it was deploying; what runs on its host is not known", name, why)}
	switch {
	case c.vague:
	case c.Body.Restore:
		o.Error = fmt.Sprintf("worker %s %s before revision %d was put back; what runs on its host is not known", name, why, c.Body.Revision)
	case c.State == stacks.CommandQueued:
		o.State, o.Error = stacks.DeploymentFailed, fmt.Sprintf("worker %s %s before it began; nothing was changed on its host", name, why)
	}
	for i, phase := range o.Phases {
		if phase.State == stacks.PhaseRunning {
			o.Phases[i].State, o.Phases[i].Message = stacks.PhaseFailed, o.Error
			o.Phases[i].DurationMS = stacks.Elapsed(phase.StartedAt, gone.at)
		}
	}
	return o
}

// endUnread ends a deployment when a row of it or of its stack cannot be read: both say what is known,
// and the columns that cannot be read stay as they are.
func endUnread(tx *Tx, c commandLeft, gone leaving) error {
	problem := fmt.Sprintf("worker %s %s; what runs on its host is not known", gone.worker.Hostname, gone.why)
	from, err := one(tx, nil, scalar[stacks.DeploymentState], `SELECT state FROM deployments WHERE id = ?`, c.Deployment)
	if err == nil && !from.Ended() {
		err = pass(tx, transition{deployment: c.Deployment, from: from, to: stacks.DeploymentLost, at: gone.at, cause: "worker.gone", actor: personOf(gone.by.Name)},
			`, error_code = ?, error = ?, finished_at = ?`, "worker.gone", problem, micros(gone.at))
	}
	if err != nil {
		return err
	}
	_, err = tx.exec(`UPDATE stacks SET status = ?, error = ?, out_of_sync = 1, `+sinceBehind+`, retry_at = 0, heal_at = 0, updated_at = ? WHERE id = ?`,
		stacks.StatusError, problem, true, micros(gone.at), micros(gone.at), c.Stack)
	return err
}
