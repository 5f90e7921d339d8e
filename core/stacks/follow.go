package stacks

// Cover decides which deployment does what a wish asks for. open holds the stack's
// deployments that have not ended: at most one that runs, and one that is queued after
// it. A queued one does the wish too. One that runs does so only when polling asks for
// the very commit that it has fetched; otherwise a new one is queued behind it (fresh).
// how says for the decision what became of the wish; it continues the wish's reason.
func Cover(open []Deployment, ask Ask) (d Deployment, how string, fresh bool) {
	for _, d := range open {
		if d.State == DeploymentQueued {
			d.Options = d.Options.or(ask.Options)
			if ask.Commit == "" || d.Commit != "" {
				d.Commit = ask.Commit
			}
			return d, "; covered by the deployment that is queued", false
		}
	}
	how = ""
	for _, d := range open {
		if ask.Commit != "" && ask.Commit == d.Commit {
			return d, "; covered by the deployment that is running", false
		}
		how = "; follows the deployment that is running"
	}
	return Deployment{Stack: ask.Stack, State: DeploymentQueued, Trigger: ask.Trigger, Actor: ask.Actor, Commit: ask.Commit,
		Options: ask.Options, Phases: []Phase{}}, how, true
}

// Superseded reports whether a queued deployment has nothing left to do now that another
// one of its stack has ended: it was about one commit only, and that was it.
func Superseded(queued, ended Deployment) bool {
	return queued.Commit != "" && queued.Commit == ended.Commit && queued.Options == (DeployOptions{}) && ended.State != DeploymentCancelled
}

// or returns the options that do what either of the two does.
func (o DeployOptions) or(p DeployOptions) DeployOptions {
	return DeployOptions{
		RecreateContainers: o.RecreateContainers || p.RecreateContainers,
		RecreateVolumes:    o.RecreateVolumes || p.RecreateVolumes,
		RecreateNetworks:   o.RecreateNetworks || p.RecreateNetworks,
	}
}
