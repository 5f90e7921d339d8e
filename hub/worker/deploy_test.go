package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/core/wire"
)

// bubble runs a test in fake time with a setup.
func bubble(t *testing.T, test func(t *testing.T, s *setup)) {
	t.Helper()
	bubbleIn(t, t.TempDir(), test)
}

// bubbleIn is bubble with the worker's directories in dir.
func bubbleIn(t *testing.T, dir string, test func(t *testing.T, s *setup)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t)
		s.dir = dir
		defer func() {
			if s.stop != nil {
				s.stop()
			}
			s.engine.StopAll()
		}()
		test(t, s)
	})
}

// collect gathers the events of a command up to its result.
func collect(h *hubEnd, cmd wire.Command) (events []wire.Event, result wire.Result) {
	h.t.Helper()
	for {
		switch m := await(h, "an event or a result", any1[any]).(type) {
		case wire.Event:
			if m.ID == cmd.ID {
				events = append(events, m)
			}
		case wire.Result:
			if m.ID == cmd.ID {
				return events, m
			}
		}
	}
}

// collectAfter adds to events of a command those that come, up to its result and to the last of which that tells: control
// goes before bulk, so a result may overtake events.
func collectAfter(h *hubEnd, cmd wire.Command, before []wire.Event) (events []wire.Event, result wire.Result) {
	h.t.Helper()
	more, result := collect(h, cmd)
	events = append(slices.Clone(before), more...)
	for len(events) == 0 || events[len(events)-1].Number < result.Events {
		events = append(events, await(h, "an event that the result overtook", func(m wire.Event) bool { return m.ID == cmd.ID }))
	}
	return events, result
}

func TestDeployment(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		cmd := deployOf(h, newStack(), 7, func(d *wire.Deploy) { d.ForcePull, d.Secrets = true, map[string]string{"DB": "hunter22"} })
		h.send(cmd)
		h.accepted(cmd.ID)
		events, result := collect(h, cmd)

		if result.Status != wire.ResultSucceeded || result.Attempt != 1 || result.Code != "" || result.Error != "" {
			t.Errorf("result %+v", result)
		}
		checkPhases(t, result.Phases, "pull succeeded", "apply succeeded", "verify succeeded")
		if o := result.Observed; o == nil || o.Stack != cmd.Deploy.Stack || o.Revision != 7 || len(o.Containers) != 1 || o.Containers[0].State != "running" {
			t.Errorf("observed %+v", o)
		}
		var log strings.Builder
		var told []wire.PhaseEvent
		for i, e := range events {
			if e.Number != uint64(i+1) {
				t.Errorf("event %d has number %d", i+1, e.Number)
			}
			log.WriteString(e.Log)
			if e.Phase != nil {
				told = append(told, *e.Phase)
			}
		}
		checkPhases(t, told, "pull running", "pull succeeded", "apply running", "apply succeeded", "verify running", "verify succeeded")
		if got := log.String(); got != "pulling true\nverifying 1m0s 1.5s\n" {
			t.Errorf("log %q", got)
		}
		checkProject(t, s.engine.lastProject(), *cmd.Deploy, s.dir)

		h.ack(cmd.ID, 1)
		synctest.Wait()
		s.stop()
		if left := s.journal(); len(left) != 0 {
			t.Errorf("the journal holds %+v after the acknowledgement", left)
		}
	})
}

func checkPhases(t *testing.T, phases []wire.PhaseEvent, want ...string) {
	t.Helper()
	var got []string
	for _, p := range phases {
		got = append(got, string(p.Name)+" "+string(p.State))
	}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("phases %v, want %v", got, want)
	}
}

func checkProject(t *testing.T, p Project, d wire.Deploy, dir string) {
	t.Helper()
	if p.Name != d.Project || string(p.YAML) != string(d.Compose) || p.Secrets["DB"].Reveal() != "hunter22" || !p.RemoveOrphans || p.Recreate {
		t.Errorf("project %+v", p)
	}
	if p.ContentDir != dir+"/data/content/" || p.StateDir != dir+"/data/state/"+string(d.Stack)+"/" || len(p.DigestKey) != 32 {
		t.Errorf("folders %q %q, digest key of %d bytes", p.ContentDir, p.StateDir, len(p.DigestKey))
	}
	want := map[string]string{LabelStack: string(d.Stack), LabelRevision: "7", LabelCommit: string(d.Commit), LabelDeployment: string(d.Deployment)}
	for name, value := range want {
		if p.Labels[name] != value {
			t.Errorf("label %s is %q, want %q", name, p.Labels[name], value)
		}
	}
}

func TestFailureNamesItsPhase(t *testing.T) {
	cases := map[string]struct {
		call   string
		err    error
		code   string
		text   string
		phases []string
	}{
		"an image that is missing": {"pull", fault.New(fault.Invalid, "engine.image", "The image x is not to be had."), "engine.image", "The image x is not to be had.",
			[]string{"pull failed", "apply skipped", "verify skipped"}},
		"a container that cannot be made": {"apply", fault.New(fault.Invalid, "engine.apply", "No."), "engine.apply", "No.", []string{"pull succeeded", "apply failed", "verify skipped"}},
		"an unhealthy container":          {"verify", fault.New(fault.Conflict, "engine.unhealthy", "web died."), "engine.unhealthy", "web died.", []string{"pull succeeded", "apply succeeded", "verify failed"}},
		"something unexpected":            {"apply", errors.New("odd"), "internal.error", "The worker ran into a problem that we did not foresee. Its log, on the host, has the details.", []string{"pull succeeded", "apply failed", "verify skipped"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h := s.start().greeted()
				s.engine.on(c.call, func(context.Context, Project, func(string)) error { return c.err })
				cmd := deployOf(h, newStack(), 1)
				h.send(cmd)
				result := h.result(cmd.ID)
				if result.Status != wire.ResultFailed || result.Code != c.code || result.Error != c.text {
					t.Errorf("result %+v", result)
				}
				checkPhases(t, result.Phases, c.phases...)
			})
		})
	}
}

func TestAFailureTellsWhichServiceAndItsLastLines(t *testing.T) {
	const canary = "canary-lines-1"
	for name, c := range map[string]struct {
		lines, want string
	}{
		"few":      {"listening\nno such table\n", "listening\nno such table\n"},
		"none":     {"", ""},
		"a secret": {"the token is " + canary + "\n", "the token is " + secrets.Redacted + "\n"},
		"many":     {strings.Repeat("x", wire.MaxLines) + "\nlast\n", "last\n"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h := s.start().greeted()
				s.engine.on("verify", func(context.Context, Project, func(string)) error {
					return fault.New(fault.Conflict, "engine.unhealthy", "web died.").Because(fmt.Errorf("look: %w", FailedService{Service: "web", Lines: c.lines}))
				})
				cmd := deployOf(h, newStack(), 1, func(d *wire.Deploy) { d.Secrets = map[string]string{"T": canary} })
				h.send(cmd)
				if r := h.result(cmd.ID); r.Status != wire.ResultFailed || r.Service != "web" || r.Lines != c.want {
					t.Errorf("service %q, lines %q", r.Service, r.Lines)
				}
			})
		})
	}
}

func TestDeadline(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		hook, began := hang()
		s.engine.on("apply", hook)
		cmd := deployOf(h, newStack(), 1)
		cmd.Seconds = 90
		h.send(cmd)
		<-began
		from := time.Now()
		result := h.result(cmd.ID)
		if took := time.Since(from); result.Status != wire.ResultFailed || result.Code != "command.timeout" || took < 85*time.Second || took > 95*time.Second {
			t.Errorf("after %v: %+v", took, result)
		}
		if !strings.Contains(result.Error, "the phase apply") {
			t.Errorf("the text does not name the phase: %s", result.Error)
		}
	})
}

// The deadline is a duration: what the host's clock says does not matter.
func TestADeadlineDoesNotFollowTheClock(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		var skew atomic.Int64
		s.now = func() time.Time { return time.Now().Add(time.Duration(skew.Load())) }
		h := s.start().greeted()
		s.engine.on("apply", func(ctx context.Context, _ Project, _ func(string)) error {
			for _, jump := range []time.Duration{365 * 24 * time.Hour, -24 * time.Hour} {
				skew.Store(int64(jump))
				if err := pause(ctx, nil, 40*time.Second); err != nil {
					return err
				}
			}
			return nil
		})
		cmd := deployOf(h, newStack(), 1)
		cmd.Seconds = 90
		h.send(cmd)
		if r := h.result(cmd.ID); r.Status != wire.ResultSucceeded {
			t.Errorf("result %+v", r)
		}
	})
}

func TestAPanicEndsOneCommandOnly(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		s.engine.on("apply", func(_ context.Context, p Project, _ func(string)) error {
			if p.Secrets["KEY"].Reveal() != "" {
				panic("with " + p.Secrets["KEY"].Reveal())
			}
			return nil
		})
		bad := deployOf(h, newStack(), 1, func(d *wire.Deploy) { d.Secrets = map[string]string{"KEY": "canary-1234"} })
		good := deployOf(h, newStack(), 1)
		h.send(bad)
		if r := h.result(bad.ID); r.Status != wire.ResultFailed || r.Code != "internal.error" {
			t.Errorf("result %+v", r)
		}
		h.send(good)
		if r := h.result(good.ID); r.Status != wire.ResultSucceeded {
			t.Errorf("result %+v", r)
		}
		if log := s.log.String(); !strings.Contains(log, "panicked") || strings.Contains(log, "canary-1234") {
			t.Errorf("log:\n%s", log)
		}
	})
}

// A secret's value is nowhere but in the engine's hands, whatever goes wrong.
func TestSecretsLeaveNoTrace(t *testing.T) {
	const canary = "canary-5f2c-value"
	for _, failing := range []string{"none", "pull", "apply", "verify"} {
		t.Run(failing, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h := s.start().greeted()
				for _, call := range []string{"pull", "apply", "verify"} {
					s.engine.on(call, func(_ context.Context, p Project, report func(string)) error {
						report("the program says " + p.Secrets["TOKEN"].Reveal())
						if call != failing {
							return nil
						}
						return fault.New(fault.Conflict, "engine.unhealthy", "its last line was %s", p.Secrets["TOKEN"].Reveal()).
							Because(errors.New("cause " + canary))
					})
				}
				cmd := deployOf(h, newStack(), 1, func(d *wire.Deploy) { d.Secrets = map[string]string{"TOKEN": canary} })
				h.send(cmd)
				events, result := collect(h, cmd)
				for _, msg := range append([]any{result}, toAny(events)...) {
					frame, err := wire.Encode(msg)
					if err != nil || strings.Contains(string(frame), canary) {
						t.Errorf("%s (%v)", frame, err)
					}
				}
				s.stop()
				for name, content := range s.files() {
					if strings.Contains(content, canary) {
						t.Errorf("%s holds the secret", name)
					}
				}
				if strings.Contains(s.log.String(), canary) {
					t.Error("the log holds the secret")
				}
			})
		})
	}
}

func toAny[T any](list []T) []any {
	all := make([]any, len(list))
	for i, v := range list {
		all[i] = v
	}
	return all
}

func TestComposeFileIsShownAndRemoved(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		cmd := deployOf(h, newStack(), 1, func(d *wire.Deploy) { d.Compose = []byte("services: {web: {image: '${X}'}}\n") })
		h.send(cmd)
		h.result(cmd.ID)
		name := s.dir + "/stacks/" + cmd.Deploy.Project + "/compose.yaml"
		if got := s.files()[name]; got != string(cmd.Deploy.Compose) {
			t.Errorf("%s holds %q", name, got)
		}
		down := teardownOf(h, cmd.Deploy, false)
		h.send(down)
		h.result(down.ID)
		if _, still := s.files()[name]; still {
			t.Error("the file is there after the teardown")
		}
	})
}

func TestTeardown(t *testing.T) {
	for name, volumes := range map[string]bool{"keeps the state": false, "removes the state with the volumes": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h := s.start().greeted()
				cmd := deployOf(h, newStack(), 1)
				h.send(cmd)
				h.result(cmd.ID)
				state := s.engine.lastProject().StateDir + "kept"
				writeFile(t, state, "x")
				for range 2 { // again, where nothing is left
					down := teardownOf(h, cmd.Deploy, volumes)
					h.send(down)
					result := h.result(down.ID)
					if result.Status != wire.ResultSucceeded || len(result.Phases) != 0 || len(result.Observed.Containers) != 0 {
						t.Errorf("result %+v", result)
					}
				}
				if _, kept := s.files()[state]; kept == volumes {
					t.Errorf("the state is kept: %v", kept)
				}
				if _, known := s.worker.disk.applied.Get(cmd.Deploy.Stack); known {
					t.Error("the record is still there")
				}
			})
		})
	}
}

func TestFailedTeardownForgetsNothing(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		cmd := deployOf(h, newStack(), 1)
		h.send(cmd)
		h.result(cmd.ID)
		s.engine.on("down", func(context.Context, Project, func(string)) error {
			return fault.New(fault.Unavailable, "engine.unreachable", "Away.")
		})
		down := teardownOf(h, cmd.Deploy, true)
		h.send(down)
		if result := h.result(down.ID); result.Status != wire.ResultFailed || result.Code != "engine.unreachable" {
			t.Errorf("result %+v", result)
		}
		if _, known := s.worker.disk.applied.Get(cmd.Deploy.Stack); !known {
			t.Error("the record is gone")
		}
	})
}

func TestRecreationOfNetworksAndVolumesTakesTheProjectDownFirst(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*wire.Deploy)
		log    string
	}{
		"nothing":      {func(*wire.Deploy) {}, ""},
		"the networks": {func(d *wire.Deploy) { d.RecreateNetworks = true }, "removed, volumes false\n"},
		"the volumes":  {func(d *wire.Deploy) { d.RecreateVolumes = true }, "removed, volumes true\n"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h := s.start().greeted()
				cmd := deployOf(h, newStack(), 1, test.change)
				h.send(cmd)
				events, result := collect(h, cmd)
				if result.Status != wire.ResultSucceeded {
					t.Fatalf("result %+v", result)
				}
				var log strings.Builder
				for _, e := range events {
					log.WriteString(e.Log)
				}
				if test.log == "" && strings.Contains(log.String(), "removed") || !strings.Contains(log.String(), test.log) {
					t.Errorf("the log is %q, want %q in it", log.String(), test.log)
				}
			})
		})
	}
}
