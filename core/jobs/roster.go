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

// deal returns the workers on which a run is to begin: one, or for ModeOnceAll every eligible one. what names the fire or
// the run that it is for. None is eligible: nil.
func (r *Roster) deal(what string, d Definition) []core.WorkerID {
	r.takeBack(what)
	var eligible []int
	for i, w := range r.workers {
		if hasAll(w.Tags, d.Tags) {
			eligible = append(eligible, i)
		}
	}
	if d.Mode != ModeOnceAll && len(eligible) > 1 {
		eligible = []int{slices.MinFunc(eligible, func(a, b int) int {
			return cmp.Or(cmp.Compare(r.workers[a].Open, r.workers[b].Open), cmp.Compare(r.turns[a], r.turns[b]))
		})}
	}
	return r.give(what, eligible)
}

// dealTo returns the one worker that a run is bound to, when it is there and eligible.
func (r *Roster) dealTo(what string, d Definition, worker core.WorkerID) []core.WorkerID {
	r.takeBack(what)
	for i, w := range r.workers {
		if w.Worker == worker && hasAll(w.Tags, d.Tags) {
			return r.give(what, []int{i})
		}
	}
	return nil
}

func (r *Roster) give(what string, chosen []int) (ids []core.WorkerID) {
	for _, i := range chosen {
		r.workers[i].Open++
		r.turn++
		r.turns[i] = r.turn
		ids = append(ids, r.workers[i].Worker)
	}
	r.dealt[what] = chosen
	return ids
}

// takeBack undoes what was dealt for a decision that was made before: its transaction is repeated.
func (r *Roster) takeBack(what string) {
	for _, i := range r.dealt[what] {
		r.workers[i].Open--
	}
	delete(r.dealt, what)
}

func hasAll(tags, wanted []string) bool {
	for _, tag := range wanted {
		if !slices.Contains(tags, tag) {
			return false
		}
	}
	return true
}
