package stacks

import (
	"time"

	"berth/core"
)

// Deployment is one attempt to put a revision of a stack in place. It ends once. A stack
// has at most one that runs and one that is queued: a newer wish joins the queued one.
type Deployment struct {
	ID        core.DeploymentID
	Stack     core.StackID
	State     DeploymentState
	Trigger   Trigger
	Actor     string      // principal that asked, as audit shows it; "system" for polling
	Commit    core.Commit // while queued: the commit it is about, if only that; then the one that was fetched
	Revision  int         // 0 until rendered
	Worker    core.WorkerID
	Options   DeployOptions
	Aim       Aim     // what it puts in place, and where
	Restore   Restore // of the last good revision, after it failed
	Phases    []Phase
	ErrorCode string // fault code, when it failed
	Error     string // public text, when it failed
	// FailedService and FailedLines name the compose service that made it fail and what that said last.
	FailedService string
	FailedLines   string
	QueuedAt      time.Time
	StartedAt     time.Time // zero until it runs
	FinishedAt    time.Time // zero until it ended
	Tree          string    // what Sight.Tree is at Commit; empty until dispatched
	// Cancelling is set when somebody asked to stop a running deployment.
	Cancelling  bool
	CancelledBy string            // who asked to stop it first, as audit shows it; empty: nobody did
	RetryOf     core.DeploymentID // the one before, when Berth tries again what failed; else empty
	Attempt     int               // for which time the same is tried, from 2; 0: it is no retry
}

// SaidLast ends the head of a fault whose further lines are what a container wrote last, as it wrote them.
const SaidLast = "It said last:"

// DeployOptions are what a redeploy asks beyond the plain case.
type DeployOptions struct {
	RecreateContainers bool `json:"recreate_containers,omitempty"`
	RecreateVolumes    bool `json:"recreate_volumes,omitempty"`
	RecreateNetworks   bool `json:"recreate_networks,omitempty"`
}

// DeploymentState is where a deployment stands.
type DeploymentState string

// The states of a deployment.
const (
	DeploymentQueued     DeploymentState = "queued"
	DeploymentRunning    DeploymentState = "running"
	DeploymentSucceeded  DeploymentState = "succeeded"
	DeploymentFailed     DeploymentState = "failed"
	DeploymentRolledBack DeploymentState = "rolled_back"
	DeploymentCancelled  DeploymentState = "cancelled"
	DeploymentSuperseded DeploymentState = "superseded"
	DeploymentLost       DeploymentState = "lost"
)

// DeploymentStates are all of them, as a deployment goes through them.
var DeploymentStates = []DeploymentState{DeploymentQueued, DeploymentRunning, DeploymentSucceeded, DeploymentFailed, DeploymentRolledBack, DeploymentCancelled, DeploymentSuperseded, DeploymentLost}

// DeploymentFilter narrows a list of deployments; empty fields do not.
type DeploymentFilter struct {
	Stack core.StackID
	State DeploymentState
}

// Ended reports whether the state is final.
func (s DeploymentState) Ended() bool {
	return s != DeploymentQueued && s != DeploymentRunning
}

// Trigger is what caused a deployment.
type Trigger string

// The triggers.
const (
	TriggerPoll     Trigger = "poll"
	TriggerWebhook  Trigger = "webhook"
	TriggerManual   Trigger = "manual"
	TriggerAPI      Trigger = "api"
	TriggerRollback Trigger = "rollback"
	TriggerRedeploy Trigger = "redeploy"
	TriggerTransfer Trigger = "transfer"
	TriggerDrift    Trigger = "drift"
	TriggerRotation Trigger = "rotation"
)

// PhaseName names a step of a deployment.
type PhaseName string

// The phases, in order. The hub does the first six, the worker the rest.
const (
	PhaseFetch    PhaseName = "fetch"
	PhaseLint     PhaseName = "lint"
	PhasePolicy   PhaseName = "policy"
	PhaseRender   PhaseName = "render"
	PhaseSecrets  PhaseName = "secrets"
	PhaseDispatch PhaseName = "dispatch"
	PhasePull     PhaseName = "pull"
	PhaseApply    PhaseName = "apply"
	PhaseVerify   PhaseName = "verify"
)

// PhaseState is where a phase stands.
type PhaseState string

// The states of a phase.
const (
	PhaseRunning   PhaseState = "running"
	PhaseSucceeded PhaseState = "succeeded"
	PhaseFailed    PhaseState = "failed"
	PhaseSkipped   PhaseState = "skipped"
	PhaseCancelled PhaseState = "cancelled"
)

// Phase is one step of a deployment, as people see it.
type Phase struct {
	Name       PhaseName  `json:"name"`
	State      PhaseState `json:"state"`
	StartedAt  time.Time  `json:"started_at"`
	DurationMS int64      `json:"duration_ms"`
	Message    string     `json:"message"`
}
