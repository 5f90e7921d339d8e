package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"berth/core/seal"
)

// Goals for many workers that are at rest.
const (
	perWorkerGoal = 30 << 10 // bytes of the server for each worker, above its snapshot
	restGoal      = 10.0     // percent of one core
)

// settled is how long links are left alone after they have come: long enough for every worker to have
// told twice how it is, and for memory that is free to go back.
const settled = 90 * time.Second

// measureFleet measures a server with each number of workers.
func measureFleet(ctx context.Context, b *bench) ([]figure, error) {
	var figures []figure
	for _, n := range b.fleet {
		if err := allowFiles(n); err != nil {
			return nil, err
		}
		some, err := b.thousands(ctx, n)
		if err != nil {
			return nil, err
		}
		figures = append(figures, some...)
	}
	return figures, nil
}

// thousands is one server and its workers.
type thousands struct {
	*server
	b     *bench
	n     int
	crowd *aide
	empty state // of the server before any worker came
}

// noBackups keeps the daily backup and the weekly rehearsal of it, which the server would begin in the minutes that
// are measured, out of the figures of rest; the measurement backup is of them.
var noBackups = []string{"BACKUP_INTERVAL=0s", "BACKUP_REHEARSAL_INTERVAL=0s"}

func (b *bench) thousands(ctx context.Context, n int) (figures []figure, err error) {
	s, err := b.newSite(fmt.Sprintf("fleet-%d", n))
	if err != nil {
		return nil, err
	}
	t := &thousands{b: b, n: n}
	if t.server, _, err = b.startLocal(ctx, s, noBackups...); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.stop()) }()
	if err := t.setUp(ctx); err != nil {
		return nil, err
	}
	b.say("making %d worker tokens", n+1)
	tokens, err := t.workerTokens(ctx, n+1) // one for the worker that never answers
	if err != nil {
		return nil, err
	}
	if t.crowd, err = b.startAide("aide-crowd"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.crowd.end()) }()
	for _, measure := range []func(context.Context, []seal.Token) ([]figure, error){t.arrive, t.comeBack, t.rest, t.scraped, t.scrapedBesideMute, t.bare} {
		some, err := measure(ctx, tokens)
		if err != nil {
			return nil, err
		}
		figures = append(figures, some...)
	}
	return figures, nil
}

// arrive brings the workers in, on a server that was just started.
func (t *thousands) arrive(ctx context.Context, tokens []seal.Token) ([]figure, error) {
	if err := errors.Join(t.stop(), t.startAgain(ctx), pause(ctx, rest)); err != nil {
		return nil, err
	}
	var err error
	if t.empty, err = t.state(ctx); err != nil {
		return nil, err
	}
	t.b.say("bringing %d workers in", t.n)
	began := time.Now()
	if err := t.bring(ctx, tokens[:t.n], false); err != nil {
		return nil, err
	}
	return []figure{{name: fmt.Sprintf("%d workers: all connected for the first time, %d on their way at once", t.n, atOnce), result: fmt.Sprintf("%.1f s", time.Since(began).Seconds())}}, nil
}

// bring waits until more workers are in service.
func (t *thousands) bring(ctx context.Context, tokens []seal.Token, mute bool) error {
	q := crowdQuestion{URL: t.site.workerURL(), Mute: mute}
	for _, token := range tokens {
		q.Bring = append(q.Bring, token.Reveal())
	}
	var a crowdAnswer
	if err := t.crowd.ask(crowdQuestion{}, &a); err != nil {
		return err
	}
	want := a.Online + len(tokens)
	if err := t.crowd.ask(q, &a); err != nil {
		return err
	}
	return reaches(ctx, t.crowd, func(online int) bool { return online == want })
}

// reaches waits for a number of links of a crowd.
func reaches(ctx context.Context, crowd *aide, enough func(online int) bool) error {
	return until(ctx, 10*time.Minute, 20*time.Millisecond, "the number of links that is awaited", func(context.Context) (bool, error) {
		var a crowdAnswer
		if err := crowd.ask(crowdQuestion{}, &a); err != nil {
			return false, err
		}
		return enough(a.Online), nil
	})
}

// startAgain starts the server on the data that it has.
func (t *thousands) startAgain(ctx context.Context) error {
	next, _, err := t.b.startLocal(ctx, t.site, noBackups...)
	if err != nil {
		return err
	}
	next.client.Key, t.server = t.client.Key, next
	return nil
}

// comeBack restarts the server.
func (t *thousands) comeBack(ctx context.Context, _ []seal.Token) ([]figure, error) {
	t.b.say("restarting the server with %d links", t.n)
	var a crowdAnswer
	if err := t.crowd.ask(crowdQuestion{Forget: true}, &a); err != nil {
		return nil, err
	}
	if err := t.stop(); err != nil {
		return nil, err
	}
	if err := reaches(ctx, t.crowd, func(online int) bool { return online == 0 }); err != nil {
		return nil, err
	}
	if err := t.startAgain(ctx); err != nil {
		return nil, err
	}
	if err := reaches(ctx, t.crowd, func(online int) bool { return online == t.n }); err != nil {
		return nil, err
	}
	took := time.Since(t.started)
	used, err := processorTime(t.pid())
	if err != nil {
		return nil, err
	}
	if err := t.crowd.ask(crowdQuestion{Tell: true}, &a); err != nil {
		return nil, err
	}
	return append(a.figures("  restart in order", took), figure{name: "  processor time of the server until then", result: fmt.Sprintf("%.1f s", used.Seconds())}), t.allOnline(ctx, t.n)
}
