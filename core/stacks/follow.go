package stacks

import "berth/core"

// Coverage says which deployment does what a wish asks for.
type Coverage struct {
	Deployment Deployment        // as it is once the wish is stored
	How        string            // what became of the wish; continues its reason in the decision
	Fresh      bool              // the deployment is new and is queued
	Displaced  core.DeploymentID // a queued one whose place it takes; that one ends superseded
	Waits      bool              // nothing is done for the wish before Deployment has ended: then polling looks again
}

// Cover decides which deployment does what a wish asks for. open holds the stack's
// deployments that have not ended: at most one that runs, and one that is queued after it.
//
// A queued one that aims at the same does the wish too. One that aims at something else is
// displaced by the newer wish, unless nobody in person had that: what polling, retries or repair
// want comes after what a person wanted. One that runs does the wish only when polling asks for the
// very commit that it has fetched, or when it puts in place what the wish names; otherwise a new one is
// queued behind it.
func Cover(open []Deployment, ask Ask) Coverage {
	c := Coverage{Fresh: true, Deployment: Deployment{Stack: ask.Stack, State: DeploymentQueued, Trigger: ask.Trigger, Actor: ask.Actor,
		Commit: ask.Commit, Options: ask.Options, Aim: ask.Aim, RetryOf: ask.Of, Attempt: ask.Attempt, Phases: []Phase{}}}
	for _, d := range open {
		if d.State == DeploymentQueued {
			return coverQueued(c, d, ask)
		}
	}
	for _, d := range open {
		if d.covers(ask) {
			return Coverage{Deployment: d, How: "; covered by the deployment that is running"}
		}
		c.How = "; follows the deployment that is running"
	}
	return c
}

// coverQueued is Cover when one is queued already.
func coverQueued(fresh Coverage, queued Deployment, ask Ask) Coverage {
	switch {
	case queued.Aim == ask.Aim:
		queued.Options = queued.Options.or(ask.Options)
		if queued.Trigger.Automatic() && !ask.Automatic() {
			queued.Trigger, queued.Actor = ask.Trigger, ask.Actor // a pause takes it back no more
			queued.RetryOf, queued.Attempt = "", 0
		}
		if ask.Commit == "" || queued.Commit != "" {
			queued.Commit = ask.Commit
		}
		return Coverage{Deployment: queued, How: "; covered by the deployment that is queued"}
	case ask.Automatic() && !queued.Automatic():
		return Coverage{Deployment: queued, How: "; waits for the " + string(queued.Trigger) + " that is queued", Waits: true}
	}
	fresh.Displaced, fresh.How = queued.ID, "; takes the place of the deployment that was queued"
	return fresh
}

// covers reports whether a running deployment does what a wish asks for.
func (d Deployment) covers(ask Ask) bool {
	if d.Aim != ask.Aim || d.Restore.Revision != 0 {
		return false
	}
	if d.Aim != (Aim{}) {
		return !d.Cancelling && ask.Options == (DeployOptions{})
	}
	return ask.Commit != "" && ask.Commit == d.Commit
}

// Superseded reports whether a queued deployment has nothing left to do now that another
// one of its stack has ended: it was about one commit only, and that was it.
func Superseded(queued, ended Deployment) bool {
	return queued.Aim == ended.Aim && queued.Commit != "" && queued.Commit == ended.Commit && queued.Options == (DeployOptions{}) && ended.State != DeploymentCancelled
}

// Automatic reports whether nobody in person caused it.
func (t Trigger) Automatic() bool {
	return t == TriggerPoll || t == TriggerWebhook || t == TriggerDrift || t == TriggerRotation
}

// SystemActor is who asked when nobody in person did.
const SystemActor = "system"

// Automatic reports whether nobody in person wanted it, now.
func (d Deployment) Automatic() bool { return d.Trigger.Automatic() || d.Actor == SystemActor }

// Automatic reports whether nobody in person has this wish.
func (a Ask) Automatic() bool { return a.Retry || a.Trigger.Automatic() }

// or returns the options that do what either of the two does.
func (o DeployOptions) or(p DeployOptions) DeployOptions {
	return DeployOptions{
		RecreateContainers: o.RecreateContainers || p.RecreateContainers,
		RecreateVolumes:    o.RecreateVolumes || p.RecreateVolumes,
		RecreateNetworks:   o.RecreateNetworks || p.RecreateNetworks,
	}
}
