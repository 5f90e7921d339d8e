package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/events"
	"github.com/moby/moby/client"

	"berth/core"
	"berth/hub/worker"
)

func TestWhoEndedAContainer(t *testing.T) {
	for name, c := range map[string]struct {
		told string // the actions, a signal after a colon, seconds since the one before after an @
		want string
	}{
		"docker stop":                               {"kill:15 die stop", "stopped stopped"},
		"docker stop of one that takes its time":    {"kill:15 die@9 stop", "stopped stopped"},
		"docker stop of one that does not listen":   {"kill:15 kill:9@10 die stop", "stopped stopped"},
		"docker kill":                               {"kill:9 die", "stopped"},
		"docker kill with TERM, and much to do":     {"kill:15 die@600", "stopped"},
		"docker kill with HUP, which ends it":       {"kill:1 die", "stopped"},
		"docker kill with HUP, which does not":      {"kill:1", ""},
		"docker kill with HUP, and its own end":     {"kill:1 die@60", "something"},
		"docker kill with HUP, and then with KILL":  {"kill:1 kill:9@60 die", "stopped"},
		"docker kill with TERM, HUP, and its end":   {"kill:15 kill:1 die@60", "stopped"},
		"docker restart":                            {"kill:15 die stop start restart", "stopped stopped started something"},
		"docker rm -f":                              {"kill:9 die destroy", "stopped something"},
		"its own end":                               {"start die", "started something"},
		"its own end, after it was restarted":       {"kill:15 die stop start die@1", "stopped stopped started something"},
		"its own end, after a start that came late": {"kill:15 start die@1", "started something"},
		"a limit of memory":                         {"die", "something"},
	} {
		s, at, got := newEnds(), time.Duration(0), []string{}
		for step := range strings.FieldsSeq(c.told) {
			what, later, _ := strings.Cut(step, "@")
			action, signal, _ := strings.Cut(what, ":")
			if wait, err := time.ParseDuration(later + "s"); err == nil {
				at += wait
			}
			h, matters := s.read(events.Message{Type: events.ContainerEventType, Action: events.Action(action), TimeNano: int64(at),
				Actor: events.Actor{ID: "c1", Attributes: map[string]string{"signal": signal, worker.LabelStack: "stk_1"}}})
			if matters {
				got = append(got, wordFor(t, h, "stk_1", "c1"))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if strings.Contains(c.told, "die") && len(s.signalled) > 0 {
			t.Errorf("%s: what is over is remembered", name)
		}
	}
}

func wordFor(t *testing.T, h worker.Happening, stack core.StackID, container string) string {
	t.Helper()
	if (h.Stopped || h.Started) && (h.Stack != stack || h.Container != container) {
		t.Errorf("it is about another container: %+v", h)
	}
	switch {
	case h.Stopped:
		return "stopped"
	case h.Started:
		return "started"
	}
	return "something"
}

// What the engine really tells of each deed.
func TestWatchTellsWhomAHandHasEnded(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+"}")
	s.apply()
	h, id := s.byHand(), s.containers()["web"].ContainerID
	kill := func(signal string) func() {
		return func() {
			_, err := h.docker.ContainerKill(t.Context(), id, client.ContainerKillOptions{Signal: signal})
			h.done("kill", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	told, ended := make(chan worker.Happening, 100), make(chan error, 1)
	begun := make(chan struct{}, 1)
	go func() {
		ended <- s.engine.Watch(ctx, func(now worker.Happening) {
			if now == (worker.Happening{}) {
				select {
				case begun <- struct{}{}:
				default:
				}
			}
			if now.Container == id {
				told <- now
			}
		})
	}()
	f := following{t: t, ended: ended}
	f.await(begun, "the beginning")
	for _, step := range []struct {
		what string
		do   func()
		want string // the last of what is told
	}{
		{"docker stop", func() { h.stop(id) }, "stopped stopped"},
		{"docker start", func() { h.start(id) }, "started"},
		{"docker kill", kill("KILL"), "stopped"},
		{"docker start", func() { h.start(id) }, "started"},
		{"docker kill with HUP, and then with KILL", func() { kill("HUP")(); kill("KILL")() }, "stopped"},
		{"docker start", func() { h.start(id) }, "started"},
		{"docker restart", func() { h.restart(id) }, "stopped stopped started"},
	} {
		step.do()
		for _, want := range strings.Fields(step.want) {
			select {
			case now := <-told:
				if got := wordFor(t, now, "stk_test", id); got != want {
					t.Errorf("%s is told as %s, want %s of %q", step.what, got, want, step.want)
				}
			case err := <-ended:
				t.Fatalf("following ended: %v", err)
			case <-time.After(2 * time.Minute):
				t.Fatalf("nobody was told that it %s after %s", want, step.what)
			}
		}
	}
	cancel()
	f.end()
	if len(told) > 0 {
		t.Errorf("too much was told: %+v", <-told)
	}
}

// Who ends by itself was not stopped, whatever its code.
func TestWatchTellsNoHandOfAnEndOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, command: [sh, -c, "exit 143"], network_mode: none}}`)
	s.apply()
	id := s.containers()["web"].ContainerID
	seen, ended, over := newEnds(), make(chan error, 1), make(chan struct{}, 1)
	begun := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		ended <- s.engine.events(ctx, func() { begun <- struct{}{} }, func(event events.Message) {
			if event.Actor.ID != id {
				return
			}
			if now, _ := seen.read(event); now.Stopped {
				t.Errorf("it was stopped by its own %s", event.Action)
			}
			if event.Action == events.ActionDie {
				over <- struct{}{}
			}
		})
	}()
	f := following{t: t, ended: ended}
	f.await(begun, "the beginning")
	s.byHand().start(id)
	f.await(over, "its end")
	cancel()
	f.end()
}
