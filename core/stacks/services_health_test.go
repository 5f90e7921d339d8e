package stacks

import (
	"strings"
	"testing"

	"berth/core"
)

func TestJudgeServices(t *testing.T) {
	running := func(service string) ContainerState { return ContainerState{Service: service, State: "running"} }
	for name, test := range map[string]struct {
		services   []core.ComposeService
		containers []ContainerState
		reason     string // part of it; empty: all is well
	}{
		"all run":                       {[]core.ComposeService{{Name: "a"}, {Name: "b"}}, []ContainerState{running("a"), running("b")}, ""},
		"one was removed":               {[]core.ComposeService{{Name: "a"}, {Name: "b"}}, []ContainerState{running("a")}, "b has no container"},
		"one is scaled to nothing":      {[]core.ComposeService{{Name: "a"}, {Name: "b", Idle: true}}, []ContainerState{running("a")}, ""},
		"one has done its work":         {[]core.ComposeService{{Name: "a"}}, []ContainerState{{Service: "a", State: "exited"}}, ""},
		"one that stays was stopped":    {[]core.ComposeService{{Name: "a", Stays: true}}, []ContainerState{{Service: "a", Container: "a-1", State: "exited"}}, "container a-1 of compose service a is exited"},
		"none is there":                 {[]core.ComposeService{{Name: "a"}}, nil, "no container of this stack"},
		"one is there but not expected": {nil, []ContainerState{{Service: "x", State: "exited", ExitCode: 2}}, "exited with code 2"},
	} {
		health := JudgeServices(test.services, test.containers)
		if health.OK != (test.reason == "") || !strings.Contains(health.Reason, test.reason) {
			t.Errorf("%s: %+v, want %q", name, health, test.reason)
		}
	}
}
