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
	leastPacked = 4 << 10          // a smaller chunk is not worth a piece of its own
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
	edits  uint64 // of the chunk when it was packed, as gone
	gone   uint64
	at     time.Time
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

// pack compresses text, when it is longer than least, and adds the blocks to to.
func pack(to, text []byte, least int) []byte {
	if len(text) <= least {
		return store(to, text)
	}
	out := appender(to)
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&out)
	_, _ = w.Write(text) // an appender takes everything
	_ = w.Flush()
	return out
}

// store adds text to to as a block that is not compressed.
func store(to, text []byte) []byte {
	to = append(to, 0)
	to = binary.LittleEndian.AppendUint16(to, uint16(len(text)))
	to = binary.LittleEndian.AppendUint16(to, ^uint16(len(text)))
	return append(to, text...)
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
	loose *[]byte // text that is not compressed yet
	made  *[]byte // what was made of such text for this exposition
	least int     // of loose text, to be compressed
	crc   uint32
	size  uint32
}

// newZipped writes an exposition of about so many bytes.
func newZipped(c *Cache, to io.Writer, size int) *zipped {
	z := &zipped{cache: c, out: newPlain(c, to), loose: buffers.Get().(*[]byte), made: buffers.Get().(*[]byte), least: mostStored}
	if size >= veryLarge {
		z.least = muchStored
	}
	_ = z.out.add(gzipHeader) // notes it, which cannot fail
	return z
}

func (z *zipped) add(text []byte) error {
	*z.loose = append(*z.loose, text...)
	return z.flush(piece)
}

func (z *zipped) copy(c *chunk) error {
	blocks := z.cache.pack(c, packedAge, z.loose)
	if blocks == nil { // too small: its text is loose now
		return z.flush(piece)
	}
	if err := z.flush(1); err != nil {
		return err
	}
	z.crc, z.size = joinCRC(z.crc, blocks.crc, blocks.shift), z.size+uint32(blocks.size)
	return z.out.add(blocks.blocks)
}

// flush compresses what is loose when it is as much as that.
func (z *zipped) flush(least int) error {
	text := *z.loose
	if len(text) < least {
		return nil
	}
	z.crc, z.size = crc32.Update(z.crc, crc32.IEEETable, text), z.size+uint32(len(text))
	from := len(*z.made)
	*z.made = pack(*z.made, text, z.least)
	*z.loose = text[:0]
	return z.out.add((*z.made)[from:])
}

func (z *zipped) close(err error) error {
	defer giveBack(z.loose)
	defer giveBack(z.made)
	if err == nil {
		err = z.flush(1)
	}
	end := binary.LittleEndian.AppendUint32(append([]byte(nil), lastBlock...), z.crc)
	_ = z.out.add(binary.LittleEndian.AppendUint32(end, z.size))
	return z.out.close(err)
}
