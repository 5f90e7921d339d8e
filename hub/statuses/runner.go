package statuses

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/outbox"
	"berth/core/repositories"
)

// Store keeps what is to be told; *store.Store does.
type Store interface {
	// ClaimStatuses takes statuses that are due, at most limit, until a time: nobody else takes them before. A commit is empty
	// where none was known until the end.
	ClaimStatuses(ctx context.Context, limit int, until time.Time) ([]repositories.CommitStatus, error)
	// SettleStatus stores what came of telling one: it arrived (no problem, and next is zero), is told again at next, or is
	// given up (a problem, and next is zero).
	SettleStatus(ctx context.Context, c repositories.CommitStatus, problem string, next time.Time) error
}

// Sources opens a repository's credential.
type Sources interface {
	Source(ctx context.Context, r repositories.Repository) (core.GitSource, error)
}

// Teller tells a Git host; githost.Statuses does. Unavailable and TooMany may pass; other faults do not.
type Teller interface {
	Tell(ctx context.Context, src core.GitSource, c repositories.CommitStatus, target string) error
}

// Options is what a Runner is made of; all of it is required.
type Options struct {
	Store   Store
	Sources Sources
	Teller  Teller
	App     string // APP_URL, from which addresses of deployments are made
	Now     core.Clock
	Log     *slog.Logger
}

// Runner tells statuses. Make it with New; it does nothing until Run.
type Runner struct {
	o     Options
	wakes chan struct{}
}

// Limits of telling.
const (
	lookEvery   = 2 * time.Second
	atOnce      = 8
	tellTime    = 20 * time.Second // for one
	claimTime   = 2 * time.Minute
	maxAttempts = 10 // with the pauses between, for about an hour and a half
)

// New returns a Runner.
func New(o Options) *Runner { return &Runner{o: o, wakes: make(chan struct{}, 1)} }

// Wake makes it look at once. It never blocks.
func (r *Runner) Wake() {
	select {
	case r.wakes <- struct{}{}:
	default:
	}
}

// Run tells statuses until ctx ends, and returns when none is being told.
func (r *Runner) Run(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for ctx.Err() == nil {
		for r.round(ctx) == atOnce {
		}
		select {
		case <-ctx.Done():
		case <-r.wakes:
		case <-look.C:
		}
	}
}

// round tells what is due, at most so many at once, and returns how many that were.
func (r *Runner) round(ctx context.Context) int {
	due, err := r.o.Store.ClaimStatuses(ctx, atOnce, r.o.Now().Add(claimTime))
	if err != nil {
		if ctx.Err() == nil {
			r.o.Log.Error("commit statuses that are due cannot be read", "error", err)
		}
		return 0
	}
	var telling sync.WaitGroup
	for _, c := range due {
		telling.Go(func() { r.tell(ctx, c) })
	}
	telling.Wait()
	return len(due)
}

// tell makes one attempt. One that is broken off because the hub stops is due again when its claim ends.
func (r *Runner) tell(ctx context.Context, c repositories.CommitStatus) {
	if c.Repository.Statuses == repositories.StatusesOff || c.Commit == "" { // turned off meanwhile, or ended before it had a commit
		r.settle(ctx, c, "", time.Time{})
		return
	}
	asking, cancel := context.WithTimeout(ctx, tellTime)
	defer cancel()
	err := r.hand(asking, c)
	switch {
	case ctx.Err() != nil:
	case err == nil:
		r.settle(ctx, c, "", time.Time{})
	default:
		next := time.Time{}
		if mayPass(err) && c.Attempts < maxAttempts {
			next = r.o.Now().Add(outbox.Wait(c.Attempts, rand.Float64()))
		}
		r.o.Log.Warn("a commit status could not be told", "repository", c.Repository.Name, "deployment", c.Deployment, "attempt", c.Attempts, "again", !next.IsZero(), "error", err)
		r.settle(ctx, c, fault.PublicOf(err), next)
	}
}

func (r *Runner) hand(ctx context.Context, c repositories.CommitStatus) error {
	src, err := r.o.Sources.Source(ctx, c.Repository)
	if err != nil {
		return err
	}
	return r.o.Teller.Tell(ctx, src, c, r.o.App+"/deployments/"+string(c.Deployment))
}

// mayPass reports whether asking again may help.
func mayPass(err error) bool { return fault.Is(err, fault.Unavailable) || fault.Is(err, fault.TooMany) }

func (r *Runner) settle(ctx context.Context, c repositories.CommitStatus, problem string, next time.Time) {
	if err := r.o.Store.SettleStatus(ctx, c, problem, next); err != nil && ctx.Err() == nil {
		r.o.Log.Error("what came of a commit status cannot be stored; it may be told again", "deployment", c.Deployment, "error", err)
	}
}
