package link

import "time"

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
