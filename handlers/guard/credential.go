package guard

import (
	"context"
	"net/http"
	"strings"
	"time"

	"berth/core/access"
	"berth/core/fault"
	"berth/handlers/endpoint"
)

// KeyHeader carries an API key.
const KeyHeader = "X-Service-Api-Key"

// identify returns whoever the request's credential belongs to; an anonymous principal
// when it has none. An API key that is present must be good, whatever else is; a session
// that has ended is like none.
func (g *Guard) identify(ctx context.Context, rule Rule, r *http.Request) (access.Principal, error) {
	stranger := endpoint.Principal(ctx)
	nobody := access.Anonymous(stranger.Address)
	nobody.Agent = stranger.Agent
	if rule.Surface.credentialFree() {
		return nobody, nil
	}
	if key, present := apiKey(r.Header); present && rule.Surface != Page {
		began := time.Now()
		p, err := g.cfg.Doorkeeper.ByAPIKey(ctx, key, nobody.Address)
		if fault.Is(err, fault.Unauthenticated) {
			holdBack(ctx, began.Add(refusalTakes))
		}
		g.refused("api_key", err)
		p.Address, p.Agent = nobody.Address, nobody.Agent
		return p, err
	}
	value := endpoint.SessionOf(r)
	if value == "" || rule.Surface == Scrape {
		return nobody, nil
	}
	p, err := g.cfg.Doorkeeper.BySession(ctx, value)
	g.refused("session", err)
	if fault.Is(err, fault.Unauthenticated) {
		return nobody, nil
	}
	p.Address, p.Agent = nobody.Address, nobody.Agent
	return p, err
}

// refusalTakes is how long it takes to refuse an API key, whatever is wrong with it: far longer than to find out.
const refusalTakes = 2 * time.Millisecond

// holdBack waits for a moment, so that the time of an answer does not tell whether a key's identifier is known.
func holdBack(ctx context.Context, until time.Time) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// apiKey returns the API key of a request; false when there is none. Scrapers that know
// nothing but an authorization block send the whole header line there.
func apiKey(h http.Header) (string, bool) {
	keys := h.Values(KeyHeader)
	if len(keys) == 0 {
		for _, credentials := range h.Values("Authorization") {
			if key, found := keyLine(credentials); found {
				keys = append(keys, key)
			}
		}
	}
	return strings.Join(keys, ","), len(keys) > 0 // more than one never parses
}

// keyLine returns the key of a header line that stands in an authorization, after the word
// of the scraper's choice that says of which type its credentials are, or after none.
func keyLine(credentials string) (key string, found bool) {
	before, key, found := strings.Cut(credentials, ":")
	words := strings.Fields(before)
	if !found || len(words) == 0 || len(words) > 2 || !strings.EqualFold(words[len(words)-1], KeyHeader) {
		return "", false
	}
	return strings.TrimSpace(key), true
}
