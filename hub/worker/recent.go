package worker

import (
	"berth/core"
	"berth/core/wire"
	"berth/hub/worker/journal"
)

// recent remembers the results that were acknowledged lately, so that a delivery which
// crossed the acknowledgement is answered and not done again. It is memory only: after a
// restart of the worker the command would be applied once more, which converges.
type recent struct {
	order   []journal.Key
	results map[journal.Key]wire.Result
}

func newRecent() *recent { return &recent{results: map[journal.Key]wire.Result{}} }

func (r *recent) add(result wire.Result) {
	key := journal.Key{ID: result.ID, Attempt: result.Attempt}
	if _, known := r.results[key]; !known {
		r.order = append(r.order, key)
	}
	r.results[key] = result
	if len(r.order) > maxRecent {
		delete(r.results, r.order[0])
		r.order = r.order[1:]
	}
}

// newest returns the highest attempt of a command; 0 when it is not remembered.
func (r *recent) newest(id core.CommandID) (attempt int) {
	for _, key := range r.order {
		if key.ID == id {
			attempt = max(attempt, key.Attempt)
		}
	}
	return attempt
}
