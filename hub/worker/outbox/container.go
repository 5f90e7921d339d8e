package outbox

import (
	"context"
	"errors"
	"slices"

	"berth/core/wire"
)

// A container's log stays with its engine until the hub has all of it. So its lines need not be kept here: what is
// too much waits there, and what the hub turns out not to have is told again from where its log ends.

// ErrAgain says that lines of a container that were told before are to be told first: see Later.
var ErrAgain = errors.New("lines that were told are to be told again")

// Tell adds a line that a container wrote, and how far its log is told then. While as much waits as is kept for a link it
// blocks, until ctx ends, whose error it returns then. After ErrAgain, too, nothing was added.
func (f *Feed) Tell(ctx context.Context, text, to string) error {
	for {
		f.box.mu.Lock()
		room := f.waitFor()
		if room == nil {
			defer f.box.mu.Unlock()
			if f.later != nil {
				return ErrAgain
			}
			f.tell(text, to)
			return nil
		}
		f.box.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// waitFor returns what is closed when there is room; nil when there is, or nothing is to be said.
func (f *Feed) waitFor() <-chan struct{} {
	if f.later != nil || f.bytes < feedBytes/2 {
		return nil
	}
	if f.room == nil {
		f.room = make(chan struct{})
	}
	return f.room
}

func (f *Feed) makeRoom() {
	if f.room != nil {
		close(f.room)
		f.room = nil
	}
}

func (f *Feed) tell(text, to string) {
	if f.chunk.Len() > 0 && f.logTo == "" {
		f.seal()
	}
	f.lines(text)
	f.logTo, f.tells = to, true
}

// Later returns how far a container's log was told, when what comes after that is to be told now, and takes note that
// this begins.
func (f *Feed) Later() (to string, any bool) {
	f.box.mu.Lock()
	defer f.box.mu.Unlock()
	if f.later == nil {
		return "", false
	}
	to, f.later = *f.later, nil
	return to, true
}

// OnAgain has a function called, which must not block, as soon as lines are to be told again; nil ends that. Whoever
// tells may have nothing to say meanwhile.
func (f *Feed) OnAgain(call func()) {
	f.box.mu.Lock()
	defer f.box.mu.Unlock()
	f.rewound = call
	if call != nil && f.later != nil {
		call()
	}
}

// Postpone says that what a container wrote after a position is told later, unless earlier lines are to be anyway.
func (f *Feed) Postpone(to string) {
	f.box.mu.Lock()
	defer f.box.mu.Unlock()
	if f.later == nil {
		f.later = &to
	}
}

// whole reports whether everything after an event is kept, in order.
func (f *Feed) whole(after uint64) bool {
	kept := len(f.waiting)
	for _, e := range f.sent {
		if e.Number > after {
			kept++
		}
	}
	return f.number <= after || uint64(kept) >= f.number-after
}

// rewind drops what is kept of a container's lines after an event, up to which the hub has its log, and has them told
// again. What else was said stays, with new numbers: the hub has none after that of the event.
func (f *Feed) rewind(after uint64, to string) {
	own := slices.DeleteFunc(append(slices.Clone(f.sent), f.waiting...), func(e wire.Event) bool {
		return ofContainer(e) || e.Number <= after
	})
	f.sent, f.kept, f.waiting, f.bytes, f.lost, f.number = nil, 0, own, 0, 0, after
	for i := range own {
		f.number++
		own[i].Number = f.number
		f.bytes += len(own[i].Log)
	}
	f.later, f.finished, f.emptied = &to, false, false
	f.makeRoom()
	if f.rewound != nil {
		f.rewound()
	}
}

func ofContainer(e wire.Event) bool { return e.LogTo != "" }
