package link

import (
	"errors"
	"time"
)

// ErrNothing is what ReadBegun returns when no frame has begun to arrive.
var ErrNothing = errors.New("no frame has begun to arrive")

// Patient is a Conn for an end with many links, where whoever waits for a frame should have little stack.
type Patient interface {
	Conn
	// ReadBegun is ReadFrame, but does not wait for a frame to begin: it may return ErrNothing instead, after which
	// the connection is as good as before.
	ReadBegun() ([]byte, error)
	// Wait returns when ReadBegun should be called again; that a frame has begun is no promise. It fails as ReadFrame does.
	Wait() error
}

// Conn moves whole frames. One goroutine reads and another one writes; Close and the
// deadlines may be used from any.
type Conn interface {
	// ReadFrame returns the next whole frame of at most wire.MaxFrame bytes, which the caller then
	// owns. io.EOF means that the peer closed in order. A larger frame is a fault for which
	// wire.Violation is true. After any error the connection is of no more use.
	ReadFrame() ([]byte, error)
	// WriteFrame sends one frame. It does not keep frame. After an error the connection
	// is of no more use.
	WriteFrame(frame []byte) error
	// SetReadDeadline makes ReadFrame fail with os.ErrDeadlineExceeded after t; the zero time means never.
	SetReadDeadline(t time.Time) error
	// SetWriteDeadline does the same for calls of WriteFrame that begin later.
	SetWriteDeadline(t time.Time) error
	// Close ends both directions at once and unblocks ReadFrame and WriteFrame. It does
	// not wait for a slow peer. Closing twice is no error.
	Close() error
}
