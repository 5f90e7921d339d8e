package worker

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
)

// ends ends the first container of a command's project, and has the engine say that somebody did it.
func (s *setup) ends(cmd wire.Command, code int) Happening {
	s.t.Helper()
	var id string
	s.engine.edit(cmd.Deploy.Project, func(c *ProjectContainer) { c.State, c.ExitCode, id = "exited", code, c.ContainerID })
	h := Happening{Stack: cmd.Deploy.Stack, Container: id, Stopped: true}
	s.engine.rings <- h
	return h
}

func TestAStopByHandIsTold(t *testing.T) {
	for _, code := range []int{0, 143} {
		bubble(t, func(t *testing.T, s *setup) {
			h, cmd := deployed(s)
			s.ends(cmd, code)
			want := []string{stacks.ChangedStopped}
			if got := changes(h); !slices.Equal(got, want) {
				t.Errorf("changed %v", got)
			}
			s.stop() // nobody can ask the engine afterwards
			h = s.start().greeted()
			if got := changes(h); !slices.Equal(got, want) {
				t.Errorf("after a restart, changed %v", got)
			}
			repair := deployOf(h, cmd.Deploy.Stack, 1)
			h.send(repair)
			events, result := collect(h, repair)
			if result.Status != wire.ResultSucceeded || len(s.engine.lastProject().Replace) > 0 {
				t.Errorf("result %+v, recreated %v", result, s.engine.lastProject().Replace)
			}
			if !slices.ContainsFunc(events, func(e wire.Event) bool { return strings.Contains(e.Log, "was stopped by hand and is started") }) {
				t.Errorf("the log does not say why: %+v", events)
			}
			if r, _ := s.worker.disk.applied.Get(cmd.Deploy.Stack); len(r.Stopped) > 0 {
				t.Errorf("after the repair %v are stopped", r.Stopped)
			}
		})
	}
}

func TestAnEndOfItsOwnIsNoStop(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h, cmd := deployed(s)
		s.engine.edit(cmd.Deploy.Project, func(c *ProjectContainer) { c.State, c.ExitCode = "exited", 143 })
		s.engine.rings <- Happening{}
		if got := changes(h); len(got) > 0 {
			t.Errorf("changed %v", got)
		}
	})
}

// Whoever runs again was not stopped the next time that it ends by itself.
func TestAStopIsForgotten(t *testing.T) {
	again := func(s *setup, cmd wire.Command) {
		s.engine.edit(cmd.Deploy.Project, func(c *ProjectContainer) { c.State = "running" })
	}
	for name, undo := range map[string]func(s *setup, cmd wire.Command, stopped Happening){
		"the engine says that it started": func(s *setup, _ wire.Command, stopped Happening) {
			stopped.Stopped, stopped.Started = false, true
			s.engine.rings <- stopped
		},
		"it is seen running": func(s *setup, cmd wire.Command, _ Happening) { again(s, cmd) },
		"it is gone":         func(s *setup, cmd wire.Command, _ Happening) { s.engine.set(cmd.Deploy.Project, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h, cmd := deployed(s)
				stopped := s.ends(cmd, 0)
				if got := changes(h); len(got) != 1 {
					t.Fatalf("changed %v", got)
				}
				undo(s, cmd, stopped)
				time.Sleep(time.Minute) // of fake time
				synctest.Wait()
				if r, _ := s.worker.disk.applied.Get(cmd.Deploy.Stack); len(r.Stopped) > 0 {
					t.Errorf("%v are remembered", r.Stopped)
				}
			})
		})
	}
}

// What Compose stops on the way is no hand's doing, nor is what a deployment left that failed.
func TestAStopDuringADeploymentIsTheDeployments(t *testing.T) {
	for name, failing := range map[string]bool{"that succeeds": false, "that fails": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h, cmd := deployed(s)
				stopped := Happening{Stack: cmd.Deploy.Stack, Container: "1", Stopped: true}
				s.engine.on("apply", func(context.Context, Project, func(string)) error {
					s.engine.rings <- stopped
					if failing {
						return fault.New(fault.Invalid, "engine.apply", "No.")
					}
					return nil
				})
				next := deployOf(h, cmd.Deploy.Stack, 1)
				h.send(next)
				h.result(next.ID)
				if failing {
					s.engine.rings <- stopped // told late
				}
				synctest.Wait()
				if r, _ := s.worker.disk.applied.Get(cmd.Deploy.Stack); len(r.Stopped) > 0 {
					t.Errorf("%v are noted", r.Stopped)
				}
			})
		})
	}
}

// A look that began before a container was stopped lists it as running. That is no reason to forget.
func TestALookAcrossAStopForgetsNothing(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h, cmd := deployed(s)
		slow, caught := make(chan struct{}), make(chan struct{})
		s.engine.afterLook(func() { close(caught); <-slow })
		<-caught
		s.ends(cmd, 0)
		close(slow)
		if got := changes(h); !slices.Equal(got, []string{stacks.ChangedStopped}) {
			t.Errorf("changed %v", got)
		}
	})
}

// What a person stopped through the hub is told as that, also by a worker that was restarted, until it
// runs again. Whoever stops it by hand later is told as before.
func TestAStopThroughTheHubIsNoHand(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h, cmd := deployed(s)
		s.engine.on("stop", func(context.Context, Project, func(string)) error {
			s.ends(cmd, 137)
			return nil
		})
		ask := request(1, wire.RequestStop)
		ask.Stack, ask.Project = cmd.Deploy.Stack, cmd.Deploy.Project
		h.send(ask)
		want := []string{stacks.ChangedHalted}
		if got := changes(h); !slices.Equal(got, want) {
			t.Errorf("changed %v", got)
		}
		s.stop()
		h = s.start().greeted()
		if got := changes(h); !slices.Equal(got, want) {
			t.Errorf("after a restart, changed %v", got)
		}
		var started Happening
		s.engine.edit(cmd.Deploy.Project, func(c *ProjectContainer) {
			c.State, c.ExitCode = "running", 0
			started = Happening{Stack: cmd.Deploy.Stack, Container: c.ContainerID, Started: true}
		})
		s.engine.rings <- started
		if got := changes(h); len(got) > 0 {
			t.Errorf("once it runs, changed %v", got)
		}
		s.ends(cmd, 137)
		if got := changes(h); !slices.Equal(got, []string{stacks.ChangedStopped}) {
			t.Errorf("by hand, changed %v", got)
		}
	})
}
