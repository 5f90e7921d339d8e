package jobs

import (
	"cmp"
	"slices"
	"time"

	"berth/core"
)

// Candidate is a worker that may get runs: it is online and not revoked.
type Candidate struct {
	Worker   core.WorkerID
	Tags     []string
	Open     int       // runs that it has and that did not end
	ChosenAt time.Time // when a run was given to it last; zero: not known
}

// Roster deals runs out to workers: each goes to the eligible one with the fewest open runs, and among
// equals to the one whose turn is longest ago. It remembers what it dealt by fire, so that a decision that
// is made twice, because its transaction was, counts once. It is not safe for concurrent use.
type Roster struct {
	workers []Candidate // in order of ID
	turns   []uint64    // of each worker: when it was chosen last
	turn    uint64
	dealt   map[string][]int // by fire: workers that got one
}

// NewRoster returns a roster of these workers. It holds for one round of decisions.
func NewRoster(workers []Candidate) *Roster {
	r := &Roster{workers: slices.SortedFunc(slices.Values(workers), func(a, b Candidate) int { return cmp.Compare(a.Worker, b.Worker) }),
		turns: make([]uint64, len(workers)), dealt: map[string][]int{}}
	order := make([]int, len(workers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return r.workers[a].ChosenAt.Compare(r.workers[b].ChosenAt) })
	for _, i := range order {
		r.turn++
		r.turns[i] = r.turn
	}
	return r
}
