package model

import (
	"context"
	"fmt"
	"slices"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/stacks"
)

// pipeline is a deployment between its start and its dispatch.
type pipeline struct {
	deployment stacks.Deployment
	stack      stacks.Stack
	commit     int // that was fetched; 0: not yet
}

// look starts whatever is to be done now, as the hub does every second. It returns how many
// deployments are open.
func (w *world) look() int {
	ctx := context.Background()
	w.tell("hub: looks")
	waiting, err := w.store.WorkersWithQueuedCommands(ctx)
	w.must(err)
	for _, id := range waiting {
		if l := w.session(w.hostOf(id)); l != nil {
			l.wake = true
		}
	}
	if !w.calm || w.due { // reading what is due takes long for nothing
		w.must(w.durable(func() error {
			_, err := w.store.QueueRetries(ctx)
			return err
		}))
		w.must(w.durable(func() error {
			_, err := w.store.QueueHeals(ctx)
			return err
		}))
		w.due = false
	}
	open, err := w.store.OpenDeployments(ctx)
	w.must(err)
	for _, d := range open {
		switch {
		case d.Cancelling && d.State == stacks.DeploymentRunning:
			w.stop(d)
			return len(open)
		case d.State == stacks.DeploymentRunning && d.Revision > 0:
			return len(open)
		}
		if d.State == stacks.DeploymentRunning || !slices.ContainsFunc(open, func(o stacks.Deployment) bool { return o.State == stacks.DeploymentRunning }) {
			w.begin(d)
		}
	}
	return len(open)
}

// begin starts the pipeline of a deployment, unless there is one.
func (w *world) begin(d stacks.Deployment) {
	ctx := context.Background()
	if slices.ContainsFunc(w.hub.work, func(p pipeline) bool { return p.deployment.ID == d.ID }) {
		return
	}
	if d.State == stacks.DeploymentQueued {
		err := w.durable(func() (err error) {
			d, err = w.store.StartDeployment(ctx, d.ID)
			return err
		})
		if w.mustOr(err, fault.Conflict); err != nil {
			return
		}
	}
	st, err := w.store.Stack(ctx, w.stack)
	w.must(err)
	w.hub.work = append(w.hub.work, pipeline{deployment: d, stack: st})
	w.tell("hub: begins %s, aim %+v", d.ID, d.Aim)
}

// stop ends a running deployment that somebody cancelled.
func (w *world) stop(d stacks.Deployment) {
	if i := slices.IndexFunc(w.hub.work, func(p pipeline) bool { return p.deployment.ID == d.ID }); i >= 0 {
		w.hub.work = slices.Delete(w.hub.work, i, i+1)
		w.endDeployment(stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentCancelled, Phases: d.Phases})
		return
	}
	if w.endDeployment(stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentCancelled, Phases: d.Phases, OnlyUnsent: true}) {
		return
	}
	for i := range w.ids {
		l := w.session(i)
		if l == nil {
			continue
		}
		open, err := w.store.OpenCommands(context.Background(), w.ids[i])
		w.must(err)
		for _, c := range open {
			if c.Deployment == d.ID {
				l.tell(message{kind: cancel, key: key{c.ID, c.Attempt}})
				w.tell("hub: asks host %d to cancel %s", i, key{c.ID, c.Attempt})
			}
		}
	}
}

// advance takes a pipeline one step on: fetch, then dispatch.
func (w *world) advance() {
	p := w.hub.work[0]
	if p.commit == 0 {
		w.hub.work[0].commit = w.head()
		w.tell("hub: fetches c%d", w.head())
		return
	}
	w.hub.work = w.hub.work[1:]
	w.dispatch(p)
}

func (w *world) dispatch(p pipeline) {
	ctx := context.Background()
	rev, to := w.render(p), p.stack.Worker
	if p.deployment.Aim.Worker != "" {
		to = p.deployment.Aim.Worker
	}
	there := p.deployment.Aim.Worker != "" && p.deployment.Aim.Worker == p.stack.Worker // another transfer has moved it there
	if w.commits[p.commit-1].broken && p.deployment.Aim == (stacks.Aim{}) || there || w.chance(30) {
		w.endDeployment(stacks.Outcome{Deployment: p.deployment.ID, State: stacks.DeploymentFailed, Commit: rev.Commit, Phases: p.deployment.Phases})
		return
	}
	at := w.tick()
	cmd := stacks.Command{ID: core.CommandID(core.NewID(core.PrefixCommand, at)), Attempt: 1, Worker: to, Kind: stacks.CommandDeploy, Stack: w.stack,
		Deployment: p.deployment.ID, State: stacks.CommandQueued, CreatedAt: at,
		Body: stacks.CommandBody{Project: p.stack.ProjectName(), Seconds: 60, Options: p.deployment.Options}}
	err := w.durable(func() error {
		_, err := w.store.Dispatch(ctx, rev, cmd, stacks.Progress{Deployment: p.deployment.ID, Commit: rev.Commit, Tree: rev.Tree, Worker: to}, nil)
		return err
	})
	w.mustOr(err, fault.Conflict)
	w.tell("hub: dispatches %s of %s to host %d: %v", key{cmd.ID, 1}, rev.Commit, w.hostOf(to), err)
	if l := w.session(w.hostOf(to)); l != nil {
		l.wake = true
	}
}

// render returns the revision that a pipeline puts in place.
func (w *world) render(p pipeline) stacks.Revision {
	number := p.deployment.Aim.Revision
	if p.deployment.Aim.Worker != "" {
		number = p.stack.Revision
	}
	if number > 0 {
		rev, err := w.store.Revision(context.Background(), w.stack, number)
		w.must(err)
		return rev
	}
	c := w.commits[p.commit-1]
	m := stacks.DefaultManifest()
	m.SelfHeal = c.heal
	if c.keep {
		m.OnFailure = stacks.OnFailureKeep
	}
	return stacks.Revision{Stack: w.stack, Commit: hashOf(p.commit), Digest: fmt.Sprintf("of %d", c.tree), Manifest: m,
		Services: []core.ComposeService{{Name: "web", Stays: true}}, Tree: w.tree(p.commit)}
}

// poll is a look at the repository that is under way.
type poll struct {
	repository repositories.Repository
	head       int
	ask        *stacks.Ask
	seen       *stacks.Seen
	stage      int
}

// pollOn takes the look at the repository one step on: judge, store what follows, record the head. It
// reports whether there was anything to look at.
func (w *world) pollOn() bool {
	ctx := context.Background()
	p := w.hub.polling
	if p == nil {
		r, err := w.store.Repository(ctx, w.repo)
		w.must(err)
		w.hub.polling = w.judge(r)
		return w.hub.polling != nil
	}
	next := *p
	next.stage++
	w.hub.polling = &next
	stage := next.stage
	if w.defect == headRecordedFirst {
		stage = 3 - stage
	}
	switch stage {
	case 1:
		w.tell("hub: polling wants a deployment: %v", p.ask != nil)
		if p.seen != nil {
			w.must(w.durable(func() error { return w.store.RecordSeen(ctx, []stacks.Seen{*p.seen}) }))
		}
		if p.ask != nil {
			w.must(w.durable(func() error { return w.store.QueueAll(ctx, []stacks.Ask{*p.ask}) }))
		}
	case 2:
		if hashOf(p.head) != p.repository.Head {
			w.must(w.durable(func() error {
				return w.store.SetFetched(ctx, w.repo, core.GitHead{Commit: hashOf(p.head)}, core.LineageUnknown, w.tick())
			}))
		}
		if !p.repository.AskedAt.IsZero() {
			w.must(w.durable(func() error { return w.store.ClearAsked(ctx, w.repo, p.repository.AskedAt) }))
		}
	}
	if next.stage == 2 {
		w.hub.polling = nil
	}
	return true
}

// judge decides what follows from the head, when there is anything to look at.
func (w *world) judge(r repositories.Repository) *poll {
	p := &poll{repository: r, head: w.head()}
	w.tell("hub: polls, the head is c%d, asked %v", p.head, !r.AskedAt.IsZero())
	if r.Head == hashOf(p.head) && r.AskedAt.IsZero() {
		return nil
	}
	st, err := w.store.Stack(context.Background(), w.stack)
	w.must(err)
	sight := stacks.Sight{Commit: hashOf(p.head), Tree: w.tree(p.head), Trigger: stacks.TriggerPoll}
	v := stacks.Decide(st, sight)
	switch {
	case v.Deploy:
		p.ask = &stacks.Ask{Stack: w.stack, Trigger: stacks.TriggerPoll, Actor: "system", Commit: sight.Commit, Reason: v.Reason, SeenTree: sight.Tree}
	case v.Record:
		p.seen = &stacks.Seen{Stack: w.stack, Sight: sight, Verdict: v}
	}
	return p
}
