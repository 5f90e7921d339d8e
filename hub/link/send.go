package link

import (
	"context"
	"fmt"

	"berth/core/wire"
)

// Send queues msg, and blocks while its queue is full, until there is room, ctx ends or
// the link is over. Queued is not delivered: a link may end with messages unsent, and what
// must arrive is repeated on the next one. An error of wire.Encode leaves the link as it is.
func (l *Link) Send(ctx context.Context, msg any) error {
	frame, err := l.encode(msg)
	if err != nil {
		return err
	}
	q := l.queueFor(msg)
	return l.await(ctx, func() bool { return l.push(q, frame) })
}

// TrySend queues msg when there is room now, and reports whether it did. It is for what may
// be dropped: log chunks, snapshots.
func (l *Link) TrySend(msg any) bool {
	frame, err := l.encode(msg)
	if err != nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.ended && l.push(l.queueFor(msg), frame)
}

// Flush blocks until everything that was queued before the call has been written to
// the connection, ctx ends or the link is over. Use it before closing on purpose.
func (l *Link) Flush(ctx context.Context) error {
	l.mu.Lock()
	control, bulk := l.control.pushed, l.bulk.pushed
	l.mu.Unlock()
	return l.await(ctx, func() bool { return l.control.sent >= control && l.bulk.sent >= bulk })
}

func (l *Link) encode(msg any) ([]byte, error) {
	if !l.options.Side.maySend(msg) {
		return nil, wire.WrongDirection(msg)
	}
	return wire.Encode(msg)
}

func (l *Link) queueFor(msg any) *queue {
	if wire.Control(msg) {
		return &l.control
	}
	return &l.bulk
}

// push is called under the lock.
func (l *Link) push(q *queue, frame []byte) bool {
	if !q.push(frame) {
		return false
	}
	l.startWriter()
	return true
}

// await tries done, under the lock, now and after every frame that was written.
func (l *Link) await(ctx context.Context, done func() bool) error {
	for {
		finished, progress, err := l.try(done)
		if finished || err != nil {
			return err
		}
		select {
		case <-progress:
		case <-l.over:
		case <-ctx.Done():
			return fmt.Errorf("the link is busy: %w", context.Cause(ctx))
		}
	}
}

// try returns what to wait for when done is not true yet.
func (l *Link) try(done func() bool) (finished bool, progress <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return false, nil, ErrOver
	}
	if done() {
		return true, nil, nil
	}
	if l.progress == nil {
		l.progress = make(chan struct{})
	}
	return false, l.progress, nil
}
