package worker

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
)

func request(n uint64, kind wire.RequestKind) wire.Request {
	return wire.Request{ID: n, Kind: kind, Stack: newStack(), Project: "shop", Service: "web", Tail: 50, Seconds: 60}
}

// answer gathers the replies to a request.
func (h *hubEnd) answer(n uint64) (data string, last wire.Reply) {
	h.t.Helper()
	for {
		m := await(h, "Reply", func(m wire.Reply) bool { return m.ID == n })
		data += m.Data
		if m.Last {
			return data, m
		}
	}
}

func TestStartStopRestart(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		for i, kind := range []wire.RequestKind{wire.RequestStart, wire.RequestStop, wire.RequestRestart} {
			h.send(request(uint64(i+1), kind))
			if _, last := h.answer(uint64(i + 1)); last.Error != "" || last.Code != "" {
				t.Errorf("%s: %+v", kind, last)
			}
			if got := s.engine.called(string(kind)); len(got) != 1 || got[0] != string(kind)+" shop" {
				t.Errorf("%s: the engine was asked %v", kind, got)
			}
		}
		missing := request(9, wire.RequestStop)
		missing.Service = "nothing"
		h.send(missing)
		if _, last := h.answer(9); last.Kind != "not_found" || last.Code != "engine.service_missing" || last.Error != "There is no service nothing." {
			t.Errorf("%+v", last)
		}
	})
}

func TestWhatWasStoppedIsToldWithoutDelay(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		s.engine.slow = time.Second // so that it is looked at once in 20 seconds
		stack := newStack()
		container := ProjectContainer{Project: "shop", Labels: map[string]string{LabelStack: string(stack)}, ContainerState: stacks.ContainerState{Service: "web", State: "running"}}
		s.engine.set("shop", []ProjectContainer{container})
		s.engine.on("stop", func(context.Context, Project, func(string)) error {
			container.State = "exited"
			s.engine.set("shop", []ProjectContainer{container})
			return nil
		})
		h := s.start().greeted()
		await(h, "Observed", any1[wire.Observed])
		from := time.Now()
		h.send(request(1, wire.RequestStop))
		seen := await(h, "Observed", any1[wire.Observed])
		if took := time.Since(from); took > 2*s.engine.slow || seen.Stacks[0].Containers[0].State != "exited" {
			t.Errorf("after %v: %+v", took, seen)
		}
	})
}

func TestStopWaitsForNoDeployment(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		hook, began := hang()
		s.engine.on("apply", hook)
		cmd := deployOf(h, newStack(), 1)
		h.send(cmd)
		<-began
		m := request(1, wire.RequestStop)
		m.Stack, m.Project = cmd.Deploy.Stack, cmd.Deploy.Project
		h.send(m)
		if _, last := h.answer(1); last.Kind != "conflict" || last.Code != "stack.busy" {
			t.Errorf("%+v", last)
		}
	})
}

func TestLogs(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		var want strings.Builder
		for n := range 5000 {
			fmt.Fprintf(&want, "línea %d\n", n)
		}
		times := false
		s.engine.logs = func(_ context.Context, ask LogAsk, w io.Writer) error {
			if ask.Tail != 50 || ask.Follow || ask.Times != times {
				t.Errorf("asked %+v", ask)
			}
			for rest := []byte(want.String()); len(rest) > 0; { // in pieces that cut characters
				n := min(7, len(rest))
				if _, err := w.Write(rest[:n]); err != nil {
					return err
				}
				rest = rest[n:]
			}
			return nil
		}
		h.send(request(1, wire.RequestLogs))
		if got, last := h.answer(1); got != want.String() || last.Error != "" {
			t.Errorf("%d bytes of %d arrived; %+v", len(got), want.Len(), last)
		}
		m := request(2, wire.RequestLogs)
		m.Times, times = true, true
		h.send(m)
		if got, last := h.answer(2); got != want.String() || last.Error != "" {
			t.Errorf("with times %d bytes of %d arrived; %+v", len(got), want.Len(), last)
		}
		s.engine.logs = func(context.Context, LogAsk, io.Writer) error { panic("odd") }
		h.send(request(3, wire.RequestLogs))
		if _, last := h.answer(3); last.Code != "internal.error" {
			t.Errorf("%+v", last)
		}
	})
}

func TestLogsAreFollowedUntilTheyAreCancelled(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		ended := make(chan struct{}, 10)
		s.engine.logs = func(ctx context.Context, _ LogAsk, w io.Writer) error {
			defer func() { ended <- struct{}{} }()
			for pause(ctx, nil, time.Second) == nil {
				io.WriteString(w, "tick\n")
			}
			return ctx.Err()
		}
		m := request(1, wire.RequestLogs)
		m.Follow, m.Seconds = true, 3600
		h.send(m)
		for range 3 {
			if r := await(h, "Reply", any1[wire.Reply]); r.Data != "tick\n" || r.Last {
				t.Errorf("%+v", r)
			}
		}
		h.send(wire.RequestCancel{ID: 1})
		<-ended
		silentFor(h, time.Minute, func(m wire.Reply) bool { return m.ID == 1 })

		m.ID, m.Seconds = 2, 5 // the hub's patience
		h.send(m)
		if got, last := h.answer(2); !strings.HasPrefix(got, "tick\ntick\n") || last.Error != "" {
			t.Errorf("%q, %+v", got, last)
		}
		<-ended

		m.ID, m.Seconds = 3, 3600
		h.send(m)
		await(h, "Reply", any1[wire.Reply])
		h.end.Cut()
		<-ended // with the link
	})
}

func TestRequestsAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		hook, _ := hang()
		s.engine.on("restart", hook)
		for n := range maxRequests {
			h.send(request(uint64(n+1), wire.RequestRestart))
		}
		h.send(request(100, wire.RequestRestart))
		if _, last := h.answer(100); last.Kind != "too_many" || last.Code != "request.too_many" {
			t.Errorf("%+v", last)
		}
		h.send(request(1, wire.RequestRestart))
		if _, last := h.answer(1); last.Code != "request.repeated" {
			t.Errorf("%+v", last)
		}
		if _, last := h.answer(2); last.Code != "request.timeout" || last.Kind != "unavailable" {
			t.Errorf("%+v", last)
		}
		synctest.Wait()
		s.engine.on("restart", nil)
		h.send(request(200, wire.RequestRestart))
		if _, last := h.answer(200); last.Error != "" {
			t.Errorf("%+v", last)
		}
	})
}

func TestAnUnknownRequestIsRefused(t *testing.T) {
	r := newRequests(newEngine(), nil, nil, newTurns[core.StackID](maxParallel, maxQueued), nil, slog.Default())
	if err := r.serve(context.Background(), wire.Request{Kind: "shell"}); !fault.Is(err, fault.Unsupported) {
		t.Errorf("err = %v", err)
	}
}

func TestWholeRunes(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "é": 2, "a\xc3": 1, "\xe2\x82": 0, "x\xe2\x82\xac": 4, "\xff": 1, "a\x80\x80\x80\x80": 5, "\xf0\x9f\x98": 0} {
		if got := wholeRunes([]byte(text)); got != want {
			t.Errorf("wholeRunes(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestACharacterIsNotCutByTime(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		var sent []string
		c := newChunker(func(data string) error { sent = append(sent, data); return nil })
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		go func() {
			io.WriteString(c, "a\xc3")
			pause(ctx, nil, 4*replyAfter)
			io.WriteString(c, "\xa9\xe2")
		}()
		c.run(ctx)
		if err := c.end(); err != nil || strings.Join(sent, "|") != "a|é|\xe2" {
			t.Errorf("sent %q, %v", sent, err)
		}
	})
}
