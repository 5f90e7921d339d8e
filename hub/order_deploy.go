package hub

import (
	"context"
	"fmt"

	"berth/core"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/wire"
)

// deployOrder puts a revision in place, or the last good one back.
type deployOrder struct {
	s *session
	c stacks.Command
}

func (o deployOrder) frame(ctx context.Context, msg *wire.Command) (err error) {
	msg.Deploy, err = o.s.h.deployFrame(ctx, o.c)
	return err
}

func (o deployOrder) delivering(ctx context.Context, msg wire.Command) error {
	return o.s.h.noteDelivering(ctx, o.c, msg.Deploy)
}

func (o deployOrder) unsendable(ctx context.Context, why error) error {
	text := notRestored(o.c, fault.PublicOf(why))
	_, err := o.s.h.close(ctx, stacks.Outcome{Deployment: o.c.Deployment, Command: o.c.ID, State: stacks.DeploymentFailed, ErrorCode: fault.CodeOf(why), Error: text}, text)
	return err
}

func (deployOrder) begin() {} // the deployment is recorded since long before

func (o deployOrder) recall(ctx context.Context, i *wire.Instruction) {
	i.Heard = o.s.h.recorder.heardOf(ctx, o.c.Deployment, o.c.ID, o.c.Attempt)
}

func (deployOrder) defect() error { return errCommandDefect }

func (o deployOrder) follow(ctx context.Context) error {
	return o.s.h.recorder.track(ctx, o.c.Deployment)
}

func (o deployOrder) accepted() {
	if text := "worker " + o.s.worker.Hostname + " has it"; o.c.Body.Restore {
		o.s.h.recorder.line(o.c.Deployment, inRestore(text+"\n"))
	} else {
		o.s.h.recorder.phase(o.c.Deployment, stacks.PhaseDispatch, stacks.PhaseSucceeded, text)
	}
}

func (o deployOrder) event(_ context.Context, m wire.Event) {
	o.s.h.recorder.hear(o.c.Deployment, m, o.mark(), func(n *notes) {
		if m.Phase != nil && !o.c.Body.Restore {
			n.Phases = o.s.h.withPhase(n.Phases, *m.Phase)
		}
	})
}

// mark returns what marks the lines of the log that are about putting the last good revision back: the phases
// are those of what failed.
func (o deployOrder) mark() func(string) string {
	if o.c.Body.Restore {
		return inRestore
	}
	return asSaid
}

func (o deployOrder) close(ctx context.Context, m wire.Result) error {
	err := o.s.h.recorder.track(ctx, o.c.Deployment)
	if fault.Is(err, fault.NotFound) {
		return nil // it went with its stack
	}
	if err != nil {
		return err
	}
	outcome := deployOutcome(o.c, m)
	text := outcome.Error
	if o.c.Body.Restore && text == "" {
		text = fmt.Sprintf("revision %d is in place again", o.c.Body.Revision)
	}
	if !o.c.Body.Restore {
		o.s.h.recorder.know(o.c.Deployment, func(p *stacks.Progress) {
			for _, phase := range m.Phases {
				p.Phases = o.s.h.withPhase(p.Phases, phase)
			}
		})
	}
	text = o.s.h.recorder.unheard(o.c.Deployment, o.c.ID, m.Attempt, m.Events) + text
	_, err = o.s.h.close(ctx, outcome, o.mark()(text))
	return err
}

func (o deployOrder) content(ctx context.Context) ([]core.Content, error) {
	rev, err := o.s.h.opts.Store.Revision(ctx, o.c.Stack, o.c.Body.Revision)
	return rev.Content, err
}

// deployFrame builds a deploy command.
func (h *Hub) deployFrame(ctx context.Context, c stacks.Command) (*wire.Deploy, error) {
	rev, err := h.opts.Store.Revision(ctx, c.Stack, c.Body.Revision)
	if err != nil {
		return nil, err
	}
	d, err := h.opts.Store.Deployment(ctx, c.Deployment)
	if err != nil {
		return nil, err
	}
	if err := h.recorder.track(ctx, d.ID); err != nil {
		return nil, err
	}
	compose, err := h.opts.Files.Compose(c.Stack, rev.Number)
	if err != nil {
		return nil, err
	}
	stack, err := h.opts.Store.Stack(ctx, c.Stack)
	if err != nil {
		return nil, err
	}
	values, err := h.keptValues(ctx, stack.Repository, rev)
	if err != nil {
		return nil, err
	}
	commit := d.Commit
	if c.Body.Restore || d.Aim != (stacks.Aim{}) {
		commit = rev.Commit // not the branch's head
	}
	msg := deployMessage(c, rev, c.Body.Revision, commit, compose, values)
	msg.Policy, err = h.opts.Store.PolicyLayers(ctx, c.Worker)
	return msg, err
}

// deployMessage puts a revision and the values that it needs into a message.
func deployMessage(c stacks.Command, rev stacks.Revision, number int, commit core.Commit, compose []byte, values map[string]secrets.Value) *wire.Deploy {
	deploy := &wire.Deploy{
		Stack: c.Stack, Deployment: c.Deployment, Project: c.Body.Project, Revision: number, Commit: commit,
		Compose: compose, Content: rev.Content, Secrets: map[string]string{},
		RemoveOrphans: rev.Manifest.RemoveOrphans, ForcePull: rev.Manifest.ForcePull, Recreate: c.Body.Options.RecreateContainers,
		RecreateNetworks: c.Body.Options.RecreateNetworks, RecreateVolumes: c.Body.Options.RecreateVolumes,
		HealthSeconds: rev.Manifest.HealthTimeout.Seconds(), StableSeconds: rev.Manifest.StableFor.Seconds(),
	}
	for name, value := range values {
		deploy.Secrets[name] = value.Reveal()
	}
	return deploy
}

// fits refuses a revision that no frame could carry, before anything is stored.
func fits(c stacks.Command, rev stacks.Revision, number int, commit core.Commit, compose []byte, values map[string]secrets.Value) error {
	return wire.FitsFrame(wire.Command{ID: c.ID, Attempt: c.Attempt, Epoch: 1, Seconds: c.Body.Seconds, Kind: c.Kind,
		Deploy: deployMessage(c, rev, number, commit, compose, values)})
}
