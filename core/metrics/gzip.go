package metrics

import (
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"
	"time"
)

// A compressed exposition is one gzip member (RFC 1952): one stream of deflate blocks (RFC 1951), of
// which those of large chunks were made earlier and are only copied. Every piece of it ends at a byte
// and refers to nothing before it, so pieces can be joined.
const (
	leastGzip   = 32 << 10         // a smaller exposition is sent as it is
	leastPacked = 4 << 10          // a smaller family is not worth pieces of its own
	mostStored  = 1 << 10          // so little is not worth compressing
	muchStored  = 32 << 10         // nor this, beside veryLarge
	veryLarge   = 256 << 10        // of an exposition: a few more bytes of it matter less than the time to compress them
	packedAge   = 10 * time.Second // how old values in a compressed exposition may be
)

var (
	gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff} // no name, no time, made fast
	lastBlock  = []byte{3, 0}                                  // empty, the last
)

// Compressed reports whether an exposition that begins like this is compressed. No other begins so.
func Compressed(first []byte) bool {
	return len(first) >= 2 && first[0] == gzipHeader[0] && first[1] == gzipHeader[1]
}

// packed is a text as deflate blocks.
type packed struct {
	blocks []byte
	crc    uint32 // of the text
	shift  uint32 // what joins crc to that of what stands before: see shiftCRC
	size   int    // of the text
	edits  uint64 // of the chunk or family when it was packed, as gone
	gone   uint64
	at     time.Time // since when it may be behind
	behind bool      // of a family: a chunk had changed already when it was packed, see pack
}

// append adds the blocks of another text, which follows.
func (p *packed) append(next *packed) {
	p.crc = joinCRC(p.crc, next.crc, next.shift)
	p.blocks, p.size = append(p.blocks, next.blocks...), p.size+next.size
	p.shift = timesCRC(p.shift, next.shift)
}

// bytes returns how much memory p takes.
func (p *packed) bytes() int {
	if p == nil {
		return 0
	}
	return cap(p.blocks)
}

var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant that exists
	}
	return w
}}

// pack compresses text and adds the blocks to to.
func pack(to, text []byte) []byte {
	out := appender(to)
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&out)
	_, _ = w.Write(text) // an appender takes everything
	_ = w.Flush()
	return out
}

// noHead is room for the head of a block that is not compressed.
var noHead = make([]byte, 5)

// store makes such a block of text that stands after room for its head.
func store(block []byte) {
	size := uint16(len(block) - len(noHead))
	block[0] = 0
	binary.LittleEndian.PutUint16(block[1:], size)
	binary.LittleEndian.PutUint16(block[3:], ^size)
}

// appender is a slice that grows as it is written to.
type appender []byte

// Write appends.
func (a *appender) Write(p []byte) (int, error) {
	*a = append(*a, p...)
	return len(p), nil
}

// zipped writes an exposition compressed.
type zipped struct {
	cache *Cache
	out   *plain
	now   time.Time
	made  *[]byte // blocks of this exposition alone, and text that is in none yet
	from  int     // of made: where the head of the next block has room, before the text of it
	least int     // of text, to be compressed
	crc   uint32
	size  uint32
}

// newZipped writes an exposition of about so many bytes.
func newZipped(c *Cache, to io.Writer, size int) *zipped {
	z := &zipped{cache: c, out: newPlain(c, to), now: c.now(), made: buffers.take(), least: mostStored}
	if size >= veryLarge {
		z.least = muchStored
	}
	z.out.add(gzipHeader)
	z.begin()
	return z
}

// begin begins the next block.
func (z *zipped) begin() {
	z.from = len(*z.made)
	*z.made = append(*z.made, noHead...)
}

func (z *zipped) add(text []byte) {
	*z.made = append(*z.made, text...)
	z.flush(piece)
}

func (z *zipped) copy(r run) {
	packed := z.cache.pack(r.of, z.now, packedAge)
	if packed == nil {
		z.copyShort(r)
		return
	}
	z.flush(1)
	z.crc, z.size = joinCRC(z.crc, packed.crc, packed.shift), z.size+uint32(packed.size)
	z.out.add(packed.blocks)
}

// copyShort takes a family that is too small for blocks of its own.
func (z *zipped) copyShort(r run) {
	z.cache.mu.RLock()
	for _, chunk := range r.chunks {
		*z.made = append(*z.made, chunk.text...)
	}
	z.cache.mu.RUnlock()
	z.flush(piece)
}

// flush ends the block when it has as much text as that.
func (z *zipped) flush(least int) {
	block := (*z.made)[z.from:]
	text := block[len(noHead):]
	if len(text) < least {
		return
	}
	z.crc, z.size = crc32.Update(z.crc, crc32.IEEETable, text), z.size+uint32(len(text))
	if len(text) > z.least {
		before := len(*z.made)
		*z.made = pack(*z.made, text)
		block = (*z.made)[before:]
	} else {
		store(block)
	}
	z.begin()
	z.out.add(block)
}

func (z *zipped) close(err error) error {
	defer buffers.giveBack(z.made)
	if err == nil {
		z.flush(1)
	}
	end := binary.LittleEndian.AppendUint32(append([]byte(nil), lastBlock...), z.crc)
	z.out.add(binary.LittleEndian.AppendUint32(end, z.size))
	return z.out.close(err)
}
