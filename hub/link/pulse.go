package link

import (
	"context"
	"sync"
	"time"

	"berth/core/wire"
)

// Pulse sends a worker's heartbeats and measures how long they take to be answered. It
// belongs to one link.
type Pulse struct {
	mu        sync.Mutex
	number    uint64        // of the last heartbeat
	sentAt    time.Time     // of the last heartbeat; zero when it was answered
	roundTrip time.Duration // of the last heartbeat that was answered, waiting in our own queue included; zero before
}

// Run sends a heartbeat at once and then every interval, until ctx ends or the link is
// over, and returns why.
func (p *Pulse) Run(ctx context.Context, l *Link, interval time.Duration) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		if err := l.Send(ctx, p.next()); err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-l.over:
			return ErrOver
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Answered takes note of the hub's answer. An answer to an older heartbeat says nothing.
func (p *Pulse) Answered(ack wire.HeartbeatAck) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ack.Number != p.number || p.sentAt.IsZero() {
		return
	}
	p.roundTrip = time.Since(p.sentAt)
	p.sentAt = time.Time{}
}

func (p *Pulse) next() wire.Heartbeat {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.number++
	p.sentAt = time.Now()
	return wire.Heartbeat{Number: p.number, RoundTripUS: min(p.roundTrip, time.Hour).Microseconds()}
}
