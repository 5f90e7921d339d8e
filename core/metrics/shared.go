package metrics

import (
	"cmp"
	"slices"
)

// shared is a family that has a part of each of many workers. The lock of the Cache guards it.
type shared struct {
	of     *Cache // which counts what is kept
	name   string
	kind   Type
	head   head
	chunks []*chunk // by worker; none is empty
	size   int      // bytes of all chunks
	edits  uint64   // how often something of it changed
	gone   uint64   // edits after which what was there before must not be shown any more
	packed *packed  // all chunks as they were compressed last; nil: not yet, or there is no room for it
	ended  bool     // nobody reports it any more
}

func newShared(of *Cache, name string, kind Type, help string) *shared {
	return &shared{of: of, name: name, kind: kind, head: newHead(name, kind, help)}
}

// run is the family as a scrape writes it.
func (s *shared) run() run { return run{name: s.name, head: s.head, of: s, chunks: s.chunks} }

// become changes which chunks there are.
func (s *shared) become(chunks []*chunk) {
	s.chunks = chunks
	s.edits++
	s.of.shape++
}

// grow counts bytes that came, or went when they are fewer than none.
func (s *shared) grow(bytes int) {
	s.size += bytes
	s.of.text += bytes
}

// forget gives up what is kept compressed of a family that is none any more. A scrape may still be reading it.
func (s *shared) forget() {
	s.of.pieces -= s.packed.bytes()
	s.packed, s.ended = nil, true
}

// chunk returns the index of the chunk where a worker's part is, or belongs; -1 when there is none.
func (s *shared) chunk(w rank) int {
	i, found := slices.BinarySearchFunc(s.chunks, w, func(c *chunk, w rank) int { return cmp.Compare(c.workers[0], w) })
	if found || i == 0 && len(s.chunks) > 0 {
		return i
	}
	return i - 1
}

// spot is where the part of a worker is in a family, or belongs, until the family changes.
type spot struct {
	chunk int // of the family
	part  int // of the chunk
	found bool
}

// spot returns where the part of a worker is, or belongs.
func (s *shared) spot(w rank) spot {
	at := s.chunk(w)
	if at < 0 {
		return spot{}
	}
	part, found := s.chunks[at].find(w)
	return spot{at, part, found}
}

// part returns what a worker reports of the family; nil when that is nothing.
func (s *shared) part(w rank) []byte { return s.at(s.spot(w)) }

// at returns what there is at a spot; nil when that is nothing.
func (s *shared) at(at spot) []byte {
	if !at.found {
		return nil
	}
	return s.chunks[at.chunk].part(at.part)
}

// put sets the part of a worker, and reports whether it was another one.
func (s *shared) put(w rank, text []byte) (changed bool) {
	return s.set(s.spot(w), w, text)
}

// set is put for whoever knows the spot already.
func (s *shared) set(at spot, w rank, text []byte) (changed bool) {
	if len(s.chunks) == 0 {
		s.become([]*chunk{{}})
	}
	c := s.chunks[at.chunk]
	before := len(c.text)
	if at.found {
		changed = c.replace(at.part, text)
	} else {
		changed = c.insert(at.part, w, text)
	}
	s.grow(len(c.text) - before)
	if changed {
		s.edits++
	}
	if c.large() {
		a, b := c.halves()
		s.become(slices.Replace(slices.Clone(s.chunks), at.chunk, at.chunk+1, a, b))
	}
	return changed
}

// spoil makes what was compressed with the part of a worker unfit to be shown.
func (s *shared) spoil(w rank) {
	if at := s.spot(w); at.found {
		c := s.chunks[at.chunk]
		c.gone, s.gone = c.edits, s.edits
	}
}

// remove takes the part of a worker away.
func (s *shared) remove(w rank) {
	at := s.spot(w)
	if !at.found {
		return
	}
	c := s.chunks[at.chunk]
	s.grow(-len(c.part(at.part)))
	c.remove(at.part)
	s.edits++
	s.gone = s.edits
	if len(c.workers) == 0 {
		s.become(slices.Delete(slices.Clone(s.chunks), at.chunk, at.chunk+1))
	}
}
