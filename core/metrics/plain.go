package metrics

import (
	"bufio"
	"io"
)

// Sizes in bytes of what is sent at once: a piece that is as long as large goes as it is, neighbours that are shorter
// are joined, because the system takes longer to take many of them than to copy those.
const (
	piece = 64 << 10
	large = 4 << 10
)

// Sized is a writer that wants to be told, before the first byte, how many will come. It spares
// the chunked coding of an HTTP answer.
type Sized interface {
	Size(bytes int)
}

// Gathering is a writer that takes an exposition as the pieces that it lies in. The list is the writer's, who reads
// the pieces until it returns and changes none. It spares copies, and a call of the system for each.
type Gathering interface {
	WriteParts(parts [][]byte) error
}

// shelf keeps what a few scrapes need, for the next ones: a sync.Pool would lose it between two scrapes, and a scrape
// would wait for fresh memory.
type shelf[T any] chan *[]T

var (
	buffers = make(shelf[byte], 4)
	lists   = make(shelf[[]byte], 4) // of the pieces of an exposition
)

// mostKept is how many elements of a list are kept at the most.
const mostKept = 256 << 10

// take returns an empty list.
func (s shelf[T]) take() *[]T {
	select {
	case l := <-s:
		return l
	default:
		return new([]T)
	}
}

// giveBack takes a list back, unless it became very large or there are enough.
func (s shelf[T]) giveBack(l *[]T) {
	if cap(*l) > mostKept {
		return
	}
	clear(*l)
	*l = (*l)[:0]
	select {
	case s <- l:
	default:
	}
}

// plain writes an exposition as it is: first it notes the pieces, none of which changes any more, then it
// knows how long they are together and sends them.
type plain struct {
	cache *Cache
	to    io.Writer
	parts *[][]byte
	short *[]byte // pieces that were joined
	from  int     // of short: where those begin that are in no part yet
	size  int
}

func newPlain(c *Cache, to io.Writer) *plain {
	return &plain{cache: c, to: to, parts: lists.take(), short: buffers.take()}
}

func (p *plain) add(text []byte) {
	p.size += len(text)
	if len(text) < large {
		*p.short = append(*p.short, text...)
		return
	}
	p.part()
	*p.parts = append(*p.parts, text)
}

// part makes a part of the short pieces that were joined since the last one.
func (p *plain) part() {
	if joined := (*p.short)[p.from:]; len(joined) > 0 {
		*p.parts, p.from = append(*p.parts, joined), len(*p.short)
	}
}

func (p *plain) copy(r run) {
	p.cache.mu.RLock()
	defer p.cache.mu.RUnlock()
	for _, c := range r.chunks {
		text := c.text
		if len(text) >= large { // what is shorter is copied right away
			text = c.show()
		}
		p.add(text)
	}
}

func (p *plain) close(err error) error {
	defer lists.giveBack(p.parts)
	defer buffers.giveBack(p.short)
	if err != nil || p.size == 0 {
		return err
	}
	p.part()
	if sized, wants := p.to.(Sized); wants {
		sized.Size(p.size)
	}
	if len(*p.parts) == 1 {
		_, err := p.to.Write((*p.parts)[0])
		return err
	}
	if gathering, can := p.to.(Gathering); can {
		return gathering.WriteParts(*p.parts)
	}
	joined := bufio.NewWriterSize(p.to, piece)
	for _, part := range *p.parts {
		if _, err := joined.Write(part); err != nil {
			return err
		}
	}
	return joined.Flush()
}
