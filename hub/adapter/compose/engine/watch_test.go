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
	"berth/hub/worker"
)

// following is what Watch does, for one container: what other tests of this machine do rings
// as well.
type following struct {
	t     *testing.T
	begun chan struct{}
	told  chan struct{} // something about the container
	ended chan error
}

func followOne(ctx context.Context, t *testing.T, e *Engine, id string) following {
	f := following{t, make(chan struct{}, 1), make(chan struct{}, 100), make(chan error, 1)}
	go func() {
		f.ended <- e.events(ctx, func() { f.begun <- struct{}{} }, func(event events.Message) {
			if event.Actor.ID == id || event.Actor.Attributes["container"] == id {
				f.told <- struct{}{}
			}
		})
	}()
	f.await(f.begun, "the beginning")
	return f
}

func (f following) await(c <-chan struct{}, what string) {
	f.t.Helper()
	select {
	case <-c:
	case err := <-f.ended:
		f.t.Fatalf("following ended before %s was told: %v", what, err)
	case <-time.After(2 * time.Minute):
		f.t.Fatalf("nobody was told of %s", what)
	}
}

// end waits for the end and returns why it came.
func (f following) end() error {
	f.t.Helper()
	select {
	case err := <-f.ended:
		return err
	case <-time.After(2 * time.Minute):
		f.t.Fatal("following did not end")
	}
	return nil
}

func TestWatchTellsWhatAHandDoes(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+attached+"}")
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
		f := followOne(ctx, t, s.engine, id)
		step.do()
		f.await(f.told, step.what)
		cancel()
		if err := f.end(); !errors.Is(err, context.Canceled) {
			t.Errorf("following ended with %v", err)
		}
	}
}

// Whoever follows anew is told at once: something may have happened in between.
func TestWatchRingsWhenItBegins(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+"}")
	s.apply()
	ctx, cancel := context.WithCancel(t.Context())
	rung, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		ended <- s.engine.Watch(ctx, func(worker.Happening) {
			select {
			case rung <- struct{}{}:
			default:
			}
		})
	}()
	f := following{t: t, ended: ended}
	f.await(rung, "the beginning")
	s.byHand().restart(s.containers()["web"].ContainerID)
	f.await(rung, "docker restart")
	cancel()
	if err := f.end(); !errors.Is(err, context.Canceled) {
		t.Errorf("following ended with %v", err)
	}
}

func TestWhichEventsConcernUs(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
	s.apply()
	id := s.containers()["web"].ContainerID
	f := followOne(t.Context(), t, e, id)
	s.byHand().memory(id)
	f.await(f.told, "docker update") // so events are followed by now
	away.end()
	if err := f.end(); fault.CodeOf(err) != "engine.unreachable" || fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if err := e.Watch(t.Context(), func(worker.Happening) {}); fault.CodeOf(err) != "engine.unreachable" {
		t.Errorf("an engine that is away: %v", err)
	}
}
