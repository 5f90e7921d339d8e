package link

import (
	"context"
	"time"
)

// pace slows a reader down to a rate of frames, with a burst of two seconds' worth. It
// belongs to one goroutine.
type pace struct {
	interval time.Duration // between frames in the long run
	burst    time.Duration // how far ahead of that a peer may get
	due      time.Time     // when the frames so far would have arrived at the rate
}

func newPace(perSecond int) *pace {
	return &pace{interval: time.Second / time.Duration(perSecond), burst: 2 * time.Second}
}

// wait counts one frame, and sleeps when the peer is too far ahead.
func (p *pace) wait(ctx context.Context) error {
	now := time.Now()
	if p.due.Before(now) {
		p.due = now
	}
	p.due = p.due.Add(p.interval)
	ahead := p.due.Sub(now) - p.burst
	if ahead <= 0 {
		return nil
	}
	timer := time.NewTimer(ahead)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
