package pace_test

import (
	"strconv"
	"testing"
	"time"

	"berth/core/pace"
)

// clock is a time that stands still until it is moved.
type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }

func TestTakeAllowsTheBurstThenOneEvery(t *testing.T) {
	at := &clock{time.Unix(1000, 0)}
	b := pace.New(pace.Rule{Burst: 3, Every: 10 * time.Second}, 10, at.read)
	for i := range 3 {
		if wait := b.Take("a"); wait != 0 {
			t.Fatalf("take %d: wait %v, want none", i+1, wait)
		}
	}
	if wait := b.Take("a"); wait != 10*time.Second {
		t.Fatalf("fourth take: wait %v, want 10s", wait)
	}
	if wait := b.Take("b"); wait != 0 {
		t.Errorf("another key waits %v", wait)
	}
	at.now = at.now.Add(9 * time.Second)
	if wait := b.Take("a"); wait != time.Second {
		t.Errorf("after 9s: wait %v, want 1s", wait)
	}
	at.now = at.now.Add(time.Second)
	if wait := b.Take("a"); wait != 0 {
		t.Errorf("after 10s: wait %v, want none", wait)
	}
	if wait := b.Take("a"); wait == 0 {
		t.Error("a second token came with the first")
	}
}

func TestGivePutsATokenBack(t *testing.T) {
	at := &clock{time.Unix(1000, 0)}
	b := pace.New(pace.Rule{Burst: 1, Every: time.Minute}, 10, at.read)
	for range 100 {
		if wait := b.Take("a"); wait != 0 {
			t.Fatalf("wait %v although each token was put back", wait)
		}
		b.Give("a")
	}
	b.Give("a")
	b.Give("never taken")
	b.Take("a")
	if b.Take("a") == 0 {
		t.Error("giving more than was taken made the bucket larger than its burst")
	}
}

func TestTooManyKeysShareOneBucket(t *testing.T) {
	at := &clock{time.Unix(1000, 0)}
	b := pace.New(pace.Rule{Burst: 2, Every: time.Minute}, 100, at.read)
	allowed := 0
	for i := range 10_000 {
		if b.Take(strconv.Itoa(i)) == 0 {
			allowed++
		}
	}
	if allowed != 102 {
		t.Errorf("%d of 10,000 keys got through, want 100 of their own and 2 shared", allowed)
	}
	at.now = at.now.Add(time.Minute)
	if b.Take("late") != 0 {
		t.Error("a new key is refused although the old buckets are full again")
	}
}

func TestAClockThatIsSetBackLocksNobodyOut(t *testing.T) {
	at := &clock{time.Unix(1_000_000, 0)}
	b := pace.New(pace.Rule{Burst: 2, Every: time.Minute}, 10, at.read)
	b.Take("a")
	b.Take("a")
	at.now = at.now.Add(-24 * time.Hour)
	for i := range 2 {
		if wait := b.Take("a"); wait != 0 {
			t.Errorf("take %d: wait %v", i+1, wait)
		}
	}
	if b.Take("a") == 0 {
		t.Error("the bucket has no bottom")
	}
}
