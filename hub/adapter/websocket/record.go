package websocket

import "encoding/binary"

// headSize is how many bytes a TLS record begins with; the last two of them say how many follow (RFC 8446, section 5.1).
const headSize = 5

// record is how far the reader of a TLS connection is in a record.
type record struct {
	head [headSize]byte
	got  int // bytes of head
	body int // bytes still to come after head
}

// left is how many bytes the header, or what follows it, still has: at least one.
func (r *record) left() int {
	if r.got < headSize {
		return headSize - r.got
	}
	return r.body
}

// pass notes bytes that were read, no more than are left.
func (r *record) pass(b []byte) {
	if r.got == headSize {
		r.body -= len(b)
	} else if r.got += copy(r.head[r.got:], b); r.got == headSize {
		r.body = int(binary.BigEndian.Uint16(r.head[3:]))
	}
	if r.got == headSize && r.body == 0 {
		r.got = 0
	}
}
