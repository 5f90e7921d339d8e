package worker

import (
	"context"
	"sync"
	"time"
	"unicode/utf8"
)

// Live logs go in pieces of this size, or whatever there is after this time.
const (
	replyBytes = 32 << 10
	replyAfter = 50 * time.Millisecond
)

// chunker gathers what an engine writes into pieces that are worth a frame. A character
// is never cut in two. Write blocks while the link is slow, which holds the engine back.
type chunker struct {
	send func(data string) error

	mu     sync.Mutex // guards what follows; held while sending, to keep the order
	buffer []byte
	err    error // why nothing can be sent any more
}

func newChunker(send func(data string) error) *chunker { return &chunker{send: send} }

// Write implements io.Writer.
func (c *chunker) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := 0
	for taken < len(p) && c.err == nil {
		n := min(len(p)-taken, replyBytes-len(c.buffer))
		c.buffer = append(c.buffer, p[taken:taken+n]...)
		taken += n
		if len(c.buffer) == replyBytes {
			c.flush(wholeRunes(c.buffer))
		}
	}
	return taken, c.err
}

// run sends what is gathered every now and then, until ctx ends.
func (c *chunker) run(ctx context.Context) {
	for pause(ctx, nil, replyAfter) == nil {
		c.mu.Lock()
		c.flush(wholeRunes(c.buffer))
		c.mu.Unlock()
	}
}

// end sends the rest.
func (c *chunker) end() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flush(len(c.buffer))
	return c.err
}

func (c *chunker) flush(n int) {
	if n == 0 || c.err != nil {
		return
	}
	c.err = c.send(string(c.buffer[:n]))
	c.buffer = append(c.buffer[:0], c.buffer[n:]...)
}

// wholeRunes returns how many bytes of b end with a whole character. Bytes that are no
// UTF-8 at all are not held back.
func wholeRunes(b []byte) int {
	for back := 1; back <= min(utf8.UTFMax, len(b)); back++ {
		if at := len(b) - back; utf8.RuneStart(b[at]) {
			if !utf8.FullRune(b[at:]) {
				return at
			}
			break
		}
	}
	return len(b)
}
