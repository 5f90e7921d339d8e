package ui

import (
	"testing"

	"berth/core/stacks"
)

// A word of the engine is none of ours: people read it beside "Healthy" and "Failed".
func TestEveryStateOfAContainerHasAWord(t *testing.T) {
	for _, state := range []string{"created", "running", "paused", "restarting", "removing", "exited", "dead"} {
		if got := containerBadge(stacks.ContainerState{State: state}).Word; got == "" || got == state || got[0] > 'Z' {
			t.Errorf("%s is told as %q", state, got)
		}
	}
}
