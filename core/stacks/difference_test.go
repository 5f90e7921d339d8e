package stacks

import (
	"reflect"
	"testing"

	"berth/core"
)

func TestDifferences(t *testing.T) {
	web := core.ComposeService{Name: "web", Stays: true, Scale: 1}
	run := func(service, name string) ContainerState {
		return ContainerState{Service: service, Container: name, State: "running"}
	}
	in := func(state string) ContainerState {
		c := run("web", "web-1")
		c.State = state
		return c
	}
	changed := run("web", "web-1")
	changed.Changed = []string{"memory limit", "networks"}
	byHand := in("exited")
	byHand.Changed = []string{ChangedStopped}
	both := in("exited")
	both.Changed = []string{ChangedStopped, "memory limit"}
	pausedToo := in("paused")
	pausedToo.Changed = []string{"memory limit"}
	halted := in("exited")
	halted.Changed = []string{ChangedHalted}
	foreign := run("web", "mine")
	foreign.Changed = []string{ChangedForeign}
	for name, c := range map[string]struct {
		services   []core.ComposeService
		containers []ContainerState
		want       []string
	}{
		"as deployed":                       {[]core.ComposeService{web}, []ContainerState{run("web", "web-1")}, nil},
		"removed":                           {[]core.ComposeService{web}, nil, []string{"web  missing"}},
		"one of two removed":                {[]core.ComposeService{{Name: "web", Scale: 2}}, []ContainerState{run("web", "web-1")}, []string{"web  missing"}},
		"stopped":                           {[]core.ComposeService{web}, []ContainerState{in("exited")}, []string{"web web-1 stopped"}},
		"paused":                            {[]core.ComposeService{web}, []ContainerState{in("paused")}, []string{"web web-1 stopped"}},
		"paused, though it may end":         {[]core.ComposeService{{Name: "web"}}, []ContainerState{in("paused")}, []string{"web web-1 stopped"}},
		"paused and changed":                {[]core.ComposeService{{Name: "web"}}, []ContainerState{pausedToo}, []string{"web web-1 stopped", "web web-1 changed"}},
		"paused, and should not be there":   {[]core.ComposeService{{Name: "web", Idle: true}}, []ContainerState{in("paused")}, []string{"web web-1 extra"}},
		"restarting is not by hand":         {[]core.ComposeService{web}, []ContainerState{in("restarting")}, nil},
		"one that may end has ended":        {[]core.ComposeService{{Name: "web"}}, []ContainerState{in("exited")}, nil},
		"one that may end was stopped":      {[]core.ComposeService{{Name: "web"}}, []ContainerState{byHand}, []string{"web web-1 stopped"}},
		"one that stays was stopped":        {[]core.ComposeService{web}, []ContainerState{byHand}, []string{"web web-1 stopped"}},
		"stopped and changed":               {[]core.ComposeService{web}, []ContainerState{both}, []string{"web web-1 stopped", "web web-1 changed"}},
		"stopped, and should not be there":  {[]core.ComposeService{{Name: "web", Idle: true}}, []ContainerState{byHand}, []string{"web web-1 extra"}},
		"changed":                           {[]core.ComposeService{web}, []ContainerState{changed}, []string{"web web-1 changed"}},
		"one too many":                      {[]core.ComposeService{web}, []ContainerState{run("web", "web-1"), run("web", "web-2")}, []string{"web web-2 extra"}},
		"of no compose service":             {[]core.ComposeService{web}, []ContainerState{run("web", "web-1"), run("old", "old-1")}, []string{"old old-1 extra"}},
		"stopped through Berth":             {[]core.ComposeService{web}, []ContainerState{halted}, nil},
		"a person's beside it":              {[]core.ComposeService{web}, []ContainerState{foreign, run("web", "web-1")}, []string{"web mine extra"}},
		"a person's in its place":           {[]core.ComposeService{web}, []ContainerState{foreign}, []string{"web  missing", "web mine extra"}},
		"scaled to none":                    {[]core.ComposeService{{Name: "web", Idle: true}}, nil, nil},
		"scaled to none, and one was added": {[]core.ComposeService{{Name: "web", Idle: true}}, []ContainerState{run("web", "web-1")}, []string{"web web-1 extra"}},
	} {
		var got []string
		for _, d := range Differences(c.services, c.containers, false) {
			got = append(got, d.Service+" "+d.Container+" "+string(d.Kind))
			if d.Text == "" || d.Fields == nil {
				t.Errorf("%s: a difference says nothing: %+v", name, d)
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if left := Differences([]core.ComposeService{web}, []ContainerState{run("web", "web-1"), run("old", "old-1")}, true); len(left) != 0 {
		t.Errorf("an orphan that is kept on purpose: %+v", left)
	}
	many := []ContainerState{run("web", "web-1"), run("web", "web-2"), run("web", "web-3")}
	if unknown := Differences([]core.ComposeService{{Name: "web"}}, many, false); len(unknown) != 0 {
		t.Errorf("of a revision that does not say how many: %+v", unknown)
	}
}
