package hub

import (
	"context"
	"fmt"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
)

// closed reports whether a command has ended.
func closed(c stacks.Command) bool {
	return c.State == stacks.CommandSucceeded || c.State == stacks.CommandFailed || c.State == stacks.CommandCancelled
}

// settle answers each entry of a worker's journal: what the store knows decides.
func (s *session) settle(ctx context.Context, journal []wire.JournalEntry) ([]wire.Instruction, error) {
	open, err := s.h.opts.Store.OpenCommands(ctx, s.worker.ID)
	if err != nil && !unreadable(err) {
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
			if entry.State == wire.JournalResult {
				s.ended[entry.ID] = entry.Attempt
			}
		case err != nil && !isOpen && s.illegible(ctx, entry.ID):
			do = wire.SettleRun // nobody may decide about it until the row is put right
		case entry.State == wire.JournalResult:
			do = wire.SettleAcknowledged
		}
		instruction := wire.Instruction{ID: entry.ID, Attempt: entry.Attempt, Do: do}
		if isOpen && do == wire.SettleRun {
			s.order(command).recall(ctx, &instruction)
		}
		settle = append(settle, instruction)
	}
	return settle, nil
}

// illegible reports whether a command's row is there and cannot be read.
func (s *session) illegible(ctx context.Context, id core.CommandID) bool {
	_, err := s.h.opts.Store.Command(ctx, s.worker.ID, id)
	return unreadable(err)
}

// errCommandDefect ends what cannot be sent.
var errCommandDefect = fault.New(fault.Unavailable, "deployment.defect",
	"A defect in this program kept the command from being sent three times. The server's log has the details.")

// send stores that a command is sent, and sends it. A command whose frame cannot be built
// has failed: nothing was changed.
func (s *session) send(ctx context.Context, c stacks.Command) error {
	msg, order := wire.Command{ID: c.ID, Attempt: c.Attempt, Epoch: s.epoch, Kind: c.Kind}, s.order(c)
	err := order.frame(ctx, &msg)
	if err == nil {
		msg.Seconds = max(1, c.Body.Seconds)
		err = wire.FitsFrame(msg)
	}
	if err != nil {
		return s.unsendable(ctx, c, err)
	}
	if err := order.delivering(ctx, msg); err != nil {
		return err
	}
	sent, err := s.h.opts.Store.MarkSent(ctx, s.worker.ID, c.ID, s.epoch)
	if fault.Is(err, fault.NotFound) {
		return nil // it was closed meanwhile
	}
	if err != nil {
		return err
	}
	if c.State == stacks.CommandQueued {
		order.begin()
		s.know(c.ID, order)
	} // of one that was sent before, own finds out how far it is
	msg.Seconds = max(1, int(sent.DeadlineAt.Sub(s.h.opts.Now())/time.Second))
	return s.link.Send(ctx, msg)
}

// unsendable closes a command that cannot be built. One that the worker may have is left
// alone: it may be at work, and its result counts.
func (s *session) unsendable(ctx context.Context, c stacks.Command, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case c.State != stacks.CommandQueued:
		if now, problem := s.h.opts.Store.Command(ctx, s.worker.ID, c.ID); problem == nil && closed(now) {
			return nil // and what it needs was forgotten
		}
		s.h.log.Warn("a command cannot be sent again; its result is waited for", "command", c.ID, "error", err)
		return nil
	}
	return s.order(c).unsendable(ctx, err)
}

// stop ends a running deployment that somebody cancelled: in the pipeline, in the queue
// of a worker that is away, or by asking the worker. It is asked again at each look.
func (h *Hub) stop(ctx context.Context, d stacks.Deployment) {
	if h.pipelines.cancel(d.ID) {
		return
	}
	text := "cancelled before anything was changed"
	if d.Restore.Revision > 0 {
		text = fmt.Sprintf("cancelled before revision %d was put back", d.Restore.Revision)
	}
	done, err := h.close(ctx, stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentCancelled, ErrorCode: "deployment.cancelled", Error: text, OnlyUnsent: true}, "")
	if err != nil {
		h.report("a cancelled deployment cannot be ended", err, "deployment", d.ID)
	}
	if done || err != nil {
		return
	}
	if h.opts.Peers != nil && h.session(d.Worker) == nil {
		h.recorder.forget(d.ID) // the hub that holds the worker's link records it
	}
	h.tellCancelled(ctx, d)
}

// tellCancelled asks a deployment's worker to stop, when its link is here.
func (h *Hub) tellCancelled(ctx context.Context, d stacks.Deployment) {
	s := h.session(d.Worker)
	if s == nil {
		return
	}
	open, err := h.opts.Store.OpenCommands(ctx, d.Worker)
	h.report("a worker's commands cannot be read", err, "worker", d.Worker)
	for _, c := range open {
		if c.Deployment == d.ID {
			s.link.TrySend(wire.Cancel{ID: c.ID, Attempt: c.Attempt})
		}
	}
}
