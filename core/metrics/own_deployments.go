package metrics

import (
	"time"

	"berth/core/stacks"
)

// ownDeployments are the families about deployments.
type ownDeployments struct{ ended, took, phases, healthy *vector }

func (d *ownDeployments) declare(o *Own) {
	d.ended = o.declare(TypeCounter, "berth_deployments_total", "Deployments that ended, by what triggered them and how they ended.", []string{"trigger", "result"})
	d.took = o.declare(TypeHistogram, "berth_deployment_duration_seconds", "Time since a deployment was queued until it ended, by how it ended.", []string{"result"},
		0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800)
	d.phases = o.declare(TypeHistogram, "berth_deployment_phase_duration_seconds", "Time that one phase of a deployment took.", []string{"phase"},
		0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1200)
	d.healthy = o.declare(TypeHistogram, "berth_commit_to_healthy_seconds",
		"Time since a commit was first wanted for a stack, by polling or by a person, until its first deployment there succeeded.", nil,
		1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600)
}

// Deployed counts a deployment that ended, with the time since it was queued.
func (o *Own) Deployed(trigger stacks.Trigger, state stacks.DeploymentState, took time.Duration) {
	o.deployments.ended.add(1, string(trigger), string(state))
	o.deployments.took.observe(took.Seconds(), string(state))
}

// PhaseEnded measures one phase of a deployment.
func (o *Own) PhaseEnded(phase stacks.PhaseName, took time.Duration) {
	o.deployments.phases.observe(took.Seconds(), string(phase))
}

// Healthy measures how long a commit took to a stack's first deployment of it that succeeded.
func (o *Own) Healthy(took time.Duration) { o.deployments.healthy.observe(took.Seconds()) }

// ownFetches are the families about fetches of repositories.
type ownFetches struct{ ended, took *vector }

func (f *ownFetches) declare(o *Own) {
	f.ended = o.declare(TypeCounter, "berth_fetches_total", "Fetches of Git repositories, by how they ended.", []string{"result"})
	f.took = o.declare(TypeHistogram, "berth_fetch_duration_seconds", "Time that a fetch of a Git repository took.", nil,
		0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300)
}

// Fetched counts a fetch of a repository.
func (o *Own) Fetched(ok bool, took time.Duration) {
	o.fetches.ended.add(1, results[ok])
	o.fetches.took.observe(took.Seconds())
}
