package ui

import (
	"fmt"

	"berth/core/fleet"
	"berth/core/stacks"
)

// badge is a state as a shape, a word and a tone: never by colour alone.
type badge struct {
	Tone string // ok, busy, warn, bad or idle
	Icon string
	Word string
}

// statusBadges has one badge for each status of a stack.
var statusBadges = map[stacks.Status]badge{
	stacks.StatusNew:      {"idle", "circle", "New"},
	stacks.StatusPending:  {"busy", "clock", "Pending"},
	stacks.StatusSyncing:  {"busy", "ring", "Syncing"},
	stacks.StatusActive:   {"ok", "check", "Active"},
	stacks.StatusDegraded: {"warn", "alert", "Degraded"},
	stacks.StatusError:    {"bad", "cross", "Error"},
	stacks.StatusPaused:   {"idle", "pause", "Paused"},
}

var deploymentBadges = map[stacks.DeploymentState]badge{
	stacks.DeploymentQueued:     {"busy", "clock", "Queued"},
	stacks.DeploymentRunning:    {"busy", "ring", "Running"},
	stacks.DeploymentSucceeded:  {"ok", "check", "Succeeded"},
	stacks.DeploymentFailed:     {"bad", "cross", "Failed"},
	stacks.DeploymentRolledBack: {"warn", "back", "Rolled back"},
	stacks.DeploymentCancelled:  {"idle", "stop", "Cancelled"},
	stacks.DeploymentSuperseded: {"idle", "skip", "Superseded"},
	stacks.DeploymentLost:       {"bad", "question", "Unknown"},
}

// planBadges has one badge for each thing that a deployment would do to a compose service.
var planBadges = map[stacks.PlanAction]badge{
	stacks.PlanCreate:   {"ok", "plus", "Create"},
	stacks.PlanRecreate: {"warn", "back", "Recreate"},
	stacks.PlanScale:    {"busy", "stacks", "Scale"},
	stacks.PlanRestart:  {"warn", "sync", "Restart"},
	stacks.PlanStart:    {"busy", "play", "Start"},
	stacks.PlanRemove:   {"bad", "trash", "Remove"},
	stacks.PlanLeave:    {"idle", "check", "Leave"},
}

var phaseBadges = map[stacks.PhaseState]badge{
	"":                    {"idle", "circle", "Not begun"},
	stacks.PhaseRunning:   {"busy", "ring", "Running"},
	stacks.PhaseSucceeded: {"ok", "check", "Done"},
	stacks.PhaseFailed:    {"bad", "cross", "Failed"},
	stacks.PhaseSkipped:   {"idle", "skip", "Skipped"},
	stacks.PhaseCancelled: {"idle", "stop", "Cancelled"},
}

// presenceBadges has one badge for each answer to whether a worker is there.
var presenceBadges = map[fleet.There]badge{
	fleet.IsOnline:  {"ok", "check", "Online"},
	fleet.IsOffline: {"bad", "cross", "Offline"},
	fleet.IsUnknown: {"warn", "question", "Not known"},
	fleet.IsNever:   {"idle", "circle", "Never connected"},
}

// badgeOf looks a state up; one that this version does not know shows as itself.
func badgeOf[S ~string](known map[S]badge, state S) badge {
	if b, found := known[state]; found {
		return b
	}
	return badge{"idle", "question", string(state)}
}

// containerBadge says how a container is: what its health check finds, if it has one.
func containerBadge(c stacks.ContainerState) badge {
	switch {
	case c.State == "running" && c.Health == "unhealthy":
		return badge{"bad", "cross", "Unhealthy"}
	case c.State == "running" && c.Health == "starting":
		return badge{"busy", "ring", "Starting"}
	case c.State == "running" && c.Health == "healthy":
		return badge{"ok", "check", "Healthy"}
	case c.State == "running":
		return badge{"ok", "play", "Running"}
	case c.State == "exited" && c.ExitCode == 0:
		return badge{"idle", "stop", "Exited"}
	case c.State == "exited":
		return badge{"bad", "cross", "Failed"}
	case c.State == "restarting":
		return badge{"warn", "again", "Restarting"}
	case c.State == "dead":
		return badge{"bad", "cross", "Dead"}
	case c.State == "paused":
		return badge{"idle", "pause", "Paused"}
	case c.State == "created":
		return badge{"idle", "circle", "Not started"}
	case c.State == "removing":
		return badge{"busy", "ring", "Being removed"}
	}
	return badge{"idle", "circle", c.State}
}

// triggers says in words what caused a deployment.
var triggers = map[stacks.Trigger]string{
	stacks.TriggerPoll: "New commit", stacks.TriggerWebhook: "Webhook", stacks.TriggerManual: "By hand", stacks.TriggerAPI: "API",
	stacks.TriggerRollback: "Rollback", stacks.TriggerRedeploy: "Redeploy", stacks.TriggerTransfer: "Transfer",
	stacks.TriggerDrift: "Drift", stacks.TriggerRotation: "Rotation",
}

func triggerWord(t stacks.Trigger) string {
	if word, found := triggers[t]; found {
		return word
	}
	return string(t)
}

// causeWord says what caused a deployment: a retry is no new commit.
func causeWord(d stacks.Deployment) string {
	if d.RetryOf == "" {
		return triggerWord(d.Trigger)
	}
	return fmt.Sprintf("Retry, attempt %d", d.Attempt)
}
