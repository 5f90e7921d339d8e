package handlers_test

import (
	"context"
	"io"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/handlers"
	"berth/hub/adapter/yaml"
)

// stacksDeps is what stacks and deployments need: the real use cases on the stand's
// store, and no worker anywhere.
func (s *stand) stacksDeps() handlers.StacksDeps {
	return handlers.StacksDeps{Desk: stacks.NewDesk(s.store, noHub{}, s.now), Store: s.store, Files: noFiles{}, Live: noHub{}, Plans: s.plans(), Linter: s.plans(),
		Compare: stacks.NewComparer(s.store, rendered{}, yaml.Rendered{})}
}

// noHub is a hub that nobody is linked to.
type noHub struct{}

var errOffline = fault.New(fault.Unavailable, "worker.offline", "The worker is not connected.")

func (noHub) Nudge() {}

func (noHub) Act(context.Context, stacks.Stack, string, wire.RequestKind) error { return errOffline }

func (noHub) Logs(context.Context, stacks.Stack, string, stacks.LogAsk, io.Writer) error {
	return errOffline
}

func (noHub) Usage(context.Context, stacks.Stack) ([]stacks.ServiceUsage, error) {
	return nil, errOffline
}

// noFiles holds no rendered revision.
type noFiles struct{}

func (noFiles) Compose(core.StackID, int) ([]byte, error) {
	return nil, fault.New(fault.NotFound, "revision.not_found", "There is no such revision.")
}
