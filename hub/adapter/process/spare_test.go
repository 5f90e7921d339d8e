package process

import (
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"
)

func TestSpareYieldsToWhoeverStartedTheProgram(t *testing.T) {
	for name, c := range map[string]struct {
		set  string
		want int
	}{"not set": {"", firstRoom}, "set": {"200", 100}} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOGC", c.set)
			before := debug.SetGCPercent(100)
			over, end := context.WithCancel(t.Context())
			end()
			Spare(over)
			if got := debug.SetGCPercent(before); got != c.want {
				t.Errorf("%d percent, want %d", got, c.want)
			}
		})
	}
}

func TestRoomFollowsWhatCollectingCosts(t *testing.T) {
	for name, c := range map[string]struct {
		room  int
		share float64
		want  int
	}{
		"nothing to do":               {50, 0, 45},
		"as little as there may be":   {leastRoom, 0, leastRoom},
		"neither much nor little":     {30, 0.02, 30},
		"much":                        {20, 0.3, 40},
		"much, and no more there is":  {40, 0.3, mostRoom},
		"exactly what counts as much": {40, muchCollecting, 40},
	} {
		t.Run(name, func(t *testing.T) {
			if got := roomAfter(c.room, c.share); got != c.want {
				t.Errorf("%d percent, want %d", got, c.want)
			}
		})
	}
}

func TestAStormHasRoomSoonAndRestGivesItBack(t *testing.T) {
	ticks := make(chan time.Time)
	spent := make(chan float64, 1)
	spent <- 0
	var set []int
	const released = -1
	now, again := 0.0, false
	collecting := func() float64 {
		if !again {
			now = <-spent
		}
		again = false
		return now
	}
	ended := make(chan struct{})
	ctx, end := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		spare(ctx, ticks, collecting, func(percent int) { set = append(set, percent) }, func() { set, again = append(set, released), true })
	}()
	at, total := time.Unix(0, 0), 0.0
	second := func(seconds float64) {
		total += seconds
		at = at.Add(time.Second)
		spent <- total
		ticks <- at
	}
	for range 70 {
		second(0)
	}
	for range 40 {
		second(0.5)
	}
	for range 31 {
		second(0)
	}
	end()
	<-ended
	down := []int{45, 40, 36, 32, 28, 25, 22, leastRoom, released}
	if !slices.Equal(set, slices.Concat(down, []int{40, mostRoom}, down)) {
		t.Errorf("room went %v", set)
	}
}

func TestCollectingIsCounted(t *testing.T) {
	before := collecting()
	runtime.GC()
	if got := collecting(); got <= before {
		t.Errorf("%v s, and %v s before a collection", got, before)
	}
}
