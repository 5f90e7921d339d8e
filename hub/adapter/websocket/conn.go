package websocket

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	ws "golang.org/x/net/websocket"

	"berth/core/fault"
	"berth/core/wire"
	"berth/hub/link"
)

const (
	pongTimeout  = 10 * time.Second
	closeTimeout = time.Second
	normalClose  = 1000 // RFC 6455, section 7.4.1
	maxControl   = 125  // bytes of a control frame, RFC 6455, section 5.5
	maxPings     = 100  // control frames between two messages
	smallFrame   = 64 << 10
)

// conn implements link.Conn. It reads and answers WebSocket frames itself, because the
// library's Receive drains oversized frames, takes a frame that the peer broke off for a
// whole one, passes fragments on as messages, and answers pings without a deadline.
type conn struct {
	socket  *ws.Conn
	raw     net.Conn      // what socket runs over
	in      *bufio.Reader // what socket reads from; nil: it is not known
	patient *Patient      // below raw; nil: ReadFrame waits by itself

	writing sync.Mutex // held while one frame, pong or close is written
	writeBy atomic.Pointer[time.Time]
	closing sync.Once
}

func newConn(socket *ws.Conn, raw net.Conn) *conn {
	c := &conn{socket: socket, raw: raw}
	c.writeBy.Store(new(time.Time))
	_ = boundUnsent(raw) // without it slow links are worse off, and still work
	return c
}

// ReadFrame implements link.Conn.
func (c *conn) ReadFrame() ([]byte, error) { return c.read(func() bool { return true }) }

// ReadBegun implements link.Patient.
func (c *conn) ReadBegun() ([]byte, error) {
	if c.patient == nil {
		return c.ReadFrame()
	}
	return c.read(c.begun)
}

// read reads the next frame, as long as begun says so.
func (c *conn) read(begun func() bool) ([]byte, error) {
	for range maxPings {
		if !begun() {
			return nil, link.ErrNothing
		}
		head, payload, err := c.readHead()
		if err != nil {
			return nil, err
		}
		switch head.opcode {
		case ws.TextFrame, ws.BinaryFrame:
			return readPayload(payload, head.size)
		case ws.CloseFrame:
			return nil, io.EOF
		case ws.PingFrame, ws.PongFrame:
			if err := c.answerControl(head, payload); err != nil {
				return nil, err
			}
		default:
			return nil, violation("a WebSocket frame is a fragment or of an unknown kind")
		}
	}
	return nil, violation("more WebSocket pings than messages arrive")
}

// begun reports whether something of a frame has come, or what reading it will tell.
func (c *conn) begun() bool {
	c.patient.eager = true
	_, err := c.in.Peek(1)
	c.patient.eager = false
	return !errors.Is(err, errNothing)
}

// Wait implements link.Patient.
func (c *conn) Wait() error { return c.patient.wait() }

// head is the beginning of a WebSocket frame, RFC 6455, section 5.2.
type head struct {
	opcode byte
	size   int
}

func (c *conn) readHead() (head, io.Reader, error) {
	frame, err := c.socket.NewFrameReader()
	if err != nil {
		return head{}, nil, err
	}
	var bits [14]byte
	if _, err := frame.HeaderReader().Read(bits[:]); err != nil {
		return head{}, nil, err
	}
	const fin, reserved, masked = 0x80, 0x70, 0x80
	opcode, size := bits[0]&0x0f, payloadSize(bits)
	limit := uint64(wire.MaxFrame)
	if opcode >= ws.CloseFrame {
		limit = maxControl
	}
	switch {
	case bits[0]&fin == 0 || bits[0]&reserved != 0:
		return head{}, nil, violation("a WebSocket frame is a fragment or uses an extension")
	case (bits[1]&masked != 0) != c.socket.IsServerConn():
		return head{}, nil, violation("a WebSocket frame is masked wrongly")
	case size > limit:
		return head{}, nil, fault.New(fault.TooLarge, wire.CodeFrameTooLarge,
			"a WebSocket frame is larger than %d bytes; the link is closed", limit)
	}
	return head{opcode, int(size)}, frame, nil
}

// payloadSize reads the length itself: the library's own is an int, too small on some hosts.
func payloadSize(bits [14]byte) uint64 {
	switch short := bits[1] & 0x7f; short {
	case 126:
		return uint64(binary.BigEndian.Uint16(bits[2:]))
	case 127:
		return binary.BigEndian.Uint64(bits[2:])
	default:
		return uint64(short)
	}
}

func violation(problem string) error {
	return fault.New(fault.Malformed, wire.CodeMalformed, "%s; the link is closed", problem)
}

// readPayload takes memory for a large frame only as its bytes arrive.
func readPayload(r io.Reader, size int) ([]byte, error) {
	if size <= smallFrame {
		frame := make([]byte, size)
		_, err := io.ReadFull(r, frame)
		return frame, brokenOff(err)
	}
	var frame bytes.Buffer
	frame.Grow(smallFrame)
	_, err := io.CopyN(&frame, r, int64(size))
	return frame.Bytes(), brokenOff(err)
}

func brokenOff(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (c *conn) answerControl(h head, payload io.Reader) error {
	data, err := readPayload(payload, h.size)
	if err != nil || h.opcode == ws.PongFrame {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.raw.SetWriteDeadline(time.Now().Add(pongTimeout))
	w, err := c.socket.NewFrameWriter(ws.PongFrame)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// WriteFrame implements link.Conn.
func (c *conn) WriteFrame(frame []byte) error {
	if len(frame) > wire.MaxFrame {
		return fault.New(fault.TooLarge, wire.CodeFrameTooLarge,
			"a frame of %d bytes cannot be sent, the limit is %d", len(frame), wire.MaxFrame)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.raw.SetWriteDeadline(*c.writeBy.Load())
	return ws.Message.Send(c.socket, frame)
}

// SetReadDeadline implements link.Conn.
func (c *conn) SetReadDeadline(t time.Time) error { return c.raw.SetReadDeadline(t) }

// SetWriteDeadline implements link.Conn.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.writeBy.Store(&t)
	return nil
}

// Close implements link.Conn. It says goodbye when the connection is free to, and breaks
// it when a write is stuck: a close alert of TLS alone would wait five seconds.
func (c *conn) Close() error {
	c.closing.Do(func() {
		if c.sayClose() {
			c.raw.Close()
			return
		}
		if over, is := c.raw.(*tls.Conn); is {
			over.NetConn().Close()
		}
		c.raw.Close()
	})
	return nil
}

func (c *conn) sayClose() bool {
	if !c.writing.TryLock() {
		return false
	}
	defer c.writing.Unlock()
	c.raw.SetWriteDeadline(time.Now().Add(closeTimeout))
	return c.socket.WriteClose(normalClose) == nil
}
