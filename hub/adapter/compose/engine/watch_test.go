package engine

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/api/types/events"
	"github.com/moby/moby/client"

	"berth/core/fault"
)

// rings follows an engine's events; it returns a channel that tells of rings, and one that
// tells why following ended.
func rings(ctx context.Context, e *Engine) (<-chan struct{}, <-chan error) {
	rung, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		ended <- e.Watch(ctx, func() {
			select {
			case rung <- struct{}{}:
			default:
			}
		})
	}()
	return rung, ended
}

func awaitRing(t *testing.T, rung <-chan struct{}, ended <-chan error, what string) {
	t.Helper()
	select {
	case <-rung:
	case err := <-ended:
		t.Fatalf("following ended before %s was told: %v", what, err)
	case <-time.After(time.Minute):
		t.Fatalf("nobody was told of %s", what)
	}
}

func TestWatchTellsWhatAHandDoes(t *testing.T) {
	s := newStack(t, "services: {web: "+sleeper+"}")
	s.apply()
	h, id := s.byHand(), s.containers()["web"].ContainerID
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"docker update", func() { h.memory(id) }},
		{"docker rename", func() { h.rename(id, s.Name+"-other") }},
		{"docker network disconnect", func() { h.disconnect(id, s.Name+"_default") }},
		{"docker network connect", func() { h.connect(id, s.Name+"_default") }},
		{"docker pause", func() {
			_, err := h.docker.ContainerPause(t.Context(), id, client.ContainerPauseOptions{})
			h.done("pause", err)
		}},
		{"docker unpause", func() {
			_, err := h.docker.ContainerUnpause(t.Context(), id, client.ContainerUnpauseOptions{})
			h.done("unpause", err)
		}},
		{"docker stop", func() { h.stop(id) }},
		{"docker start", func() { h.start(id) }},
		{"docker rm", func() { h.remove(id) }},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		rung, ended := rings(ctx, s.engine)
		awaitRing(t, rung, ended, "the beginning")
		step.do()
		awaitRing(t, rung, ended, step.what)
		cancel()
		for {
			select {
			case <-rung:
				continue
			case err := <-ended:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("following ended with %v", err)
				}
			case <-time.After(time.Minute):
				t.Fatal("following did not end with its context")
			}
			break
		}
	}
}

func TestWhichEventsConcernUs(t *testing.T) {
	s := newStack(t, "services: {web: "+sleeper+"}")
	s.apply()
	h := s.byHand()
	ours, theirs := s.containers()["web"].ContainerID, h.create(s.Name+"-theirs", nil)
	label := map[string]string{"dev.berth.stack": "stk_test"}
	cases := map[string]struct {
		event events.Message
		want  bool
	}{
		"our container":                  {events.Message{Type: events.ContainerEventType, Action: events.ActionDie, Actor: events.Actor{Attributes: label}}, true},
		"another container":              {events.Message{Type: events.ContainerEventType, Action: events.ActionDie}, false},
		"a health check of ours":         {events.Message{Type: events.ContainerEventType, Action: "exec_start: true", Actor: events.Actor{Attributes: label}}, false},
		"a network and our container":    {events.Message{Type: events.NetworkEventType, Action: events.ActionDisconnect, Actor: events.Actor{Attributes: map[string]string{"container": ours}}}, true},
		"a network and another":          {events.Message{Type: events.NetworkEventType, Action: events.ActionDisconnect, Actor: events.Actor{Attributes: map[string]string{"container": theirs}}}, false},
		"a network and one that is gone": {events.Message{Type: events.NetworkEventType, Action: events.ActionDisconnect, Actor: events.Actor{Attributes: map[string]string{"container": "0123456789"}}}, false},
		"a network alone":                {events.Message{Type: events.NetworkEventType, Action: events.ActionCreate}, false},
		"a volume":                       {events.Message{Type: events.VolumeEventType, Action: events.ActionMount, Actor: events.Actor{Attributes: map[string]string{"container": ours}}}, false},
	}
	for name, c := range cases {
		if got := s.engine.concerns(t.Context(), c.event); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// relayed passes connections on to the real engine until it is ended.
type relayed struct {
	listener net.Listener
	mu       sync.Mutex
	open     []net.Conn // guarded by mu
}

func relayEngine(t *testing.T, to string) *relayed {
	t.Helper()
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "e.sock"))
	if err != nil {
		t.Fatal(err)
	}
	r := &relayed{listener: listener}
	t.Cleanup(r.end)
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("unix", to)
			if err != nil {
				in.Close()
				continue
			}
			r.mu.Lock()
			r.open = append(r.open, in, out)
			r.mu.Unlock()
			go func() { _, _ = io.Copy(out, in); out.Close() }()
			go func() { _, _ = io.Copy(in, out); in.Close() }()
		}
	}()
	return r
}

// end is an engine that goes away.
func (r *relayed) end() {
	r.listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.open {
		c.Close()
	}
}

func TestWatchEndsWithItsEngine(t *testing.T) {
	real := open(t)
	path, isUnix := strings.CutPrefix(real.docker.DaemonHost(), "unix://")
	if !isUnix {
		t.Fatalf("the tests need an engine at a Unix socket, not %s", real.docker.DaemonHost())
	}
	s := newStack(t, "services: {web: "+sleeper+"}")
	away := relayEngine(t, path)
	e, err := Open(Options{Host: "unix://" + away.listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	rung, ended := rings(t.Context(), e)
	awaitRing(t, rung, ended, "the beginning")
	s.apply() // told, so events are followed by now
	awaitRing(t, rung, ended, "a start")
	away.end()
	select {
	case err := <-ended:
		if fault.CodeOf(err) != "engine.unreachable" || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("got %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("following did not end with the engine")
	}
	if err := e.Watch(t.Context(), func() {}); fault.CodeOf(err) != "engine.unreachable" {
		t.Errorf("an engine that is away: %v", err)
	}
}
