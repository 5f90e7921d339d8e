package coretest

import (
	"fmt"

	"berth/core/stacks"
)

// LegalPath checks that the events of a deployment lead without a gap from its beginning to the
// state in which it is, over transitions that the state machine has. It says what is wrong.
func LegalPath(d stacks.Deployment, events []stacks.DeploymentEvent) error {
	at, restores := stacks.DeploymentState(""), 0
	for i, e := range events {
		switch {
		case e.Number != i+1:
			return fmt.Errorf("event %d of %s has number %d", i+1, d.ID, e.Number)
		case e.From != at || !stacks.MayFollow(e.From, e.To):
			return fmt.Errorf("event %d of %s goes from %q to %q, and the one before ended in %q", e.Number, d.ID, e.From, e.To, at)
		case e.Cause == "" || e.At.IsZero():
			return fmt.Errorf("event %d of %s, to %s, does not say why or when", e.Number, d.ID, e.To)
		case e.From == e.To && e.Actor == "":
			restores++
		}
		at = e.To
	}
	if at != d.State {
		return fmt.Errorf("%s is %s, and its events lead to %q", d.ID, d.State, at)
	}
	if restores != min(d.Restore.Revision, 1) {
		return fmt.Errorf("%s tells of %d restores, and of revision %d that is put back", d.ID, restores, d.Restore.Revision)
	}
	return nil
}
