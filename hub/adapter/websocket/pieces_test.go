package websocket

import (
	"bytes"
	"errors"
	"net"
	"testing"
)

// pieces keeps what is written, and has room for so many bytes.
type pieces struct {
	net.Conn
	got  [][]byte
	room int
}

var errNoRoom = errors.New("no room")

func (c *pieces) Write(p []byte) (int, error) {
	n := min(len(p), c.room)
	c.room -= n
	c.got = append(c.got, bytes.Clone(p[:n]))
	if n < len(p) {
		return n, errNoRoom
	}
	return n, nil
}

func TestAWorkerWritesInSmallPieces(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 1000)
	for room, want := range map[int]error{len(content): nil, 2*maxPiece + 1: errNoRoom, 0: errNoRoom} {
		c := &pieces{room: room}
		n, err := inPieces{c}.Write(content)
		if n != room || err != want || !bytes.Equal(bytes.Join(c.got, nil), content[:room]) {
			t.Errorf("with room for %d bytes %d were written, %v", room, n, err)
		}
		for _, piece := range c.got {
			if len(piece) > maxPiece {
				t.Errorf("a piece has %d bytes", len(piece))
			}
		}
	}
	if n, err := (inPieces{&pieces{}}).Write(nil); n != 0 || err != nil {
		t.Errorf("nothing was written as %d bytes, %v", n, err)
	}
}
