package handlers

import (
	"fmt"
	"net/http"
	"path"
	"strings"

	"berth/core/fault"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// Mux builds the server's handler from the route table, guard included. It fails, naming
// the row, when a route is incomplete or two of them clash.
func Mux(d Deps) (http.Handler, error) { return build(d.Guard, Routes(d)) }

func build(cfg guard.Config, routes []Route) (http.Handler, error) {
	g, err := guard.New(cfg)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for _, route := range routes {
		if err := route.check(); err != nil {
			return nil, err
		}
		if err := register(mux, route, g); err != nil {
			return nil, err
		}
	}
	return g.Outer(strictMux{mux}), nil
}

// register adds a route; http.ServeMux panics where two clash, and a table is better
// refused in words.
func register(mux *http.ServeMux, route Route, g *guard.Guard) (err error) {
	defer func() {
		if clash := recover(); clash != nil {
			err = fmt.Errorf("route %s %s: %v", route.Method, route.Pattern, clash)
		}
	}()
	mux.Handle(route.Method+" "+route.Pattern, g.Admit(route.rule(), route.strict()))
	return nil
}

// strictMux serves the routes of a ServeMux and answers everything else as a problem.
// It does not redirect a path that is not clean: no client of ours sends one.
type strictMux struct{ mux *http.ServeMux }

// ServeHTTP serves r or answers 404 or 405.
func (s strictMux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !clean(r.URL.EscapedPath()) {
		endpoint.Fail(w, r, errNoRoute)
		return
	}
	matched, pattern := s.mux.Handler(r)
	switch {
	case strings.Contains(pattern, "{"): // what stands there is found by matching once more
		s.mux.ServeHTTP(w, r)
		return
	case pattern != "":
		r.Pattern = pattern
		matched.ServeHTTP(w, r)
		return
	}
	// The mux alone knows which methods would have matched; it says so in its own answer.
	own := &discard{header: http.Header{}}
	matched.ServeHTTP(own, r)
	if allow := own.header.Get("Allow"); own.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", allow)
		endpoint.WriteProblem(w, r, methodProblem(r, allow))
		return
	}
	endpoint.Fail(w, r, errNoRoute)
}

var errNoRoute = fault.New(fault.NotFound, "route.not_found", "There is nothing at this address.")

// methodProblem is the one answer whose status stands for no kind of fault.
func methodProblem(r *http.Request, allow string) endpoint.Problem {
	return endpoint.Problem{Type: "about:blank", Title: http.StatusText(http.StatusMethodNotAllowed), Status: http.StatusMethodNotAllowed,
		Detail: "This address does not take " + r.Method + "; it takes " + allow + ".", Code: "route.method_not_allowed",
		RequestID: endpoint.RequestID(r.Context())}
}

func clean(p string) bool {
	return p == "/" || path.Clean(p) == strings.TrimSuffix(p, "/") && strings.HasPrefix(p, "/")
}

// discard is an answer of which only status and header are kept.
type discard struct {
	header http.Header
	status int
}

// Header returns the answer's header.
func (d *discard) Header() http.Header { return d.header }

// WriteHeader keeps the status.
func (d *discard) WriteHeader(status int) { d.status = status }

// Write keeps nothing.
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
