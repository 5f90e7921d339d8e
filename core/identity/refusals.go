package identity

import (
	"context"
	"fmt"
	"sync"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/pace"
)

// Journal takes note of who did what.
type Journal interface {
	RecordEvent(ctx context.Context, e access.AuditEvent) error
}

// The pace at which refusals are noted: of one thing, and of all. Whoever tries without end fills no disk.
var (
	refusalRule  = pace.Rule{Burst: 5, Every: 10 * time.Minute}
	refusalsRule = pace.Rule{Burst: 100, Every: 10 * time.Second}
)

// Refusals notes in the audit what was refused, as far as its pace allows; all of them are counted as metrics. The last line before
// a gap says that there is one, and the first behind it how many were left out. A nil Refusals notes nothing.
type Refusals struct {
	journal  Journal
	one, all *pace.Buckets

	mu   sync.Mutex
	left map[string]int // guarded by mu: how many of one thing were not noted; of maxKeys at most
}

// NewRefusals returns a Refusals.
func NewRefusals(journal Journal, now core.Clock) *Refusals {
	return &Refusals{journal: journal, one: pace.New(refusalRule, maxKeys, now), all: pace.New(refusalsRule, 1, now), left: map[string]int{}}
}

// Note keeps that e was refused. What cannot be written down changes nothing about the refusal.
func (r *Refusals) Note(ctx context.Context, e access.AuditEvent) { r.NoteOf(ctx, e, e.Resource) }

// NoteOf does the same at the pace of what was asked for, where the resource would tell what somebody must not
// learn, for writing takes time, and who is told apart by that is known to exist; or where it is as they choose.
func (r *Refusals) NoteOf(ctx context.Context, e access.AuditEvent, asked string) {
	if r == nil {
		return
	}
	thing := e.Actor.ID + " " + access.Network(e.Actor.Address) + " " + e.Action + " " + asked + " " + e.Detail
	if r.one.Take(thing) > 0 {
		r.leaveOut(thing)
		return
	}
	if r.all.Take(everyone) > 0 {
		r.one.Give(thing)
		r.leaveOut(thing)
		return
	}
	if n := r.leftOut(thing); n > 0 {
		e.Detail += fmt.Sprintf("; %d more like it before this were counted only", n)
	}
	if r.one.Empty(thing) || r.all.Empty(everyone) {
		e.Detail += "; more like it are counted only, for some minutes"
	}
	_ = r.journal.RecordEvent(ctx, e.With(access.Refused))
}

func (r *Refusals) leaveOut(thing string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.left[thing]; known || len(r.left) < maxKeys {
		r.left[thing]++
	}
}

// leftOut returns how many were left out, which is told once.
func (r *Refusals) leftOut(thing string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.left[thing]
	delete(r.left, thing)
	return n
}
