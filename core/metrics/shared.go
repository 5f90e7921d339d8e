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

// find returns where the part of a worker is.
func (s *shared) find(id core.WorkerID) (c *chunk, i int, found bool) {
	at := s.chunk(id)
	if at < 0 {
		return nil, 0, false
	}
	i, found = s.chunks[at].find(id)
	return s.chunks[at], i, found
}

// part returns what a worker reports of the family; nil when that is nothing.
func (s *shared) part(id core.WorkerID) []byte {
	c, i, found := s.find(id)
	if !found {
		return nil
	}
	return c.part(i)
}

// put sets the part of a worker, and reports whether it was another one.
func (s *shared) put(id core.WorkerID, text []byte) (changed bool) {
	at := s.chunk(id)
	if at < 0 {
		at, s.chunks = 0, []*chunk{{}}
	}
	c := s.chunks[at]
	if i, found := c.find(id); found {
		changed = c.replace(i, text)
	} else {
		changed = c.insert(i, id, text)
	}
	if c.large() {
		a, b := c.halves()
		s.detach(c)
		s.chunks = slices.Replace(slices.Clone(s.chunks), at, at+1, a, b)
	}
	return changed
}

// spoil makes what was compressed with the part of a worker unfit to be shown.
func (s *shared) spoil(id core.WorkerID) {
	if c, _, found := s.find(id); found {
		c.gone = c.edits
	}
}

// remove takes the part of a worker away.
func (s *shared) remove(id core.WorkerID) {
	at := s.chunk(id)
	if at < 0 {
		return
	}
	c := s.chunks[at]
	if i, found := c.find(id); found {
		c.remove(i)
	}
	if len(c.workers) == 0 {
		s.detach(c)
		s.chunks = slices.Delete(slices.Clone(s.chunks), at, at+1)
	}
}
