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
	due      map[core.RepositoryID]time.Time
	known    []repositories.Repository // as last read from the store
	readAt   time.Time                 // zero: read again
}

// reread is how long a list of repositories is trusted when nobody nudges.
const reread = 10 * time.Second

func newSchedule(interval time.Duration) *schedule {
	return &schedule{interval: interval, due: map[core.RepositoryID]time.Time{}}
}

// forget makes the next look read the repositories again.
func (s *schedule) forget() { s.readAt = time.Time{} }

// stale reports whether the list must be read again.
func (s *schedule) stale(now time.Time) bool { return now.Sub(s.readAt) >= reread }

// know replaces the list and returns the repositories that are not in it any more.
func (s *schedule) know(all []repositories.Repository, now time.Time) (gone []core.RepositoryID) {
	s.known, s.readAt = all, now
	kept := make(map[core.RepositoryID]time.Time, len(all))
	for _, r := range all {
		kept[r.ID] = s.due[r.ID]
	}
	for id := range s.due {
		if _, there := kept[id]; !there {
			gone = append(gone, id)
		}
	}
	s.due = kept
	return gone
}

// isDue reports whether a repository is to be looked at now: it was asked for, or its
// interval has passed, which is longer while deliveries tell of its pushes.
func (s *schedule) isDue(r repositories.Repository, now time.Time) bool {
	longer := r.PollEvery(s.interval, now) - s.interval
	return !r.AskedAt.IsZero() || !now.Before(s.due[r.ID].Add(longer))
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
		return s.due[x.ID].Compare(s.due[y.ID])
	case asked:
		return -1
	}
	return 1
}

// looked sets when a repository is due next: after interval, less up to a tenth, so that
// many repositories do not stay in step.
func (s *schedule) looked(id core.RepositoryID, now time.Time) {
	s.due[id] = now.Add(s.interval - rand.N(s.interval/10+1))
}
