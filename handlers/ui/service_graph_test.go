package ui

import (
	"slices"
	"testing"

	"berth/core"
	"berth/core/stacks"
)

func TestAPictureOfAStackSaysTheSameInWords(t *testing.T) {
	s := sampleStack()
	g := graphOf(sampleProject(), servicesOf(stacks.Revision{Services: sampleProject()}, s, sampleNow))
	states := map[string]string{}
	for _, n := range g.Nodes {
		states[n.Name] = n.State.Tone + " " + n.State.Word
	}
	for name, want := range map[string]string{"api": "busy Starting, 2 containers", "db": "bad Unhealthy", "migrate": "idle Exited", "worker": "idle No container"} {
		if states[name] != want {
			t.Errorf("%s is shown as %q, want %q", name, states[name], want)
		}
	}
	waits := []string{"api waits until db is healthy.", "api waits until migrate has ended well.", "migrate waits until db is healthy.", "worker waits until api has started.",
		"worker waits until cache has started, if it is there."}
	if !slices.Equal(g.Waits, waits) {
		t.Errorf("it says %q", g.Waits)
	}
	if len(g.Lines) != 4 || len(g.Legend) != 3 || g.Text != "4 compose services and what each waits for, those that begin first on the left." {
		t.Errorf("%d lines, legend %+v, %q", len(g.Lines), g.Legend, g.Text)
	}
	if want := []string{"Network back joins api, db, migrate and worker."}; !slices.Equal(g.Shared, want) {
		t.Errorf("in common is %q, want %q", g.Shared, want)
	}
}

func TestNothingIsDrawnWhereNothingWaits(t *testing.T) {
	g := drawServices([]core.ComposeService{{Name: "a", Networks: []string{"default"}, Volumes: []string{"data"}}, {Name: "b", Networks: []string{"default"}, Volumes: []string{"data"}}}, nil)
	if g.Text != "" || len(g.Nodes) > 0 || !slices.Equal(g.Shared, []string{"Volume data is mounted by a and b."}) {
		t.Errorf("drawn is %+v", g)
	}
}

func TestALongNameIsCutToItsBox(t *testing.T) {
	for name, want := range map[string]string{"": "", "nineteen-characters": "nineteen-characters", "twenty-characters-ab": "twenty-characters-…"} {
		if got := shortName(name); got != want {
			t.Errorf("%q is cut to %q, want %q", name, got, want)
		}
	}
}
