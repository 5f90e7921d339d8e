package guard

import (
	"net/http"
	"strings"

	"berth/core/access"
	"berth/core/fault"
	"berth/handlers/endpoint"
)

// KeyHeader carries an API key.
const KeyHeader = "X-Service-Api-Key"

// identify returns whoever the request's credential belongs to; an anonymous principal
// when it has none. An API key that is present must be good, whatever else is; a session
// that has ended is like none.
func (g *Guard) identify(rule Rule, r *http.Request) (access.Principal, error) {
	nobody := access.Anonymous(endpoint.Principal(r.Context()).Address)
	if rule.Surface.credentialFree() {
		return nobody, nil
	}
	if key, present := apiKey(r.Header); present && rule.Surface != Page {
		p, err := g.cfg.Doorkeeper.ByAPIKey(r.Context(), key)
		g.refused("api_key", err)
		p.Address = nobody.Address
		return p, err
	}
	value := endpoint.SessionOf(r)
	if value == "" || rule.Surface == Scrape {
		return nobody, nil
	}
	p, err := g.cfg.Doorkeeper.BySession(r.Context(), value)
	g.refused("session", err)
	if fault.Is(err, fault.Unauthenticated) {
		return nobody, nil
	}
	p.Address = nobody.Address
	return p, err
}

// apiKey returns the API key of a request; false when there is none. Scrapers that know
// nothing but an authorization block send the whole header line there, after a word of theirs.
func apiKey(h http.Header) (string, bool) {
	if values := h.Values(KeyHeader); len(values) > 0 {
		return strings.Join(values, ","), true // more than one never parses
	}
	_, line, _ := strings.Cut(h.Get("Authorization"), " ")
	name, key, found := strings.Cut(line, ":")
	if !found || !strings.EqualFold(name, KeyHeader) {
		return "", false
	}
	return strings.TrimSpace(key), true
}
