package stacks

import (
	"strings"
	"testing"
	"time"
)

func TestJudgeContainers(t *testing.T) {
	running := ContainerState{Service: "web", State: "running"}
	with := func(change func(*ContainerState)) ContainerState {
		c := running
		c.Service = "db"
		change(&c)
		return c
	}
	for name, c := range map[string]struct {
		containers []ContainerState
		problem    string // empty: all is well
	}{
		"none at all":            {nil, "no container"},
		"one that runs":          {[]ContainerState{running}, ""},
		"healthy":                {[]ContainerState{with(func(c *ContainerState) { c.Health = "healthy" })}, ""},
		"still starting":         {[]ContainerState{with(func(c *ContainerState) { c.Health = "starting" })}, ""},
		"unhealthy":              {[]ContainerState{running, with(func(c *ContainerState) { c.Health = "unhealthy" })}, "db is unhealthy"},
		"done with its work":     {[]ContainerState{running, with(func(c *ContainerState) { c.State = "exited" })}, ""},
		"failed":                 {[]ContainerState{running, with(func(c *ContainerState) { c.State, c.ExitCode = "exited", 137 })}, "db exited with code 137"},
		"restarting":             {[]ContainerState{running, with(func(c *ContainerState) { c.State = "restarting" })}, "db is restarting"},
		"created, not started":   {[]ContainerState{with(func(c *ContainerState) { c.State = "created" })}, "db is created"},
		"paused":                 {[]ContainerState{with(func(c *ContainerState) { c.State = "paused" })}, "db is paused"},
		"dead":                   {[]ContainerState{with(func(c *ContainerState) { c.State = "dead" })}, "db is dead"},
		"a state nobody told":    {[]ContainerState{with(func(c *ContainerState) { c.State = "" })}, "db is "},
		"dead, but once healthy": {[]ContainerState{with(func(c *ContainerState) { c.State, c.Health = "dead", "healthy" })}, "db is dead"},
	} {
		t.Run(name, func(t *testing.T) {
			got := JudgeContainers(c.containers)
			if got.OK != (c.problem == "") || !strings.Contains(got.Reason, c.problem) || got.OK && got.Reason != "" {
				t.Errorf("got %+v, want %q", got, c.problem)
			}
		})
	}
}

func TestElapsed(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for to, want := range map[time.Duration]int64{0: 0, time.Millisecond: 1, 1999 * time.Microsecond: 1, time.Hour: 3_600_000, -time.Hour: 0} {
		if got := Elapsed(at, at.Add(to)); got != want {
			t.Errorf("after %s: %d, want %d", to, got, want)
		}
	}
}
