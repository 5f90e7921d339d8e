package worker

import (
	"fmt"
	"testing"

	"berth/core/wire"
)

// greetAs is greet by a hub that has the events of every command up to this one.
func (h *hubEnd) greetAs(heard uint64) {
	h.t.Helper()
	hello := await(h, "Hello", any1[wire.Hello])
	welcome := wire.Welcome{Epoch: h.epoch, HeartbeatSeconds: hubBeat, Version: "hub", Settle: []wire.Instruction{}}
	for _, e := range hello.Journal {
		welcome.Settle = append(welcome.Settle, wire.Instruction{ID: e.ID, Attempt: e.Attempt, Do: wire.SettleRun, Heard: &heard})
	}
	h.send(welcome)
}

// TestAnotherHubGetsTheEventsThatTheFirstOneDidNotStore, in order and before
// the result.
func TestAnotherHubGetsTheEventsThatTheFirstOneDidNotStore(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		cmd := deployOf(h, newStack(), 7)
		h.send(cmd)
		all, result := collect(h, cmd)
		if len(all) < 4 || result.Events != all[len(all)-1].Number {
			t.Fatalf("%d events, the result tells of %d", len(all), result.Events)
		}
		for _, heard := range []uint64{all[1].Number, 0, result.Events} {
			h.end.Cut()
			h = s.link()
			h.greetAs(heard)
			again, _ := collect(h, cmd)
			if want := said(all[heard:]); fmt.Sprint(said(again)) != fmt.Sprint(want) {
				t.Errorf("after event %d came %q, want %q", heard, said(again), want)
			}
		}
		h.ack(cmd.ID, cmd.Attempt)
	})
}

func said(events []wire.Event) (all []string) {
	for _, e := range events {
		text := fmt.Sprint(e.Number, " ", e.Log)
		if e.Phase != nil {
			text += fmt.Sprint(*e.Phase)
		}
		all = append(all, text)
	}
	return all
}
