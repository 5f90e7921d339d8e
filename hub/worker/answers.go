package worker

import (
	"context"
	"slices"
	"sync"
	"time"

	"berth/core/wire"
	"berth/hub/worker/journal"
)

// answers is what one link still has to say about commands: which are accepted, and how
// others ended. The reader and running commands add to it and never wait; run sends.
type answers struct {
	commands *commands
	bell     chan struct{} // holds a token when something was added

	mu       sync.Mutex // guards what follows
	accepted []journal.Key
	refused  []wire.Result
	owed     []debt
	sending  bool // next handed out an answer that may not be sent yet
}

// debt is a result that is to be sent on this link.
type debt struct {
	key journal.Key
	due time.Time // it goes then, unless more is being said of its log
}

func newAnswers(c *commands) *answers { return &answers{commands: c, bell: make(chan struct{}, 1)} }

// accept says that a command is on the disk, and how it ended when it has.
func (a *answers) accept(key journal.Key) {
	a.mu.Lock()
	if !slices.Contains(a.accepted, key) {
		a.accepted = append(a.accepted, key)
	}
	a.mu.Unlock()
	if _, ended := a.commands.result(key); ended {
		a.owe(key)
	}
	a.ring()
}

// refuse says that a command will not be done.
func (a *answers) refuse(result wire.Result) {
	a.mu.Lock()
	if len(a.refused) < wire.MaxJournal {
		a.refused = append(a.refused, result)
	} // beyond that the hub sends its commands again on the next link
	a.mu.Unlock()
	a.ring()
}

// owe says that a command has ended.
func (a *answers) owe(keys ...journal.Key) {
	a.mu.Lock()
	for _, key := range keys {
		if !slices.ContainsFunc(a.owed, func(d debt) bool { return d.key == key }) {
			a.owed = append(a.owed, debt{key, time.Now().Add(a.commands.graceOf(key))})
		}
	}
	a.mu.Unlock()
	a.ring()
}

func (a *answers) ring() {
	select {
	case a.bell <- struct{}{}:
	default:
	}
}

// run sends answers until ctx ends or the link is over, and returns why.
func (a *answers) run(ctx context.Context, send func(ctx context.Context, msg any) error) error {
	for {
		msg, wait := a.next(time.Now())
		if msg != nil {
			if err := send(ctx, msg); err != nil {
				return err
			}
			continue
		}
		if err := pause(ctx, a.bell, wait); err != nil {
			return err
		}
	}
}

// next takes the answer that is due. Without one, wait says when to ask again; negative:
// not before the bell rings.
func (a *answers) next(now time.Time) (msg any, wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer func() { a.sending = msg != nil }()
	if len(a.accepted) > 0 {
		key := a.accepted[0]
		a.accepted = a.accepted[1:]
		return wire.Accepted{ID: key.ID, Attempt: key.Attempt}, 0
	}
	if len(a.refused) > 0 {
		result := a.refused[0]
		a.refused = a.refused[1:]
		return result, 0
	}
	return a.nextResult(now)
}

// nextResult takes the oldest result that is due. A result goes after the last lines of
// its log, if those do not take too long.
func (a *answers) nextResult(now time.Time) (msg any, wait time.Duration) {
	wait = -1
	for i := 0; i < len(a.owed); i++ {
		if a.commands.box.Telling(a.owed[i].key) {
			a.owed[i].due = now.Add(a.commands.graceOf(a.owed[i].key))
		}
		d := a.owed[i]
		left := d.due.Sub(now)
		if left > 0 && a.commands.box.Pending(d.key) {
			if wait < 0 || left < wait {
				wait = left
			}
			continue
		}
		a.owed = slices.Delete(a.owed, i, i+1)
		if result, found := a.commands.result(d.key); found {
			return result, 0
		}
		i-- // acknowledged meanwhile
	}
	return nil, wait
}

// idle reports whether everything was handed to the link.
func (a *answers) idle() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.accepted)+len(a.refused)+len(a.owed) == 0 && !a.sending
}

// pause waits for the bell, or for as long as wait says when that is not negative.
func pause(ctx context.Context, bell <-chan struct{}, wait time.Duration) error {
	var due <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-bell:
		return nil
	case <-due:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
