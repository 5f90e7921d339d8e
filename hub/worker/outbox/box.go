package outbox

import (
	"slices"
	"sync"
	"time"

	"berth/core/wire"
	"berth/hub/worker/journal"
)

// Box holds the feeds of all commands of a worker.
type Box struct {
	bell chan struct{} // holds a token when something may have become due

	mu      sync.Mutex // guards what follows, and the feeds
	feeds   []*Feed    // in order of opening
	last    int        // index of the feed that was served last
	dropped uint64     // chunks that were dropped, ever
}

// New returns an empty box.
func New() *Box { return &Box{bell: make(chan struct{}, 1)} }

// Open begins the feed of a command. Its first event has the number base+1; a command
// that goes on after a restart of the worker takes a higher base.
func (b *Box) Open(key journal.Key, base uint64) *Feed {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := &Feed{box: b, key: key, base: base, number: base}
	b.feeds = append(b.feeds, f)
	return f
}

// Pending reports whether something of a command has not been written yet: what is sent after it could
// overtake it.
func (b *Box) Pending(key journal.Key) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.feeds, func(f *Feed) bool { return f.key == key && !f.emptied })
}

// Has reports whether anything of a command is kept here.
func (b *Box) Has(key journal.Key) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.feeds, func(f *Feed) bool { return f.key == key })
}

// Again has what was said of a command after an event sent once more: the hub, which has the log of its container up to
// a position, does not have it. What is not kept any more is to be told again, by whoever tells it; when nobody does any more,
// the feed is returned. No link may be taking events meanwhile.
func (b *Box) Again(key journal.Key, after uint64, to string) (idle *Feed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.feeds {
		if f.key != key {
			continue
		}
		f.seal()
		if from := max(after, f.base); f.tells && !f.whole(from) {
			if f.finished {
				idle = f
			}
			f.rewind(from, to)
		} else {
			f.again(after)
		}
	}
	b.ring()
	return idle
}

// Telling reports whether more of a command may come.
func (b *Box) Telling(key journal.Key) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.feeds, func(f *Feed) bool { return f.key == key && !f.finished })
}

// Forget drops what is kept of a command about which nobody asks any more.
func (b *Box) Forget(key journal.Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.feeds = slices.DeleteFunc(b.feeds, func(f *Feed) bool { return f.key == key && f.finished })
	b.ring()
}

// Waiting returns how many events have not been sent yet.
func (b *Box) Waiting() (events int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.feeds {
		events += len(f.waiting)
		if f.chunk.Len() > 0 {
			events++
		}
		if f.flying != nil {
			events++
		}
	}
	return events
}

// Dropped returns how many chunks of logs were ever dropped.
func (b *Box) Dropped() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}

// next hands out the event that is due, feeds in turn. Without one, wait says when to
// ask again; negative: not before the bell rings.
func (b *Box) next(now time.Time) (feed *Feed, event wire.Event, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait = -1
	for i := range b.feeds {
		at := (b.last + 1 + i) % len(b.feeds)
		f := b.feeds[at]
		due, ok := f.due()
		if !ok {
			continue
		}
		left := due.Sub(now)
		if left <= 0 {
			b.last = at
			return f, f.take(), 0
		}
		if wait < 0 || left < wait {
			wait = left
		}
	}
	return nil, wire.Event{}, wait
}

// landed takes note that the event in flight was sent, or returns it when no link took it.
func (b *Box) landed(f *Feed, sent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f.landed(sent)
}

// ended reports whether a feed has become finished and empty, which has not been told.
func (b *Box) ended() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.feeds, func(f *Feed) bool { return f.finished && f.empty() && !f.emptied })
}

// sweep notes that everything of the feeds that are finished and empty was written. They stay, with what was
// sent last, until the hub has the command's result.
func (b *Box) sweep() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.feeds {
		f.emptied = f.finished && f.empty()
	}
}

// boundFinished drops the oldest of too many feeds that nobody fetches.
func (b *Box) boundFinished() {
	finished := 0
	for _, f := range slices.Backward(b.feeds) {
		if !f.finished {
			continue
		}
		if finished++; finished > maxFinished {
			b.remove(f)
			return
		}
	}
}

func (b *Box) remove(f *Feed) {
	b.feeds = slices.DeleteFunc(b.feeds, func(other *Feed) bool { return other == f })
}

func (b *Box) ring() {
	select {
	case b.bell <- struct{}{}:
	default:
	}
}
