package identity

import (
	"fmt"
	"testing"
	"time"

	"berth/core/fault"
)

// tried counts how many of n tries were let through.
func tried(t *throttle, n int, account, address func(i int) string) (through int) {
	for i := range n {
		if _, err := t.begin(account(i), address(i)); err == nil {
			through++
		}
	}
	return through
}

func always(s string) func(int) string { return func(int) string { return s } }
func numbered(form string) func(int) string {
	return func(i int) string { return fmt.Sprintf(form, i) }
}

// TestGuessingIsSlow plays a thousand tries a minute in every way that guesses can be spread. (A4)
func TestGuessingIsSlow(t *testing.T) {
	for name, c := range map[string]struct {
		account, address func(int) string
		most             int
	}{
		"one account from one address":         {always("a@b"), always("192.0.2.1"), 10},
		"many accounts from one address":       {numbered("a%d@b"), always("192.0.2.1"), 30},
		"one account from many addresses":      {always("a@b"), func(i int) string { return fmt.Sprintf("198.51.%d.%d", i/250, i%250) }, 50},
		"many accounts from many addresses":    {numbered("a%d@b"), func(i int) string { return fmt.Sprintf("198.51.%d.%d", i/250, i%250) }, 200},
		"one subscriber with many of IPv6":     {numbered("a%d@b"), numbered("2001:db8::%x"), 30},
		"addresses that are none":              {numbered("a%d@b"), always(""), 30},
		"one account from one of IPv6's zones": {always("a@b"), always("fe80::1%eth0"), 10},
	} {
		now := time.Unix(1000, 0)
		got := tried(newThrottle(func() time.Time { return now }), 1000, c.account, c.address)
		if got != c.most {
			t.Errorf("%s: %d tries got through at once, want %d", name, got, c.most)
		}
	}
}

// TestTheOwnerGetsIn from where they have been before, whatever others try.
func TestTheOwnerGetsIn(t *testing.T) {
	now := time.Unix(1000, 0)
	throttle := newThrottle(func() time.Time { return now })
	try, err := throttle.begin("owner@b", "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	try.succeeded()
	tried(throttle, 10_000, always("owner@b"), func(i int) string { return fmt.Sprintf("198.51.%d.%d", i/250, i%250) })
	if _, err := throttle.begin("owner@b", "203.0.113.9"); !fault.Is(err, fault.TooMany) {
		t.Errorf("a stranger in the middle of an attack: %v", err)
	}
	for range 5 {
		try, err := throttle.begin("owner@b", "192.0.2.1")
		if err != nil {
			t.Fatalf("the owner in the middle of an attack: %v", err)
		}
		try.succeeded()
	}
	if got := tried(throttle, 100, always("owner@b"), always("192.0.2.1")); got != 10 {
		t.Errorf("%d guesses from the owner's address, want 10", got)
	}
}

func TestRightPasswordsDoNotCount(t *testing.T) {
	now := time.Unix(1000, 0)
	throttle := newThrottle(func() time.Time { return now })
	for i := range 1000 {
		try, err := throttle.begin(fmt.Sprintf("a%d@b", i%3), "192.0.2.1")
		if err != nil {
			t.Fatalf("sign-in %d: %v", i, err)
		}
		try.succeeded()
	}
}

func TestWaitingHelps(t *testing.T) {
	now := time.Unix(1000, 0)
	throttle := newThrottle(func() time.Time { return now })
	tried(throttle, 100, always("a@b"), always("192.0.2.1"))
	_, err := throttle.begin("a@b", "192.0.2.1")
	var e *fault.Error
	if e, _ = err.(*fault.Error); e == nil || e.RetryAfter <= 0 || e.RetryAfter > time.Minute {
		t.Fatalf("told %v", err)
	}
	now = now.Add(e.RetryAfter)
	if _, err := throttle.begin("a@b", "192.0.2.1"); err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	throttle := newThrottle(func() time.Time { return now })
	for i := range maxKnown + 500 {
		throttle.pair.Take("x") // whatever happens to buckets
		try{throttle: throttle, who: pair{fmt.Sprint(i), "a"}}.succeeded()
	}
	if len(throttle.known) > maxKnown {
		t.Errorf("%d pairs are remembered", len(throttle.known))
	}
}
