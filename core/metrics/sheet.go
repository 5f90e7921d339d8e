package metrics

import (
	"slices"
	"sync"
)

// sheet holds the families of server and workers as they are joined in an exposition. A scrape looks at what
// turned since the one before, not at all of them.
type sheet struct {
	own     *Own
	workers *Cache

	mu     sync.Mutex
	joined []run  // guarded by mu: by name; nil: not yet, or another family of own has series now
	places []int  // guarded by mu: where each family of own is in joined; none: it has no series
	shape  uint64 // guarded by mu: of workers, when they were joined
}

// none is the place of a family that has no series.
const none = -1

// sheets are lists of runs that are used again.
var sheets = make(shelf[run], 4)

// runs returns all families as they are now. They are the caller's, until it gives them back.
func (s *sheet) runs() *[]run {
	s.own.look()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own.turned.take(s.turn)
	s.workers.mu.RLock()
	defer s.workers.mu.RUnlock()
	if s.joined == nil || s.shape != s.workers.shape {
		s.join()
	}
	runs := sheets.take()
	*runs = append(*runs, s.joined...)
	return runs
}

// say sets the server's own series.
func (r *run) say(text []byte) { r.text, r.whole = text, slices.Concat(r.head.text, text) }

// turn brings one family of own up to date. The caller holds mu.
func (s *sheet) turn(place int) {
	if s.joined == nil {
		return
	}
	f, at := s.own.all[place].family(), s.places[place]
	switch {
	case (at == none) != (f.Series == 0):
		s.joined = nil
	case at != none:
		s.joined[at].say(f.Text)
	}
}

// join joins what is sorted. Of a family that both have, the server's series come first. The caller holds mu and
// that of the workers.
func (s *sheet) join() {
	s.shape, s.joined, s.places = s.workers.shape, make([]run, 0, len(s.own.all)+len(s.workers.names)), make([]int, len(s.own.all))
	left := s.workers.names
	for place, v := range s.own.all {
		f := v.family()
		if s.places[place] = none; f.Series == 0 {
			continue
		}
		for len(left) > 0 && left[0] < f.Name {
			s.joined, left = append(s.joined, s.workers.families[left[0]].run()), left[1:]
		}
		r := run{name: f.Name, head: v.head, global: v.global}
		r.say(f.Text)
		if len(left) > 0 && left[0] == f.Name {
			r.of, left = s.workers.families[left[0]], left[1:]
			r.chunks = r.of.chunks
		}
		s.places[place] = len(s.joined)
		s.joined = append(s.joined, r)
	}
	for _, name := range left {
		s.joined = append(s.joined, s.workers.families[name].run())
	}
}
