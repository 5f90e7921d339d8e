package link

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/wire"
)

func TestPulseBeatsAndMeasures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		hub, worker := New(a, Options{Side: Hub}), New(b, Options{Side: Worker})
		ctx, stop := context.WithCancel(t.Context())
		var pulse Pulse
		var beats []wire.Heartbeat
		var at []time.Duration
		begin := time.Now()
		hubEnd := start(ctx, hub, func(ctx context.Context, msg any) error {
			beats = append(beats, msg.(wire.Heartbeat))
			at = append(at, time.Since(begin))
			time.Sleep(150 * time.Millisecond)
			return hub.Send(ctx, wire.HeartbeatAck{Number: msg.(wire.Heartbeat).Number})
		})
		workerEnd := start(ctx, worker, func(_ context.Context, msg any) error {
			pulse.Answered(msg.(wire.HeartbeatAck))
			return nil
		})
		beating := make(chan error, 1)
		go func() { beating <- pulse.Run(ctx, worker, 30*time.Second) }()
		time.Sleep(70 * time.Second)
		stop()
		<-hubEnd
		<-workerEnd
		if err := <-beating; err == nil {
			t.Error("the pulse ended without a reason")
		}
		want := []wire.Heartbeat{{Number: 1}, {Number: 2, RoundTripUS: 150_000}, {Number: 3, RoundTripUS: 150_000}}
		if len(beats) != len(want) {
			t.Fatalf("%d heartbeats at %v", len(beats), at)
		}
		for i := range want {
			if beats[i] != want[i] || at[i] != time.Duration(i)*30*time.Second {
				t.Errorf("heartbeat %d is %+v at %v", i, beats[i], at[i])
			}
		}
	})
}

func TestStaleAnswersSayNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pulse Pulse
		pulse.next()
		pulse.next()
		time.Sleep(time.Second)
		pulse.Answered(wire.HeartbeatAck{Number: 1})
		pulse.Answered(wire.HeartbeatAck{Number: 9})
		if pulse.roundTrip != 0 {
			t.Errorf("the round trip is %v", pulse.roundTrip)
		}
		pulse.Answered(wire.HeartbeatAck{Number: 2})
		time.Sleep(time.Second)
		pulse.Answered(wire.HeartbeatAck{Number: 2})
		if pulse.roundTrip != time.Second {
			t.Errorf("the round trip is %v; a repeated answer must not count", pulse.roundTrip)
		}
	})
}
