package outbox

import (
	"context"
	"time"

	"berth/core/wire"
)

// Link is what takes the events; *link.Link is one.
type Link interface {
	Send(ctx context.Context, msg any) error
	Flush(ctx context.Context) error
}

// Run sends what is due over a link until ctx ends or the link fails, and returns why.
// An event that was not taken waits for the next link. emptied is called after the last
// event of a finished command was written.
func (b *Box) Run(ctx context.Context, link Link, emptied func()) error {
	for {
		feed, event, wait := b.next(time.Now())
		if feed == nil {
			if err := b.tell(ctx, link, emptied); err != nil {
				return err
			}
			if err := b.pause(ctx, wait); err != nil {
				return err
			}
			continue
		}
		err := link.Send(ctx, event)
		taken := err == nil || wire.Violation(err) // what can never be sent must not stay
		if b.landed(feed, taken); !taken {
			return err
		}
		if err := b.tell(ctx, link, emptied); err != nil {
			return err
		}
	}
}

// tell calls emptied when a command has ended and everything of it was written.
func (b *Box) tell(ctx context.Context, link Link, emptied func()) error {
	if !b.ended() {
		return nil
	}
	if err := link.Flush(ctx); err != nil {
		return err
	}
	b.sweep()
	emptied()
	return nil
}

// pause waits for the bell, or for as long as wait says when that is not negative.
func (b *Box) pause(ctx context.Context, wait time.Duration) error {
	var due <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-b.bell:
		return nil
	case <-due:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
