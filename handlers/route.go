package handlers

import (
	"fmt"
	"net/http"

	"berth/core/access"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
	"berth/handlers/openapi"
)

// Route is one row of the table.
type Route struct {
	Method     string            // one HTTP method
	Pattern    string            // as http.ServeMux takes it, without method: "/api/custom/users/{id}"
	Capability access.Capability // who may; a route without one is refused
	Surface    guard.Surface     // what kind of client it is for
	BodyLimit  int64             // bytes; 0: 1 MiB; guard.AnyBody: the handler bounds it by itself
	Streams    bool              // the answer goes on for long, as server-sent events do
	AnyQuery   bool              // an outside system writes the query, and may add to it what is not described
	Handler    http.Handler
	Operation
}

// Operation is what describes a route of the API, and Param one query parameter of it; see
// there. Pages leave it empty.
type (
	Operation = openapi.Operation
	Param     = openapi.Param
)

// The kinds of query parameters. The help is meaning, unit, range and default.
func text(name, help string) Param   { return Param{Name: name, Type: "string", Help: help} }
func number(name, help string) Param { return Param{Name: name, Type: "integer", Help: help} }
func choice(name, help string) Param { return Param{Name: name, Type: "boolean", Help: help} }

// oneOf is a parameter that takes these words alone.
func oneOf[T ~string](name, help string, words []T) Param {
	p := text(name, help)
	for _, word := range words {
		p.Words = append(p.Words, string(word))
	}
	return p
}

// required returns p as one that a request must have.
func required(p Param) Param { p.Required = true; return p }

// pageParams are what every list takes.
var pageParams = []Param{
	number("limit", "how many items, 1 to 500, default 50"),
	text("after", "the next of the page before"),
}

// check says what is wrong with a row; nothing is served from a table with a bad one.
func (r Route) check() error {
	switch {
	case r.Method == "" || r.Pattern == "" || r.Pattern[0] != '/':
		return fmt.Errorf("route %q %q: a method and a path are needed", r.Method, r.Pattern)
	case !r.Capability.Known():
		return fmt.Errorf("route %s %s: it declares no known capability, so nobody may use it", r.Method, r.Pattern)
	case !r.Surface.Known():
		return fmt.Errorf("route %s %s: it declares no known surface", r.Method, r.Pattern)
	case !r.Surface.Allows(r.Capability):
		return fmt.Errorf("route %s %s: surface %q looks at no credential, so it cannot demand %q", r.Method, r.Pattern, r.Surface, r.Capability)
	case r.Handler == nil:
		return fmt.Errorf("route %s %s: it has no handler", r.Method, r.Pattern)
	}
	return nil
}

// strict is the row's handler, which is asked nothing that the row does not describe. Pages bear with what
// links and scripts add to their addresses, and scrapers and probes with what their callers do.
func (r Route) strict() http.Handler {
	if r.Surface != guard.API || r.AnyQuery {
		return r.Handler
	}
	known := map[string][]string{}
	for _, p := range r.Query {
		known[p.Name] = p.Words
	}
	return endpoint.KnownQuery(known, r.Handler)
}

func (r Route) rule() guard.Rule {
	return guard.Rule{Capability: r.Capability, Surface: r.Surface, BodyLimit: r.BodyLimit, Streams: r.Streams}
}
