package ui

import (
	"strings"
	"testing"

	"berth/core/stacks"
)

// The line below a stack's name is read without the phases beside it.
func TestAStackSaysInASentenceWhatItsDeploymentIsAt(t *testing.T) {
	for _, name := range phaseOrder {
		why := whyOpen(stacks.Deployment{State: stacks.DeploymentRunning, Phases: []stacks.Phase{{Name: name, State: stacks.PhaseRunning}}})
		if !strings.HasSuffix(why, ".") || !strings.Contains(why, " is ") && !strings.Contains(why, " are ") {
			t.Errorf("in phase %s it says %q", name, why)
		}
	}
	told := stacks.Deployment{Phases: []stacks.Phase{{Name: stacks.PhasePull, State: stacks.PhaseRunning, Message: "web: 3 of 4 layers"}}}
	if why := whyOpen(told); why != "web: 3 of 4 layers." {
		t.Errorf("of a phase that tells how far it is it says %q", why)
	}
}
