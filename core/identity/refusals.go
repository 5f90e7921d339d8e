package identity

import (
	"context"
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

// Refusals notes in the audit what was refused, as far as its pace allows; all of them are counted as metrics.
type Refusals struct {
	journal  Journal
	one, all *pace.Buckets
}

// NewRefusals returns a Refusals.
func NewRefusals(journal Journal, now core.Clock) *Refusals {
	return &Refusals{journal: journal, one: pace.New(refusalRule, maxKeys, now), all: pace.New(refusalsRule, 1, now)}
}

// Note keeps that e was refused. What cannot be written down changes nothing about the refusal.
func (r *Refusals) Note(ctx context.Context, e access.AuditEvent) { r.noteOf(ctx, e, e.Resource) }

// noteOf does the same at the pace of what was asked for, where the resource would tell what somebody must not
// learn: writing takes time, and who is told apart by that is known to exist.
func (r *Refusals) noteOf(ctx context.Context, e access.AuditEvent, asked string) {
	if r.one.Take(e.Actor.ID+" "+access.Network(e.Actor.Address)+" "+e.Action+" "+asked) > 0 || r.all.Take(everyone) > 0 {
		return
	}
	_ = r.journal.RecordEvent(ctx, e.With(access.Refused))
}
