package oidc

import (
	"context"
	"time"

	coreos "github.com/coreos/go-oidc/v3/oidc"
)

// discoveryLife is for how long it counts what a provider said of itself, and askAgain how long it counts that it said nothing.
const (
	discoveryLife = time.Hour
	askAgain      = 5 * time.Second
)

// discovery is what a provider said of itself.
type discovery struct {
	known *coreos.Provider // nil: never reached
	err   error            // of the last time that it was asked
	asked time.Time        // zero: never
}

// counts returns what is known, as long as that needs no asking.
func (d discovery) counts(now time.Time) (known *coreos.Provider, err error, counts bool) {
	age := now.Sub(d.asked)
	switch {
	case d.asked.IsZero(), d.err == nil && age >= discoveryLife, d.err != nil && age >= askAgain:
		return nil, nil, false
	case d.known != nil:
		return d.known, nil, true // it counts while the provider is away
	}
	return nil, d.err, true
}

// discovered returns what the provider says of itself. One asks at a time, and whoever comes meanwhile waits for that answer.
func (p *Provider) discovered(ctx context.Context) (*coreos.Provider, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, away
	}
	if known, err, counts := p.last.counts(p.options.Now()); counts {
		return known, err
	}
	fresh, err := coreos.NewProvider(p.with(ctx), p.options.Issuer)
	switch {
	case err != nil && isTransport(err):
		err = awayFor(err)
	case err != nil || !safe(p.options.Issuer, fresh):
		err = malformed(p.options.Issuer)
	}
	if ctx.Err() != nil { // it says nothing of the provider that nobody waits any more
		return nil, away
	}
	p.last.err, p.last.asked = err, p.options.Now()
	if err == nil {
		p.last.known = fresh
	}
	known, err, _ := p.last.counts(p.last.asked)
	return known, err
}
