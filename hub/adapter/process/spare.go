package process

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// How much garbage there may be before it is collected, in percent of what is held and, where little is held, in bytes. A
// server holds much for each worker and makes little garbage at rest, so that little room costs little time; in a storm it
// would cost much. Go by itself leaves 100 percent: when many workers come, what is held of each comes to lie among so much
// garbage, and the memory between never goes back.
const (
	leastRoom  = 20
	mostRoom   = 50
	firstRoom  = 50
	leastBytes = 4 << 20
)

// How much of one core may go into collecting garbage before there is more room, and how little before there is less:
// on average, because a collection is over in a moment and the next one may be far.
const (
	muchCollecting   = 0.04
	littleCollecting = 0.02
)

const (
	roomEvery = time.Second
	averaged  = 30 // ticks
)

// stormy is how many collections between two ticks are a storm, which room is made for at once.
const stormy = 3

// calm is how many ticks in a row there must not have been a storm before memory that is free goes back to the system: Go
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
		spare(ctx, tick.C, collected, func(percent int) { debug.SetGCPercent(percent) }, debug.FreeOSMemory)
	}()
}

// collections is what collecting garbage has come to so far.
type collections struct {
	seconds float64 // of processor time, without what was idle otherwise
	cycles  uint64
	held    uint64 // bytes, as the last one left them
}

// spare sets the room anew at each tick, and releases what is free once it is calm after the start or a storm.
func spare(ctx context.Context, ticks <-chan time.Time, collected func() collections, set func(percent int), release func()) {
	r := room{percent: firstRoom, before: collected()}
	given, last := firstRoom, time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticks:
			if !last.IsZero() && r.follow(collected(), now.Sub(last)) {
				release()
				r.before = collected() // that was no garbage of anybody's
			}
			last = now
			if next := r.given(); next != given {
				given = next
				set(next)
			}
		}
	}
}

// room is how much garbage there may be.
type room struct {
	percent int
	average float64 // share of one core that goes into collecting
	quiet   int     // ticks without a storm
	before  collections
}

// follow takes in what was collected in the time that passed, and reports whether it has been calm for long enough. Room
// doubles in a storm, so that there is enough within two ticks, and else changes slowly.
func (r *room) follow(now collections, passed time.Duration) (calmed bool) {
	share := (now.seconds - r.before.seconds) / passed.Seconds()
	storm := now.cycles-r.before.cycles >= stormy && share > muchCollecting
	r.before = now
	r.average += (share - r.average) / averaged
	if storm {
		r.percent, r.quiet = min(r.percent*2, mostRoom), 0
		return false
	}
	switch {
	case r.average > muchCollecting:
		r.percent = min(r.percent+r.percent/10, mostRoom)
	case r.average < littleCollecting:
		r.percent = max(r.percent*9/10, leastRoom)
	}
	r.quiet++
	return r.quiet == calm
}

// given is the room in percent, at least leastBytes. That goes in steps, as it is not worth a change to be exact.
func (r *room) given() int {
	percent := r.percent
	for percent < 100*leastBytes/int(max(r.before.held, 1<<20)) {
		percent = percent*5/4 + 1
	}
	return percent
}

// collected reads what the runtime counts.
func collected() collections {
	samples := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
		{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	return collections{seconds: samples[0].Value.Float64() - samples[1].Value.Float64(), cycles: samples[2].Value.Uint64(), held: samples[3].Value.Uint64()}
}
