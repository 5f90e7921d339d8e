package process

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// How much garbage there may be, in percent of what is held, before it is collected. A server holds much for each
// worker and makes little garbage at rest, so that little room costs little time; in a storm it would cost much.
// Go by itself leaves 100: when many workers come, what is held of each comes to lie among so much garbage, and the
// memory between never goes back.
const (
	leastRoom = 20
	mostRoom  = 50
	firstRoom = 50
)

// How much of one core may go into collecting garbage before there is more room, and how little before there is less.
const (
	muchCollecting   = 0.04
	littleCollecting = 0.01
)

const roomEvery = time.Second

// calm is how many times in a row there must not have been much collecting before memory that is free goes back to the system: Go
// keeps a tenth more than it needs, and after a storm does not know that it is over.
const calm = 30

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
		spare(ctx, tick.C, collecting, func(percent int) { debug.SetGCPercent(percent) }, debug.FreeOSMemory)
	}()
}

// spare sets the room anew at each tick from how many seconds of processor time went into collecting so far, and
// releases what is free once it is calm after the start or a storm.
func spare(ctx context.Context, ticks <-chan time.Time, collecting func() float64, set func(percent int), release func()) {
	room, before, quiet := firstRoom, collecting(), 0
	last := time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticks:
			spent := collecting()
			if !last.IsZero() {
				share := (spent - before) / now.Sub(last).Seconds()
				if next := roomAfter(room, share); next != room {
					room = next
					set(room)
				}
				if quiet++; share > muchCollecting {
					quiet = 0
				}
				if quiet == calm {
					release()
					spent = collecting() // that was no garbage of anybody's
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
