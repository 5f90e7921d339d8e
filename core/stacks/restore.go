package stacks

import "berth/core"

// Restore is the second half of a deployment that failed after it began to change its
// host: the last good revision is put back. It is part of that deployment, which ends once:
// rolled_back when the restore succeeded, failed otherwise.
type Restore struct {
	Revision int          `json:"revision,omitempty"` // that is put back; 0: there is no restore
	State    RestoreState `json:"state,omitempty"`
	Error    string       `json:"error,omitempty"` // public text, when the restore failed too
}

// RestoreState is where a restore stands.
type RestoreState string

// The states of a restore.
const (
	RestoreRunning   RestoreState = "running"
	RestoreSucceeded RestoreState = "succeeded"
	RestoreFailed    RestoreState = "failed"
)

// OnFailure says what becomes of a stack whose deployment failed after it began to change
// its host; the manifest's deploy.on_failure.
const (
	OnFailureRollback = "rollback" // the last good revision is put back, the commit is quarantined
	OnFailureKeep     = "keep"     // what runs is left as it is, and the deployment is tried again
)

// Restorable returns the revision that is put back when d ends with o; 0 when nothing is.
// There is one only when the worker began to change what runs, the manifest asks for it, nobody asked
// to stop, and another revision of the stack was good on the worker where d ran.
func Restorable(s Stack, d Deployment, o Outcome, onFailure string) int {
	switch {
	case o.State != DeploymentFailed, o.NoRestore, d.Cancelling, onFailure != OnFailureRollback, d.Restore.Revision != 0:
	case !Began(o.Phases), s.Revision == 0, s.Revision == d.Revision, d.Worker != s.Worker:
	default:
		return s.Revision
	}
	return 0
}

// Began reports whether the worker began to change what runs.
func Began(phases []Phase) bool {
	for _, p := range phases {
		if p.Name == PhaseApply && p.State != PhaseSkipped {
			return true
		}
	}
	return false
}

// Concluded returns d as it is after it has ended with o. One whose restore has ended keeps why it
// failed in the first place.
func Concluded(d Deployment, o Outcome) Deployment {
	d.State, d.FinishedAt = o.State, o.At
	if d.Restore.Revision == 0 {
		d.ErrorCode, d.Error, d.FailedService, d.FailedLines = o.ErrorCode, o.Error, o.Service, o.Lines
		if d.State == DeploymentCancelled {
			d.Phases = CancelPhases(d.Phases)
		}
		return d
	}
	d.Restore.State = RestoreFailed
	if o.State == DeploymentRolledBack {
		d.Restore.State = RestoreSucceeded
	} else {
		d.Restore.Error = o.Error
	}
	return d
}

// Ending is what became of a wish to end a deployment.
type Ending struct {
	Ended   bool // it has ended now, with the outcome that was asked for
	Restore int  // it has not: this revision is being put back first; 0: none is
}

// Quarantine keeps polling from deploying a state of the stack's folder again that was rolled
// back. A change of the folder, or a wish of a person, ends it.
type Quarantine struct {
	Tree       string            `json:"tree,omitempty"` // Sight.Tree; empty: nothing is in quarantine
	Commit     core.Commit       `json:"commit,omitempty"`
	Revision   int               `json:"revision,omitempty"`
	Deployment core.DeploymentID `json:"deployment,omitempty"` // that was rolled back
	Reason     string            `json:"reason,omitempty"`     // for people
}
