package link

import (
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// Pair returns the two ends of a connection in memory, for tests of either end. Like a
// network it buffers a little, can be cut, and can stall; deadlines work under testing/synctest.
func Pair() (a, b *End) {
	ab, ba := newLane(), newLane()
	return &End{in: ba, out: ab}, &End{in: ab, out: ba}
}

// End is one end of a Pair. It implements Conn.
type End struct{ in, out *lane }

// ReadFrame implements Conn.
func (e *End) ReadFrame() ([]byte, error) { return e.in.take() }

// WriteFrame implements Conn.
func (e *End) WriteFrame(frame []byte) error { return e.out.put(frame) }

// SetReadDeadline implements Conn.
func (e *End) SetReadDeadline(t time.Time) error {
	e.in.set(func(l *lane) { l.takeBy = t })
	return nil
}

// SetWriteDeadline implements Conn.
func (e *End) SetWriteDeadline(t time.Time) error {
	e.out.set(func(l *lane) { l.putBy = t })
	return nil
}

// Close implements Conn: the peer reads what was written, then io.EOF.
func (e *End) Close() error {
	e.out.set(func(l *lane) { l.end(os.ErrClosed, io.EOF) })
	e.in.set(func(l *lane) { l.end(syscall.EPIPE, os.ErrClosed) })
	return nil
}

// Cut breaks the connection for both ends, as a reset does: what is under way is lost.
func (e *End) Cut() {
	for _, l := range []*lane{e.in, e.out} {
		l.set(func(l *lane) {
			l.frames, l.bytes, l.stalled = nil, 0, false
			l.end(syscall.ECONNRESET, syscall.ECONNRESET)
		})
	}
}

// Stall holds back what this end writes, as a network does that swallows packets, until
// Stall(false) delivers it. The other direction is not touched.
func (e *End) Stall(on bool) { e.out.set(func(l *lane) { l.stalled = on }) }

// laneBuffer is what a lane holds before writing blocks, like a socket's buffer.
const laneBuffer = 64 << 10

// lane is one direction. Everything in it is guarded by mu.
type lane struct {
	mu            sync.Mutex
	changed       chan struct{} // closed at the next change
	frames        [][]byte
	bytes         int
	stalled       bool
	putBy, takeBy time.Time
	putErr        error // set when the lane has ended
	takeErr       error
}

func newLane() *lane { return &lane{changed: make(chan struct{})} }

func (l *lane) set(change func(*lane)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(l)
	l.signal()
}

func (l *lane) signal() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// end keeps the first errors.
func (l *lane) end(put, take error) {
	if l.putErr == nil {
		l.putErr, l.takeErr = put, take
	}
}

func (l *lane) put(frame []byte) error {
	return l.wait(func() (bool, time.Time, error) {
		if l.putErr != nil {
			return true, time.Time{}, l.putErr
		}
		if l.bytes >= laneBuffer {
			return false, l.putBy, nil
		}
		l.frames = append(l.frames, append([]byte(nil), frame...))
		l.bytes += len(frame)
		return true, time.Time{}, nil
	})
}

func (l *lane) take() (frame []byte, err error) {
	err = l.wait(func() (bool, time.Time, error) {
		if len(l.frames) > 0 && !l.stalled && l.takeErr != os.ErrClosed {
			frame, l.frames = l.frames[0], l.frames[1:]
			l.bytes -= len(frame)
			return true, time.Time{}, nil
		}
		ended := l.takeErr != nil && (!l.stalled || l.takeErr == os.ErrClosed)
		return ended, l.takeBy, l.takeErr
	})
	return frame, err
}

// wait tries step after each change until it is done or its deadline has passed.
func (l *lane) wait(step func() (done bool, by time.Time, err error)) error {
	for {
		l.mu.Lock()
		done, by, err := step()
		if done {
			l.signal()
		}
		changed := l.changed
		l.mu.Unlock()
		if done {
			return err
		}
		if !by.IsZero() && !time.Now().Before(by) {
			return os.ErrDeadlineExceeded
		}
		sleepUntil(by, changed)
	}
}

func sleepUntil(by time.Time, changed <-chan struct{}) {
	if by.IsZero() {
		<-changed
		return
	}
	timer := time.NewTimer(time.Until(by))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-changed:
	}
}
