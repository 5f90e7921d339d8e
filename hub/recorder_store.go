package hub

import (
	"context"
	"errors"
	"slices"
	"strings"

	"berth/core"
)

// hand takes what is new out of a recording, numbered; what is not tracked has nothing.
// It is claimed until it was stored or given back.
func (r *recorder[ID, P]) hand(id ID) news[ID, P] {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.take(id)
}

// take is hand under the mutex.
func (r *recorder[ID, P]) take(id ID) news[ID, P] {
	known := r.all[id]
	if known == nil {
		return news[ID, P]{id: id}
	}
	n := news[ID, P]{id: id, progress: known.progress, heard: known.heard, pieces: known.pieces}
	for i := range n.pieces {
		n.pieces[i].number = known.number + 1 + uint64(i)
	}
	known.pieces, known.bytes, known.dirty = nil, 0, false
	return n
}

// done says whether what hand gave is stored. If not, it goes with the next attempt.
func (r *recorder[ID, P]) done(n news[ID, P], stored bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stuck = !stored
	r.tell()
	known := r.all[n.id]
	switch {
	case known == nil:
	case stored:
		known.number += uint64(len(n.pieces))
	default:
		for _, p := range n.pieces {
			known.bytes += len(p.text)
		}
		known.pieces, known.dirty = append(n.pieces, known.pieces...), true
	}
}

// along stores what is new in a transaction that stores something else too.
func (r *recorder[ID, P]) along(id ID, store func(news[ID, P]) error) error {
	r.claim(id)
	defer r.release(id)
	n := r.hand(id)
	err := store(n)
	r.done(n, err == nil)
	return err
}

// conclude stores how something ended, with all that is new of it and text as the log's last words. What has
// ended already is left alone. The recording is over when store says so: what goes on all the same is tracked anew.
func (r *recorder[ID, P]) conclude(ctx context.Context, id ID, text string, store func(news[ID, P]) (over bool, err error)) error {
	r.claim(id)
	defer r.release(id)
	if err := r.load(ctx, id); err != nil || !r.tracked(id) {
		return err
	}
	n := r.hand(id)
	last := n
	last.pieces = r.lastWords(n, text)
	over, err := store(last)
	if err == nil && over {
		r.forget(id)
		return nil
	}
	r.done(n, false) // pieces that were stored all the same keep their numbers
	return err
}

// lastWords returns the pieces of n and one more.
func (r *recorder[ID, P]) lastWords(n news[ID, P], text string) []piece {
	if text = strings.TrimSuffix(text, "\n"); text == "" {
		return n.pieces
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	last := piece{number: uint64(len(n.pieces)) + 1, at: r.now(), text: text[:min(len(text), maxLogPiece-1)] + "\n"}
	if known := r.all[n.id]; known != nil {
		last.number += known.number
	}
	return append(slices.Clip(n.pieces), last)
}

func (r *recorder[ID, P]) forget(id ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, id)
}

// forgetAll forgets everything: others record it now.
func (r *recorder[ID, P]) forgetAll() {
	for _, id := range r.those(func(*recording[P]) bool { return true }) {
		r.claim(id)
		r.forget(id)
		r.release(id)
	}
}

// handOver stores what is new and forgets what a worker has that may come back to another
// hub. What cannot be stored now is lost, as when a hub ends: the result tells how it ended.
func (r *recorder[ID, P]) handOver(ctx context.Context, worker core.WorkerID) {
	r.putDown(ctx, func(known *recording[P]) bool { return known.worker == worker })
}

// putDown stores what is new and forgets some of it: whoever goes on with that counts the pieces of the log
// from there.
func (r *recorder[ID, P]) putDown(ctx context.Context, which func(*recording[P]) bool) {
	ids := r.those(which)
	if len(ids) == 0 {
		return
	}
	r.report("progress was not stored", r.flush(ctx))
	ctx, member := r.as(ctx)
	for _, id := range ids {
		r.claim(id)
		if n := r.hand(id); member && len(n.pieces) > 0 { // the flush passed it over, because it was claimed
			r.report("progress was not stored", r.save(ctx, []news[ID, P]{n}))
		}
		r.forget(id)
		r.release(id)
	}
}

func (r *recorder[ID, P]) those(which func(*recording[P]) bool) (ids []ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, known := range r.all {
		if which(known) {
			ids = append(ids, id)
		}
	}
	return ids
}

// maxFailures is how many flushes in a row may fail before each is stored for
// itself: one that cannot be stored must not hold up the others.
const maxFailures = 3

// flush commits everything that is new, in one transaction; what it cannot store it keeps.
func (r *recorder[ID, P]) flush(ctx context.Context) error {
	r.flushing <- struct{}{}
	defer func() { <-r.flushing }()
	ctx, member := r.as(ctx)
	if !member {
		return nil
	}
	all := r.collect()
	if len(all) == 0 {
		return nil
	}
	defer r.release(idsOf(all)...)
	err := r.save(ctx, all)
	if err == nil {
		r.failures = 0
		return nil
	}
	if r.failures++; r.failures < maxFailures || len(all) == 1 {
		return err
	}
	for _, n := range all {
		err = errors.Join(err, r.save(ctx, []news[ID, P]{r.hand(n.id)}))
	}
	return err
}

// collect claims and hands out all that is new. What is claimed by another is being stored, and its news after that
// come with the next flush.
func (r *recorder[ID, P]) collect() []news[ID, P] {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []news[ID, P]
	for id, known := range r.all {
		if r.claims[id] == nil && (known.dirty || len(known.pieces) > 0) {
			r.claims[id] = make(chan struct{})
			all = append(all, r.take(id))
		}
	}
	return all
}

func idsOf[ID ~string, P any](all []news[ID, P]) []ID {
	ids := make([]ID, len(all))
	for i, n := range all {
		ids[i] = n.id
	}
	return ids
}

func (r *recorder[ID, P]) save(ctx context.Context, all []news[ID, P]) error {
	err := r.keeper.save(ctx, all)
	for _, n := range all {
		r.done(n, err == nil)
	}
	return err
}
