package outbox_test

import (
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/outbox"
)

func TestPausesGrowAndSpread(t *testing.T) {
	last := time.Duration(0)
	for attempts := 1; attempts <= 8; attempts++ {
		low, middle, high := outbox.Wait(attempts, 0), outbox.Wait(attempts, 0.5), outbox.Wait(attempts, 1)
		if middle <= last || low != middle*3/4 || high != middle*5/4 {
			t.Errorf("after %d attempts: %s, %s, %s", attempts, low, middle, high)
		}
		last = middle
	}
	if outbox.Wait(1000, 0.5) != last || outbox.Wait(0, 0.5) != outbox.Wait(1, 0.5) {
		t.Error("beyond the ends it is not as at the ends")
	}
}

func TestWhatBecomesOfALetter(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	away := fault.New(fault.Unavailable, "smtp.unreachable", "The server does not answer.")
	for name, c := range map[string]struct {
		attempts int
		until    time.Duration
		err      error
		state    outbox.State
		next     time.Duration
	}{
		"it arrived":                      {1, time.Hour, nil, outbox.Sent, 0},
		"it is tried again":               {1, time.Hour, away, outbox.Waiting, 10 * time.Second},
		"later, when it failed often":     {6, 24 * time.Hour, away, outbox.Waiting, 10 * time.Minute},
		"it was refused for good":         {1, time.Hour, outbox.Final(away), outbox.Failed, 0},
		"the next attempt would be late":  {3, time.Minute - time.Second, away, outbox.Failed, 0},
		"the last attempt is just within": {3, time.Minute, away, outbox.Waiting, time.Minute},
	} {
		l := outbox.Letter{State: outbox.Waiting, Attempts: c.attempts, GiveUpAt: now.Add(c.until)}.Settled("250 OK", c.err, now, 0.5)
		switch {
		case l.State != c.state || l.State.Ended() != !l.EndedAt.IsZero():
			t.Errorf("%s: %+v", name, l)
		case c.err == nil && (l.Answer != "250 OK" || l.Code != ""), c.err != nil && (l.Answer != "The server does not answer." || l.Code != "smtp.unreachable"):
			t.Errorf("%s: it says %q, %q", name, l.Answer, l.Code)
		case l.State == outbox.Waiting && l.NextAt != now.Add(c.next):
			t.Errorf("%s: next at %s", name, l.NextAt)
		}
	}
	if l := (outbox.Letter{State: outbox.Waiting}).Broken(now); l.State != outbox.Waiting || !l.NextAt.Equal(now) {
		t.Errorf("broken off: %+v", l)
	}
}
