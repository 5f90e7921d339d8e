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

// held is what is held in these tests: so much that bytes do not matter.
const held = 1 << 30

// after is the room once so many ticks were alike.
func after(percent, ticks int, share float64, cycles uint64) int {
	r := room{percent: percent, before: collections{held: held}}
	for range ticks {
		r.follow(collections{seconds: r.before.seconds + share, cycles: r.before.cycles + cycles, held: held}, time.Second)
	}
	return r.given()
}

func TestRoomFollowsWhatCollectingCosts(t *testing.T) {
	for name, c := range map[string]struct {
		room, ticks int
		share       float64
		cycles      uint64
		want        int
	}{
		"nothing to do":                            {50, 1, 0, 0, 45},
		"as little as there may be":                {leastRoom, 60, 0, 0, leastRoom},
		"neither much nor little, for long":        {leastRoom, 120, 0.03, 1, leastRoom},
		"much, for long":                           {leastRoom, 200, 0.1, 1, mostRoom},
		"one collection that took long is no much": {leastRoom, 1, 0.3, 1, leastRoom},
		"a storm":                             {leastRoom, 1, 0.3, stormy, 40},
		"a storm, and no more there is":       {40, 1, 0.3, stormy, mostRoom},
		"many collections of next to nothing": {leastRoom, 1, 0.001, 50, leastRoom},
	} {
		t.Run(name, func(t *testing.T) {
			if got := after(c.room, c.ticks, c.share, c.cycles); got != c.want {
				t.Errorf("%d percent, want %d", got, c.want)
			}
		})
	}
}

// One collection of a large server in a while takes longer than a tick's share, and is little on average.
func TestRoomIsByTheAverage(t *testing.T) {
	r := room{percent: mostRoom, before: collections{held: held}}
	for i := range 200 {
		now := r.before
		if i%20 == 0 {
			now.seconds, now.cycles = now.seconds+0.2, now.cycles+1
		}
		r.follow(now, time.Second)
	}
	if got := r.given(); got >= 40 {
		t.Errorf("with 1 %% of a core there are %d percent", got)
	}
}

func TestLittleThatIsHeldHasRoomInBytes(t *testing.T) {
	for held, least := range map[uint64]int{0: leastBytes, 2 << 20: leastBytes, 10 << 20: leastBytes, 20 << 20: leastBytes, 100 << 20: leastRoom << 20} {
		r := room{percent: leastRoom, before: collections{held: held}}
		if got := r.given() * int(max(held, 1<<20)) / 100; got < least || got > least*3/2 {
			t.Errorf("with %d bytes there are %d, want at least %d and little more", held, got, least)
		}
	}
}

func TestAStormHasRoomSoonAndRestGivesItBack(t *testing.T) {
	ticks := make(chan time.Time)
	told := make(chan collections, 1)
	told <- collections{held: held}
	var set []int
	const released = -1
	now, again := collections{}, false
	collected := func() collections {
		if !again {
			now = <-told
		}
		again = false
		return now
	}
	ended := make(chan struct{})
	ctx, end := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		spare(ctx, ticks, collected, func(percent int) { set = append(set, percent) }, func() { set, again = append(set, released), true })
	}()
	at, total := time.Unix(0, 0), collections{held: held}
	ticks <- at // the first is where time begins
	second := func(seconds float64, cycles uint64) {
		total.seconds, total.cycles = total.seconds+seconds, total.cycles+cycles
		at = at.Add(time.Second)
		told <- total
		ticks <- at
	}
	for range 70 {
		second(0, 0)
	}
	for range 40 {
		second(0.5, 10)
	}
	for range 200 {
		second(0, 0)
	}
	end()
	<-ended
	down := []int{45, 40, 36, 32, 28, 25, 22, leastRoom}
	storm := []int{40, mostRoom}
	if !slices.Equal(set, slices.Concat(down, []int{released}, storm, []int{released}, down)) {
		t.Errorf("room went %v", set)
	}
}

func TestCollectingIsCounted(t *testing.T) {
	before := collected()
	runtime.GC()
	if got := collected(); got.seconds <= before.seconds || got.cycles <= before.cycles || got.held == 0 {
		t.Errorf("%+v, and %+v before a collection", got, before)
	}
}
