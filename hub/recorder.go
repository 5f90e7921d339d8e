package hub

import (
	"context"
	"sync"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

// recorder keeps the progress and the logs of what is under way, deployments or runs, on their way to the
// store: what is new is committed in groups, because a commit costs the same for one line as for a
// hundred. The end of a deployment or run takes what is left along.
//
// Pieces of a log get their numbers when they are stored, and only one transaction with pieces of a log is
// under way at a time, by whoever has claimed that: so none is lost, and none has another's number.
type recorder[ID ~string, P any] struct {
	// Set once.
	noun   string // of what is recorded, for the marks in its log
	keeper keeper[ID, P]
	surroundings

	flushing chan struct{} // holds one while a group is on its way to the store
	full     chan struct{} // holds one when somebody waits for a flush
	failures int           // of whoever flushes; flushes that failed in a row

	mu     sync.Mutex
	all    map[ID]*recording[P] // guarded by mu
	claims map[ID]chan struct{} // guarded by mu; closed when the claim ends
	stored chan struct{}        // guarded by mu; closed when something was stored, or could not be; nil: nobody waits
	stuck  bool                 // guarded by mu: the store took nothing the last time
}

// keeper is where a recorder's news go.
type keeper[ID ~string, P any] interface {
	// load reads how far something is recorded; nil: it has ended.
	load(ctx context.Context, id ID) (*recording[P], error)
	// save stores what is new in one commit.
	save(ctx context.Context, all []news[ID, P]) error
}

// news is what is new of one deployment or run, on its way to the store.
type news[ID ~string, P any] struct {
	id       ID
	progress P
	heard    stacks.Heard
	pieces   []piece
}

// surroundings is what a recorder needs of its hub.
type surroundings struct {
	now    core.Clock
	as     func(context.Context) (context.Context, bool) // what is stored counts while this hub is a member; false: it is none
	report func(what string, err error, args ...any)
}

const (
	flushEvery   = 100 * time.Millisecond
	afterFailure = time.Second // until the next flush after one that failed
)

func newRecorder[ID ~string, P any](noun string, k keeper[ID, P], around surroundings) *recorder[ID, P] {
	return &recorder[ID, P]{noun: noun, keeper: k, surroundings: around, all: map[ID]*recording[P]{}, claims: map[ID]chan struct{}{},
		flushing: make(chan struct{}, 1), full: make(chan struct{}, 1)}
}

// track begins, or goes on, to record something, as it stands in the store. What has
// ended is not recorded.
func (r *recorder[ID, P]) track(ctx context.Context, id ID) error {
	if r.tracked(id) {
		return nil
	}
	r.claim(id)
	defer r.release(id)
	return r.load(ctx, id)
}

// load is track under a claim: what it reads stays true.
func (r *recorder[ID, P]) load(ctx context.Context, id ID) error {
	if r.tracked(id) {
		return nil
	}
	loaded, err := r.keeper.load(ctx, id)
	if err != nil || loaded == nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[id] = loaded
	return nil
}

// claim waits until nothing of a recording is on its way to the store, and keeps it so until release.
func (r *recorder[ID, P]) claim(id ID) {
	for {
		r.mu.Lock()
		busy := r.claims[id]
		if busy == nil {
			r.claims[id] = make(chan struct{})
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
		<-busy
	}
}

func (r *recorder[ID, P]) release(ids ...ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		close(r.claims[id])
		delete(r.claims, id)
	}
}

func (r *recorder[ID, P]) tracked(id ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[id] != nil
}

// update changes what is known of something that is tracked.
func (r *recorder[ID, P]) update(id ID, change func(*recording[P])) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.all[id]; known != nil {
		change(known)
		known.dirty = true
	}
}

// line adds text, one or more whole lines, to a log that is tracked.
func (r *recorder[ID, P]) line(id ID, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.all[id]; known != nil {
		known.say(text, r.now())
	}
}

// keep forgets what has ended by another hand, such as a revocation: what two looks in a row
// did not find open.
func (r *recorder[ID, P]) keep(open map[ID]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, known := range r.all {
		if open[id] {
			known.absent = 0
		} else if known.absent++; known.absent >= 2 {
			delete(r.all, id)
		}
	}
}

// run commits what is new until ctx ends. A commit under way is not cut short.
func (r *recorder[ID, P]) run(ctx context.Context) {
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.full:
		case <-ticker.C:
		}
		err := r.flush(context.WithoutCancel(ctx))
		if fault.CodeOf(err) != "store.disk_full" { // of that the store tells once
			r.report("progress was not stored; it is tried again", err)
		}
		if err != nil {
			ticker.Reset(afterFailure)
		} else {
			ticker.Reset(flushEvery)
		}
	}
}
