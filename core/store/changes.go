package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"berth/core"
)

// changes tells those who wait that something was stored which people look at. Nothing is kept for them:
// whoever is told reads anew what interests them.
type changes struct {
	mu    sync.Mutex
	whose string                   // this process, in marks; empty: no mark was made yet; guarded by mu
	count uint64                   // of commits that changed something; guarded by mu
	last  map[core.ChangeOf]uint64 // the count at the last change of each kind; guarded by mu
	next  chan struct{}            // closed at the next change; nil: nobody waits; guarded by mu
	there struct {                 // what other processes on the same database do
		sync.Mutex           // held by the one who looks
		looked     time.Time // guarded by it
		text       string    // as Dialect.Moved had it; guarded by it
	}
}

// kindOf says what a table is part of. Of the tables with an empty text nobody is told: they change all
// the time by themselves, and nobody looks at them. What isn't listed is core.ChangeOfOthers.
var kindOf = map[string]core.ChangeOf{
	"leases": "", "hubs": "", "sessions": "", "api_keys": "", "spent_states": "",
	"stacks": core.ChangeOfStacks, "decisions": core.ChangeOfStacks, "revisions": core.ChangeOfStacks,
	"deployments": core.ChangeOfDeployments, "deployment_events": core.ChangeOfDeployments,
	"deployment_log": core.ChangeOfLogs, "job_run_log": core.ChangeOfLogs,
	"jobs": core.ChangeOfJobs, "job_fires": core.ChangeOfJobs, "job_runs": core.ChangeOfRuns,
	"workers": core.ChangeOfWorkers, "worker_tokens": core.ChangeOfWorkers,
	"repositories": core.ChangeOfRepositories, "repository_events": core.ChangeOfRepositories,
	"followed_folders": core.ChangeOfRepositories, "folder_proposals": core.ChangeOfRepositories,
}

// changed notes what a statement changed, until the transaction is committed.
func (tx *Tx) changed(query string) {
	table := tableOf(query)
	of, known := kindOf[table]
	switch {
	case table == "" || known && of == "":
		return
	case !known:
		of = core.ChangeOfOthers
	}
	tx.note(of)
}

func (tx *Tx) note(all ...core.ChangeOf) {
	for _, of := range all {
		if !slices.Contains(tx.of, of) {
			tx.of = append(tx.of, of)
		}
	}
}

// tableOf is the table that a statement writes to; empty for one that only reads.
func tableOf(query string) string {
	if strings.HasPrefix(query, "SELECT") {
		return "" // most of them
	}
	words := strings.FieldsFunc(query[:min(len(query), 100)], func(r rune) bool { return r <= ' ' || r == '(' })
	switch {
	case len(words) > 2 && (words[0] == "INSERT" || words[0] == "DELETE"):
		return words[2]
	case len(words) > 1 && words[0] == "UPDATE":
		return words[1]
	}
	return ""
}

// tell counts a change and calls everybody who waits.
func (c *changes) tell(all ...core.ChangeOf) {
	if len(all) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	if c.last == nil {
		c.last = map[core.ChangeOf]uint64{}
	}
	for _, of := range all {
		c.last[of] = c.count
	}
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// since returns what changed after seen, and what is closed at the next change.
func (c *changes) since(seen uint64) (core.Changes, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = make(chan struct{})
	}
	found := core.Changes{Count: c.count + 1, Mark: fmt.Sprintf("%s-%d", c.process(), c.count+1)} // so that nobody who has seen something has seen 0
	for of, at := range c.last {
		if at+1 > seen {
			found.Of = append(found.Of, of)
		}
	}
	slices.Sort(found.Of)
	return found, c.next
}

// process names this process. c is locked.
func (c *changes) process() string {
	if c.whose == "" {
		c.whose = rand.Text()
	}
	return c.whose
}

// ChangesSeen returns the count that a mark names; zero for a mark of another process, which is seen by nobody.
func (s *Store) ChangesSeen(mark string) uint64 {
	c := &s.db.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	whose, text, _ := strings.Cut(mark, "-")
	count, err := strconv.ParseUint(text, 10, 64)
	if err != nil || whose != c.process() || count > c.count+1 {
		return 0
	}
	return count
}

// elsewhereEvery is how often it is looked whether another process stored something, while anybody waits.
const elsewhereEvery = 250 * time.Millisecond

// AwaitChanges returns once something was stored after what was counted as seen, at once when that is so
// already, or when ctx ends; then Count is seen. Zero was seen by nobody. A count is of this process and ends
// with it. Of what another process stored, it is not known what it is: then Of is every kind.
func (s *Store) AwaitChanges(ctx context.Context, seen uint64) core.Changes {
	var elsewhere <-chan time.Time
	if s.db.dialect.Moved != "" {
		tick := time.NewTicker(elsewhereEvery)
		defer tick.Stop()
		elsewhere = tick.C
	}
	for {
		found, next := s.db.changes.since(seen)
		if found.Count != seen {
			return found
		}
		select {
		case <-ctx.Done():
			return found
		case <-next:
		case <-elsewhere:
			s.lookElsewhere(ctx)
		}
	}
}

// lookElsewhere asks the database whether anybody stored something, once for all who wait. One that
// does not answer is asked again.
func (s *Store) lookElsewhere(ctx context.Context) {
	there := &s.db.changes.there
	if !there.TryLock() {
		return
	}
	defer there.Unlock()
	if time.Since(there.looked) < elsewhereEvery/2 {
		return
	}
	there.looked = time.Now()
	text, err := read(ctx, s, func(tx *Tx) (string, error) { return one(tx, nil, scalar[string], s.db.dialect.Moved) })
	if err != nil || text == there.text {
		return
	}
	there.text = text
	s.db.changes.tell(core.AllChanges...)
}
