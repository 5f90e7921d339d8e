package hub

import (
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/repositories"
)

// However few repositories there is room for at a time, each gets its turn before any gets
// a second one; those that somebody asked for go first.
func TestNoRepositoryIsPassedOverForEver(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := newSchedule(time.Second)
	var all []repositories.Repository
	for _, id := range []core.RepositoryID{"a", "b", "c", "d", "e"} {
		all = append(all, repositories.Repository{ID: id})
	}
	s.know(all, now)
	var looked []core.RepositoryID
	for range 10 { // every look takes longer than the interval, and there is room for one
		id := s.known[s.dueNow(now)[0]].ID
		looked = append(looked, id)
		s.looked(id, now)
		now = now.Add(2 * time.Second)
	}
	if want := []core.RepositoryID{"a", "b", "c", "d", "e", "a", "b", "c", "d", "e"}; !slices.Equal(looked, want) {
		t.Errorf("looked at %v", looked)
	}
	s.known[3].AskedAt = now
	if due := s.dueNow(now); len(due) != 5 || due[0] != 3 {
		t.Errorf("due are %v, the asked one is 3", due)
	}
	for _, r := range s.known {
		s.looked(r.ID, now)
	}
	if due := s.dueNow(now); len(due) != 1 || due[0] != 3 {
		t.Errorf("right after a look %v are due", due)
	}
}
