package metrics

import (
	"slices"
	"strings"

	"berth/core"
)

// shared is a family that has a part of each of many workers. The lock of the Cache guards it.
type shared struct {
	name   string
	kind   Type
	header []byte
	chunks []*chunk // by worker; none is empty
	pieces *int     // the Cache's count of what is kept compressed
}

func newShared(name string, kind Type, help string, pieces *int) *shared {
	return &shared{name: name, kind: kind, header: header(name, kind, help), pieces: pieces}
}

// detach gives up what is kept compressed of a chunk that is no part of the family any more. A scrape may
// still be reading it.
func (s *shared) detach(c *chunk) {
	*s.pieces -= c.packed.bytes()
	c.packed, c.apart = nil, true
}

// chunk returns the index of the chunk where a worker's part is, or belongs; -1 when there is none.
func (s *shared) chunk(id core.WorkerID) int {
	i, found := slices.BinarySearchFunc(s.chunks, id, func(c *chunk, id core.WorkerID) int { return strings.Compare(string(c.workers[0]), string(id)) })
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
func (s *shared) spot(id core.WorkerID) spot {
	at := s.chunk(id)
	if at < 0 {
		return spot{}
	}
	part, found := s.chunks[at].find(id)
	return spot{at, part, found}
}

// part returns what a worker reports of the family; nil when that is nothing.
func (s *shared) part(id core.WorkerID) []byte { return s.at(s.spot(id)) }

// at returns what there is at a spot; nil when that is nothing.
func (s *shared) at(at spot) []byte {
	if !at.found {
		return nil
	}
	return s.chunks[at.chunk].part(at.part)
}

// put sets the part of a worker, and reports whether it was another one.
func (s *shared) put(id core.WorkerID, text []byte) (changed bool) {
	return s.set(s.spot(id), id, text)
}

// set is put for whoever knows the spot already.
func (s *shared) set(at spot, id core.WorkerID, text []byte) (changed bool) {
	if len(s.chunks) == 0 {
		s.chunks = []*chunk{{}}
	}
	c := s.chunks[at.chunk]
	if at.found {
		changed = c.replace(at.part, text)
	} else {
		changed = c.insert(at.part, id, text)
	}
	if c.large() {
		a, b := c.halves()
		s.detach(c)
		s.chunks = slices.Replace(slices.Clone(s.chunks), at.chunk, at.chunk+1, a, b)
	}
	return changed
}

// spoil makes what was compressed with the part of a worker unfit to be shown.
func (s *shared) spoil(id core.WorkerID) {
	if at := s.spot(id); at.found {
		c := s.chunks[at.chunk]
		c.gone = c.edits
	}
}

// remove takes the part of a worker away.
func (s *shared) remove(id core.WorkerID) {
	at := s.spot(id)
	if !at.found {
		return
	}
	c := s.chunks[at.chunk]
	c.remove(at.part)
	if len(c.workers) == 0 {
		s.detach(c)
		s.chunks = slices.Delete(slices.Clone(s.chunks), at.chunk, at.chunk+1)
	}
}
