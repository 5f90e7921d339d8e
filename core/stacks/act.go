package stacks

import (
	"context"
	"fmt"

	"berth/core"
	"berth/core/access"
)

// Act is what a person can do to the containers of a compose service.
type Act string

// The acts.
const (
	ActStart   Act = "start"
	ActStop    Act = "stop"
	ActRestart Act = "restart"
)

// RecordAct records that somebody is about to act on a compose service of a stack, before that is done:
// what is seen of its containers tells who it was. NotFound "stack.not_found".
func (d *Desk) RecordAct(ctx context.Context, id core.StackID, service string, act Act, by access.Principal) error {
	return d.store.RecordAct(ctx, id, service, act, by)
}

// HaltedReason says that somebody stopped a compose service through Berth, and who; by may be empty.
func HaltedReason(service, by string) string {
	if by != "" {
		by = " by " + by
	}
	return fmt.Sprintf("compose service %s was stopped through Berth%s; start it, or sync the stack, to have it run again", service, by)
}
