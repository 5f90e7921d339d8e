package stacks

import (
	"reflect"
	"testing"

	"berth/core"
)

func TestDifferences(t *testing.T) {
	web := core.ComposeService{Name: "web", Stays: true}
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
		"restarting is not by hand":         {[]core.ComposeService{web}, []ContainerState{in("restarting")}, nil},
		"one that may end has ended":        {[]core.ComposeService{{Name: "web"}}, []ContainerState{in("exited")}, nil},
		"changed":                           {[]core.ComposeService{web}, []ContainerState{changed}, []string{"web web-1 changed"}},
		"one too many":                      {[]core.ComposeService{web}, []ContainerState{run("web", "web-1"), run("web", "web-2")}, []string{"web web-2 extra"}},
		"of no compose service":             {[]core.ComposeService{web}, []ContainerState{run("web", "web-1"), run("old", "old-1")}, []string{"old old-1 extra"}},
		"scaled to none":                    {[]core.ComposeService{{Name: "web", Idle: true}}, nil, nil},
		"scaled to none, and one was added": {[]core.ComposeService{{Name: "web", Idle: true}}, []ContainerState{run("web", "web-1")}, []string{"web web-1 extra"}},
	} {
		var got []string
		for _, d := range Differences(c.services, c.containers) {
			got = append(got, d.Service+" "+d.Container+" "+string(d.Kind))
			if d.Text == "" || d.Fields == nil {
				t.Errorf("%s: a difference says nothing: %+v", name, d)
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
