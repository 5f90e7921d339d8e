package process

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// How much garbage there may be, in percent of what is held, before it is collected. A server holds much for each
// worker and makes little garbage at rest, so that little room costs little time; in a storm little room would
// cost most of it.
const (
	leastRoom = 10
	mostRoom  = 100 // what Go does by itself
	firstRoom = 50
)

// How much of one core may go into collecting garbage before there is more room, and how little before there is less.
const (
	muchCollecting   = 0.04
	littleCollecting = 0.01
)

const roomEvery = time.Second

// Spare has this program use less memory until ctx ends, unless whoever started it has set GOGC: while little of
// a core goes into collecting garbage it is collected sooner, and when much goes there later again.
func Spare(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(firstRoom)
	go func() {
		tick := time.NewTicker(roomEvery)
		defer tick.Stop()
		spare(ctx, tick.C, collecting, func(percent int) { debug.SetGCPercent(percent) })
	}()
}

// spare sets the room anew at each tick from how many seconds of processor time went into collecting so far.
func spare(ctx context.Context, ticks <-chan time.Time, collecting func() float64, set func(percent int)) {
	room, before := firstRoom, collecting()
	last := time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticks:
			spent := collecting()
			if !last.IsZero() {
				if next := roomAfter(room, (spent-before)/now.Sub(last).Seconds()); next != room {
					room = next
					set(room)
				}
			}
			before, last = spent, now
		}
	}
}

// roomAfter is the room that follows when share of one core went into collecting. It grows by doubling, so that a
// storm finds room within three ticks, and shrinks slowly.
func roomAfter(room int, share float64) int {
	switch {
	case share > muchCollecting:
		return min(room*2, mostRoom)
	case share < littleCollecting:
		return max(room*9/10, leastRoom)
	}
	return room
}

// collecting returns how many seconds of processor time collecting garbage has taken so far, without what was idle
// otherwise.
func collecting() float64 {
	samples := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	metrics.Read(samples)
	return samples[0].Value.Float64() - samples[1].Value.Float64()
}
