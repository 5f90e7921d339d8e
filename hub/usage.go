package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
)

const usageExpiry = 10 * time.Second

var errNoUsage = fault.New(fault.Conflict, "worker.no_usage", "The stack's worker is of a release that does not tell what containers use. Update it.")

// Usage tells what the compose services of a stack used of their host in the last while.
func (h *Hub) Usage(ctx context.Context, s stacks.Stack) ([]stacks.ServiceUsage, error) {
	if worker := h.session(s.Worker); worker != nil && !worker.tells {
		return nil, errNoUsage
	}
	ctx, cancel := context.WithTimeout(ctx, usageExpiry)
	defer cancel()
	var text bytes.Buffer
	if err := h.ask(ctx, s, wire.Request{Kind: wire.RequestUsage, Seconds: int(usageExpiry.Seconds())}, &text); err != nil {
		return nil, err
	}
	var all []stacks.ServiceUsage
	if err := json.Unmarshal(text.Bytes(), &all); err != nil {
		return nil, fmt.Errorf("the worker's answer cannot be read: %w", err)
	}
	return all, nil
}
