package hub

import (
	"context"

	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
)

// teardownOrder takes a stack down.
type teardownOrder struct {
	silent
	s *session
	c stacks.Command
}

func (o teardownOrder) frame(_ context.Context, msg *wire.Command) error {
	msg.Teardown = &wire.Teardown{Stack: o.c.Stack, Project: o.c.Body.Project, Volumes: o.c.Body.Volumes}
	return nil
}

func (o teardownOrder) unsendable(ctx context.Context, why error) error {
	return o.s.h.opts.Store.EndTeardown(ctx, o.c, fault.PublicOf(why), o.s.h.opts.Now())
}

// close ends a teardown; the files of a stack that is gone go too.
func (o teardownOrder) close(ctx context.Context, m wire.Result) error {
	problem := ""
	if m.Status != wire.ResultSucceeded {
		problem = orElse(m.Error, "the worker did not say why")
	}
	err := o.s.h.opts.Store.EndTeardown(ctx, o.c, problem, o.s.h.opts.Now())
	if fault.Is(err, fault.NotFound) {
		return nil // it has ended before, and the stack may have been deployed since
	}
	if err != nil {
		return err
	}
	if problem == "" && !o.c.Body.Keep {
		o.s.h.report("a stack's files cannot be removed", o.s.h.opts.Files.RemoveStack(ctx, o.c.Stack), "stack", o.c.Stack)
	}
	return nil
}
