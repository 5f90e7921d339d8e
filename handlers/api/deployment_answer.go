package api

import (
	"time"

	"berth/core"
	"berth/core/stacks"
)

// DeploymentAnswer is a deployment as the API shows it.
type DeploymentAnswer struct {
	ID            core.DeploymentID      `json:"id"`
	StackID       core.StackID           `json:"stack_id"`
	State         stacks.DeploymentState `json:"state"`
	Trigger       stacks.Trigger         `json:"trigger"`
	Actor         string                 `json:"actor"`     // who asked; "system" for polling
	RetryOf       core.DeploymentID      `json:"retry_of"`  // the deployment before, when what failed is tried again; "" when it is no retry
	Attempt       int                    `json:"attempt"`   // for which time the same is tried: 1 unless it is a retry
	Commit        core.Commit            `json:"commit"`    // "" until fetched
	Revision      int                    `json:"revision"`  // 0 until rendered
	WorkerID      core.WorkerID          `json:"worker_id"` // "" until placed
	Options       OptionsAnswer          `json:"options"`
	Aim           AimAnswer              `json:"aim"`
	Restore       *RestoreAnswer         `json:"restore"` // null: nothing is or was put back
	Phases        []stacks.Phase         `json:"phases"`
	ErrorCode     string                 `json:"error_code"`
	Error         string                 `json:"error"`          // why it failed in the first place
	FailedService string                 `json:"failed_service"` // compose service that made it fail; "": none did
	FailedLines   string                 `json:"failed_lines"`   // what that said last
	QueuedAt      time.Time              `json:"queued_at"`
	StartedAt     *time.Time             `json:"started_at"`
	FinishedAt    *time.Time             `json:"finished_at"`
	CancelledBy   string                 `json:"cancelled_by"` // who asked first to stop it; "": nobody did
}

// OptionsAnswer is what a deployment makes anew though nothing changed.
type OptionsAnswer struct {
	RecreateContainers bool `json:"recreate_containers"`
	RecreateVolumes    bool `json:"recreate_volumes"`
	RecreateNetworks   bool `json:"recreate_networks"`
}

// AimAnswer is what a deployment puts in place, and where.
type AimAnswer struct {
	Revision int           `json:"revision"`  // a kept revision; 0: the head of the branch, or for a transfer what is in place
	WorkerID core.WorkerID `json:"worker_id"` // where the stack moves to; "": it stays
}

// RestoreAnswer is how the last good revision is put back after a failure.
type RestoreAnswer struct {
	Revision int                 `json:"revision"`
	State    stacks.RestoreState `json:"state"`
	Error    string              `json:"error"` // why it was not put back
}

func showDeployment(d stacks.Deployment) DeploymentAnswer {
	answer := DeploymentAnswer{
		ID: d.ID, StackID: d.Stack, State: d.State, Trigger: d.Trigger, Actor: d.Actor, RetryOf: d.RetryOf, Attempt: max(1, d.Attempt), CancelledBy: d.CancelledBy, Commit: d.Commit, Revision: d.Revision, WorkerID: d.Worker,
		Options: OptionsAnswer(d.Options), Aim: AimAnswer{d.Aim.Revision, d.Aim.Worker},
		Phases: orEmpty(d.Phases), ErrorCode: d.ErrorCode, Error: d.Error, FailedService: d.FailedService, FailedLines: d.FailedLines,
		QueuedAt: d.QueuedAt, StartedAt: optionalTime(d.StartedAt), FinishedAt: optionalTime(d.FinishedAt),
	}
	if d.Restore.Revision != 0 {
		answer.Restore = &RestoreAnswer{d.Restore.Revision, d.Restore.State, d.Restore.Error}
	}
	return answer
}
