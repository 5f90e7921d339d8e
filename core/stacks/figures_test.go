package stacks

import (
	"testing"
	"time"
)

func TestFiguresJudgeWhatIsInPlace(t *testing.T) {
	well, ill := ContainerState{State: "running"}, ContainerState{State: "exited", ExitCode: 1}
	for name, c := range map[string]struct {
		st              Stack
		judged, healthy bool
	}{
		"new":                               {Stack{Status: StatusNew}, false, false},
		"its first deployment runs":         {Stack{Status: StatusSyncing}, false, false},
		"its first deployment failed":       {Stack{Status: StatusError}, true, false},
		"active":                            {Stack{Status: StatusActive, Revision: 1}, true, true},
		"degraded":                          {Stack{Status: StatusDegraded, Revision: 1, Containers: []ContainerState{well}}, true, false},
		"paused":                            {Stack{Status: StatusPaused, Revision: 1}, true, true},
		"paused before anything":            {Stack{Status: StatusPaused}, false, false},
		"what was there before still runs":  {Stack{Status: StatusError, Revision: 1, Containers: []ContainerState{well}}, true, true},
		"nothing of what was there runs":    {Stack{Status: StatusError, Revision: 1}, true, false},
		"the next one is on its way, badly": {Stack{Status: StatusPending, Revision: 1, Containers: []ContainerState{well, ill}}, true, false},
	} {
		f := FigureOf(c.st, "", time.Time{}, time.Time{})
		if f.Judged != c.judged || f.Healthy != c.healthy {
			t.Errorf("%s: judged %v, healthy %v; want %v, %v", name, f.Judged, f.Healthy, c.judged, c.healthy)
		}
	}
}
