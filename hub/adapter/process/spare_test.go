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
		"much":                        {10, 0.3, 20},
		"much, and it is Go's own":    {80, 0.3, mostRoom},
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
	ended := make(chan struct{})
	ctx, end := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		spare(ctx, ticks, func() float64 { return <-spent }, func(percent int) { set = append(set, percent) })
	}()
	at, total := time.Unix(0, 0), 0.0
	second := func(seconds float64) {
		total += seconds
		at = at.Add(time.Second)
		spent <- total
		ticks <- at
	}
	for range 40 {
		second(0)
	}
	for range 4 {
		second(0.5)
	}
	for range 2 {
		second(0)
	}
	end()
	<-ended
	lowest := slices.Index(set, leastRoom)
	if lowest < 0 || !slices.Equal(set[lowest:], []int{10, 20, 40, 80, 100, 90, 81}) {
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
