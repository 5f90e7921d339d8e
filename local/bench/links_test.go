package main

import (
	"errors"
	"testing"
	"time"

	"berth/core/fault"
	"berth/hub/adapter/websocket"
)

func TestPercentile(t *testing.T) {
	values := make([]time.Duration, 200)
	for i := range values {
		values[len(values)-1-i] = time.Duration(i)
	}
	for percent, want := range map[int]time.Duration{0: 0, 50: 100, 99: 198, 100: 199} {
		if got := percentile(values, percent); got != want {
			t.Errorf("%d %% is %d, want %d", percent, got, want)
		}
	}
	if got := percentile(nil, 99); got != 0 {
		t.Errorf("of nothing it is %d", got)
	}
}

func TestAttemptsAreCountedByWhatCameOfThem(t *testing.T) {
	m := &meeting{}
	for _, err := range []error{
		nil, errors.New("refused"), fault.New(fault.Unavailable, "server.unreachable", "nothing listens"),
		&websocket.Refused{Status: 503, Code: "worker_port.busy", RetryAfter: time.Second},
		&websocket.Refused{Status: 503, Code: "store.broken"},
		&websocket.Refused{Status: 500, Code: "internal.error", RetryAfter: time.Second},
		&websocket.Refused{Status: 500, Code: "internal.error"},
	} {
		m.came(3*time.Second, err)
	}
	if len(m.handshakes) != 1 || m.unanswered != 2 || m.told != 1 || m.others["503 store.broken"] != 1 || m.others["500 internal.error"] != 2 {
		t.Errorf("counted as %+v", m)
	}
	verdicts := ""
	for _, f := range m.figures("a return", 61*time.Second) {
		verdicts += f.result + " " + f.verdict() + "\n"
	}
	if want := "61.0 s MISSED\n3000 ms \n3000 ms MISSED\n1 \n2 x 500 internal.error, 1 x 503 store.broken MISSED\n2 \n"; verdicts != want {
		t.Errorf("they show as\n%swant\n%s", verdicts, want)
	}
	if m.begin(); len(m.handshakes)+m.unanswered+m.told+len(m.others) != 0 {
		t.Errorf("a new return begins with %+v", m)
	}
}

func TestALightWorkerWaitsAsTheRealOneDoes(t *testing.T) {
	w := &lightWorker{}
	for range 20 {
		if wait := w.wait(0, errors.New("nothing listens")); wait < 0 || wait > time.Minute {
			t.Errorf("it waits %v", wait)
		}
	}
	if wait := w.wait(0, &websocket.Refused{Status: 503, RetryAfter: 5 * time.Second}); wait < 5*time.Second || wait > 7*time.Second {
		t.Errorf("told to wait 5 s it waits %v", wait)
	}
	if wait := w.wait(3*time.Second, nil); wait < 3*time.Second || wait > 4*time.Second || w.failures != 0 {
		t.Errorf("told to come back in 3 s it waits %v, after %d failures", wait, w.failures)
	}
}
