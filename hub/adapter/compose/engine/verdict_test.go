package engine

import (
	"testing"

	"github.com/moby/moby/api/types/container"
)

func TestAConditionInWords(t *testing.T) {
	for want, o := range map[string]observed{
		"running":                               {state: container.StateRunning},
		"running, restarted once":               {state: container.StateRunning, restarts: 1},
		"exited with code 3, restarted 2 times": {state: container.StateExited, exitCode: 3, restarts: 2},
	} {
		if got := o.describe(); got != want {
			t.Errorf("%+v is %q, want %q", o, got, want)
		}
	}
}
