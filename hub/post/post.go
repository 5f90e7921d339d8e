package post

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/outbox"
	"berth/core/seal"
)

// Carrier carries letters of one kind. An error is a fault that tells people what to do; see outbox.Final.
type Carrier interface {
	Carry(ctx context.Context, l outbox.Letter, content []byte) (answer string, err error)
}

// Opener opens what is sealed; *seal.Ring does.
type Opener interface {
	Open(place seal.Place, sealed seal.Sealed) ([]byte, error)
}

// Meter counts what becomes of letters; *metrics.Own does.
type Meter interface {
	// Carried counts an attempt: "sent", "deferred" or "failed".
	Carried(kind outbox.Kind, result string)
	// KnowOutbox sets what waits, and UnknowOutbox ends that: another hub leads.
	KnowOutbox(figures map[outbox.Kind]outbox.Figure)
	UnknowOutbox()
}

// Options is what a Post is made of; all of it is required.
type Options struct {
	Store    outbox.Store
	Seals    Opener
	Carriers map[outbox.Kind]Carrier
	Meter    Meter
	Now      core.Clock
	Log      *slog.Logger
}

// Post carries letters. Make it with New; it does nothing until Run.
type Post struct {
	o     Options
	wakes chan struct{}
	room  chan struct{} // holds one for each letter that is being carried
}

const (
	lookEvery   = 2 * time.Second  // how often what is due is looked for
	tellEvery   = 15 * time.Second // how often what waits is counted
	maxCarrying = 8                // letters at once
	settleTime  = 5 * time.Second  // for the note of what an attempt came to
)

// New returns a Post.
func New(o Options) *Post {
	return &Post{o: o, wakes: make(chan struct{}, 1), room: make(chan struct{}, maxCarrying)}
}

// Wake makes it look at once. It never blocks.
func (p *Post) Wake() {
	select {
	case p.wakes <- struct{}{}:
	default:
	}
}

// Run carries letters until ctx ends, and returns when none is being carried. Those that were are due again at once.
func (p *Post) Run(ctx context.Context) {
	var carrying sync.WaitGroup
	defer carrying.Wait()
	defer p.o.Meter.UnknowOutbox()
	look, tell := time.NewTicker(lookEvery), time.NewTicker(tellEvery)
	defer look.Stop()
	defer tell.Stop()
	p.tell(ctx)
	for {
		p.look(ctx, &carrying)
		select {
		case <-ctx.Done():
			return
		case <-p.wakes:
		case <-look.C:
		case <-tell.C:
			p.tell(ctx)
		}
	}
}

// look begins to carry what is due, as far as there is room.
func (p *Post) look(ctx context.Context, carrying *sync.WaitGroup) {
	free := maxCarrying - len(p.room)
	if free == 0 || ctx.Err() != nil {
		return
	}
	due, err := p.o.Store.ClaimLetters(ctx, free, p.o.Now().Add(outbox.ClaimTime))
	if err != nil && ctx.Err() == nil {
		p.o.Log.Error("messages that are due cannot be read", "error", err)
	}
	for _, l := range due {
		p.room <- struct{}{} // only this goroutine fills it, so there is room
		carrying.Go(func() {
			defer p.Wake()
			defer func() { <-p.room }()
			p.carry(ctx, l)
		})
	}
}

// carry makes one attempt. Its note does not depend on who leads, only on the claim: what was carried must not be
// carried again because the lead changed meanwhile.
func (p *Post) carry(ctx context.Context, l outbox.Letter) {
	attempt, cancel := context.WithTimeout(ctx, outbox.AttemptTime)
	defer cancel()
	answer, err := p.hand(attempt, l)
	last, end := context.WithTimeout(context.Background(), settleTime)
	defer end()
	if err != nil && ctx.Err() != nil {
		p.settle(last, l.Broken(p.o.Now()))
		return
	}
	settled := l.Settled(answer, err, p.o.Now(), rand.Float64())
	result := map[outbox.State]string{outbox.Sent: "sent", outbox.Waiting: "deferred", outbox.Failed: "failed"}[settled.State]
	p.o.Meter.Carried(l.Kind, result)
	if err != nil {
		p.o.Log.Warn("a message was not sent", "message", l.ID, "kind", l.Kind, "what", l.About, "attempt", l.Attempts, "result", result, "error", err)
	}
	p.settle(last, settled)
}

func (p *Post) settle(ctx context.Context, l outbox.Letter) {
	if err := p.o.Store.SettleLetter(ctx, l); err != nil {
		p.o.Log.Error("what came of a message cannot be stored; it may be sent again", "message", l.ID, "state", l.State, "error", err)
	}
}

// hand gives a letter to the carrier of its kind. A defect there is an error of that letter alone.
func (p *Post) hand(ctx context.Context, l outbox.Letter) (answer string, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = outbox.Final(fmt.Errorf("a defect came up: %v\n%s", problem, debug.Stack()))
		}
	}()
	carrier := p.o.Carriers[l.Kind]
	if carrier == nil {
		return "", fault.New(fault.Conflict, "outbox.no_carrier", "This server is not configured to send it any more.")
	}
	content, err := p.o.Seals.Open(outbox.Place(l.ID), l.Sealed)
	if err != nil {
		return "", outbox.Final(errors.Join(fault.New(fault.Conflict, "outbox.unreadable", "It cannot be opened with this server's SECRET_KEY."), err))
	}
	return carrier.Carry(ctx, l, content)
}

// tell measures what waits.
func (p *Post) tell(ctx context.Context) {
	if figures, err := p.o.Store.OutboxFigures(ctx); err == nil {
		p.o.Meter.KnowOutbox(figures)
	}
}
