package hub

import (
	"math/rand/v2"
	"slices"
	"time"

	"berth/core"
	"berth/core/repositories"
)

// schedule remembers when each repository is due. It is used by the ticking goroutine
// only; what it holds is rebuilt after a restart by looking at everything once.
type schedule struct {
	interval time.Duration
	last     map[core.RepositoryID]lastLook
	known    []repositories.Repository // as last read from the store
	readAt   time.Time                 // zero: read again
}

// lastLook is when a repository was looked at; zero: not since the hub began. early is by which part of the pause after it the next one
// comes before its end, so that many repositories do not stay in step.
type lastLook struct {
	at    time.Time
	early float64
}

// earliest is the largest early.
const earliest = 0.1

// reread is how long a list of repositories is trusted when nobody nudges.
const reread = 10 * time.Second

func newSchedule(interval time.Duration) *schedule {
	return &schedule{interval: interval, last: map[core.RepositoryID]lastLook{}}
}

// forget makes the next look read the repositories again.
func (s *schedule) forget() { s.readAt = time.Time{} }

// stale reports whether the list must be read again.
func (s *schedule) stale(now time.Time) bool { return now.Sub(s.readAt) >= reread }

// know replaces the list and returns the repositories that are not in it any more.
func (s *schedule) know(all []repositories.Repository, now time.Time) (gone []core.RepositoryID) {
	s.known, s.readAt = all, now
	kept := make(map[core.RepositoryID]lastLook, len(all))
	for _, r := range all {
		kept[r.ID] = s.last[r.ID]
	}
	for id := range s.last {
		if _, there := kept[id]; !there {
			gone = append(gone, id)
		}
	}
	s.last = kept
	return gone
}

// isDue reports whether a repository is to be looked at now: it was asked for, or its
// pause has passed, which is longer while deliveries tell of its pushes and while it cannot be read.
func (s *schedule) isDue(r repositories.Repository, now time.Time) bool {
	return !r.AskedAt.IsZero() || !now.Before(s.due(r, now))
}

// due is when the pause after the last look ends.
func (s *schedule) due(r repositories.Repository, now time.Time) time.Time {
	last := s.last[r.ID]
	pause := r.PollEvery(s.interval, now)
	return last.at.Add(pause - time.Duration(last.early*float64(pause)))
}

// dueNow returns where in known the repositories stand that are due: those that somebody
// asked for, then the longest overdue. When there is no room for all of them, no one is
// passed over for ever.
func (s *schedule) dueNow(now time.Time) []int {
	var due []int
	for i, r := range s.known {
		if s.isDue(r, now) {
			due = append(due, i)
		}
	}
	slices.SortStableFunc(due, func(a, b int) int { return s.urgency(s.known[a], s.known[b]) })
	return due
}

// urgency compares by who is to be looked at first.
func (s *schedule) urgency(x, y repositories.Repository) int {
	asked := !x.AskedAt.IsZero()
	switch {
	case asked == !y.AskedAt.IsZero():
		return s.last[x.ID].at.Compare(s.last[y.ID].at)
	case asked:
		return -1
	}
	return 1
}

// looked notes that a repository is being looked at.
func (s *schedule) looked(id core.RepositoryID, now time.Time) {
	s.last[id] = lastLook{at: now, early: rand.Float64() * earliest}
}
