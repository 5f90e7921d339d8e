package hub

import (
	"context"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/wire"
)

// settle answers each entry of a worker's journal: what the store knows decides.
func (s *session) settle(ctx context.Context, journal []wire.JournalEntry) ([]wire.Instruction, error) {
	open, err := s.h.opts.Store.OpenCommands(ctx, s.worker.ID)
	if err != nil {
		return nil, err
	}
	byID := make(map[core.CommandID]stacks.Command, len(open))
	for _, c := range open {
		byID[c.ID] = c
	}
	settle := make([]wire.Instruction, 0, len(journal))
	for _, entry := range journal {
		do := wire.SettleForget
		command, isOpen := byID[entry.ID]
		switch {
		case isOpen && command.Attempt == entry.Attempt:
			do = wire.SettleRun
			s.ended[entry.ID] = entry.State == wire.JournalResult
		case entry.State == wire.JournalResult:
			do = wire.SettleAcknowledged
		}
		settle = append(settle, wire.Instruction{ID: entry.ID, Attempt: entry.Attempt, Do: do})
	}
	return settle, nil
}

// deliver sends every command that was not sent on this link yet, now and whenever woken.
func (s *session) deliver(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wakes:
		}
		open, err := s.h.opts.Store.OpenCommands(ctx, s.worker.ID)
		if err != nil {
			s.h.report("a worker's commands cannot be read", err, "worker", s.worker.ID)
			continue
		}
		for _, c := range open {
			if c.Epoch == s.epoch || s.ended[c.ID] {
				continue
			}
			if err := s.send(ctx, c); err != nil {
				s.h.report("a command cannot be sent", err, "command", c.ID, "worker", s.worker.ID)
				return
			}
		}
	}
}

// send stores that a command is sent, and sends it. A command whose frame cannot be built
// has failed: nothing was changed.
func (s *session) send(ctx context.Context, c stacks.Command) error {
	msg := wire.Command{ID: c.ID, Attempt: c.Attempt, Epoch: s.epoch, Kind: c.Kind}
	var err error
	if c.Kind == stacks.CommandTeardown {
		msg.Teardown = &wire.Teardown{Stack: c.Stack, Project: c.Body.Project, Volumes: c.Body.Volumes}
	} else {
		msg.Deploy, err = s.h.frame(ctx, c)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.h.unsendable(ctx, c, err)
		return nil
	}
	sent, err := s.h.opts.Store.MarkSent(ctx, s.worker.ID, c.ID, s.epoch)
	if fault.Is(err, fault.NotFound) {
		return nil // it was closed meanwhile
	}
	if err != nil {
		return err
	}
	msg.Seconds = max(1, int(sent.DeadlineAt.Sub(s.h.opts.Now())/time.Second))
	return s.link.Send(ctx, msg)
}

// frame builds a deploy command: references become values here and nowhere earlier.
func (h *Hub) frame(ctx context.Context, c stacks.Command) (*wire.Deploy, error) {
	rev, err := h.opts.Store.Revision(ctx, c.Stack, c.Body.Revision)
	if err != nil {
		return nil, err
	}
	d, err := h.opts.Store.Deployment(ctx, c.Deployment)
	if err != nil {
		return nil, err
	}
	if err := h.recorder.track(ctx, d); err != nil {
		return nil, err
	}
	compose, err := h.opts.Files.Compose(c.Stack, rev.Number)
	if err != nil {
		return nil, err
	}
	values, err := h.opts.Variables.Secrets(ctx, c.Stack, secretNames(rev.Services))
	if err != nil {
		return nil, err
	}
	return deployMessage(c, rev, c.Body.Revision, d.Commit, compose, values), nil
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

// unsendable closes a command that cannot be built any more.
func (h *Hub) unsendable(ctx context.Context, c stacks.Command, err error) {
	if c.Kind == stacks.CommandTeardown {
		h.report("a teardown cannot be closed", h.opts.Store.EndTeardown(ctx, c, fault.PublicOf(err), h.opts.Now()))
		return
	}
	h.end(ctx, c.Deployment, stacks.DeploymentFailed, fault.CodeOf(err), fault.PublicOf(err), nil)
}

// stop ends a running deployment that somebody cancelled: in the pipeline, in the queue
// of a worker that is away, or by asking the worker.
func (h *Hub) stop(ctx context.Context, d stacks.Deployment) {
	if h.pipelines.cancel(d.ID) {
		return
	}
	open, err := h.opts.Store.OpenCommands(ctx, d.Worker)
	if err != nil {
		h.report("a worker's commands cannot be read", err, "worker", d.Worker)
		return
	}
	for _, c := range open {
		if c.Deployment != d.ID || c.State == stacks.CommandQueued {
			continue
		}
		if s := h.session(d.Worker); s != nil {
			h.report("a worker cannot be told to stop", s.link.Send(ctx, wire.Cancel{ID: c.ID, Attempt: c.Attempt}), "command", c.ID)
		}
		return
	}
	h.end(ctx, d.ID, stacks.DeploymentCancelled, "deployment.cancelled", "cancelled before anything was changed", nil)
}
