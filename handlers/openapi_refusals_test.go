package handlers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/pace"
	"berth/handlers"
	"berth/handlers/guard"
)

// TestEventsAreWhatTheDescriptionSays reads the streams of a deployment and of a run that have ended.
func TestEventsAreWhatTheDescriptionSays(t *testing.T) {
	s := newStand(t)
	p := &players{t: t, s: s, d: describe(t, s), key: s.admin(), named: map[string]string{}, played: map[string]bool{}}
	p.playRepositories()
	p.playWorkers()
	p.playStacks()
	p.deploy()
	p.playJobs()
	p.playRuns()
	p.eventsAre("/api/custom/deployments/{deployment}/stream", map[string]string{"log": "LogPiece", "end": "DeploymentAnswer"})
	p.eventsAre("/api/custom/job-runs/{run}/stream", map[string]string{"log": "LogPiece", "end": "RunAnswer"})
}

// eventsAre reads a stream to its end and holds each event against the schema of its kind.
func (p *players) eventsAre(path string, kinds map[string]string) {
	t := p.t
	t.Helper()
	w := p.answer("GET", p.fill(path), "")
	seen := ""
	for _, event := range strings.Split(strings.TrimSpace(w.Body.String()), "\n\n") {
		head, data, found := strings.Cut(event, "\ndata: ")
		kind := head[strings.Index(head, "event: ")+len("event: "):]
		if !found || kinds[kind] == "" {
			t.Fatalf("the event %q is of no described kind", event)
		}
		for _, complaint := range p.d.misfits(at(p.d.doc, "components", "schemas", kinds[kind]), []byte(data)) {
			t.Errorf("%s: %s", event, complaint)
		}
		seen += kind + " "
	}
	if seen != "log end " {
		t.Errorf("%s: the events are %s", path, seen)
	}
}

// TestRefusalsAreWhatTheDescriptionSays plays every operation in every way that the guard or
// the decoder refuses, and holds each answer against the document.
func TestRefusalsAreWhatTheDescriptionSays(t *testing.T) {
	s := newStand(t)
	p := &players{t: t, s: s, d: describe(t, s), key: s.admin()}
	_, viewer := s.key(s.account(access.RoleViewer), 0)
	statuses := map[int]int{}
	p.d.each(func(method, pattern string, op map[string]any) {
		path := absent(pattern)
		try := func(name string, c call) {
			c.method, c.path = method, path
			w := s.doBriefly(c, strings.HasSuffix(pattern, "/stream"))
			for _, complaint := range p.d.complaints(method, path, w) {
				t.Errorf("%s %s, %s: %d: %s\n%s", method, path, name, w.Code, complaint, w.Body)
			}
			statuses[w.Code]++
		}
		try("nobody", call{})
		try("a bad key", call{key: "berth_sk_no"})
		try("a viewer", call{key: viewer, body: "{}"})
		try("another site", call{key: p.key, header: http.Header{"Sec-Fetch-Site": {"cross-site"}}})
		for name, body := range map[string]string{"no JSON": "{", "an unknown field": `{"x":1}`, "a wrong type": "[]", "nothing": "{}", "too much": strings.Repeat(" ", 1<<20+1)} {
			try(name, call{key: p.key, body: body})
		}
		try("another media type", call{key: p.key, body: "{}", header: http.Header{"Content-Type": {"text/plain"}}})
		path += "?" + badQuery(op)
		try("a bad query", call{key: p.key, body: "{}"})
		path = absent(pattern) + "?nobody=knows"
		try("a parameter that is not described", call{key: p.key, body: "{}"})
	})
	for _, status := range []int{400, 401, 403, 404, 413, 415, 422} {
		if statuses[status] == 0 {
			t.Errorf("nothing was answered with %d: %v", status, statuses)
		}
	}
}

// badQuery gives every parameter of an operation a value that most cannot have.
func badQuery(op map[string]any) string {
	bad := url.Values{}
	described, _ := op["parameters"].([]any)
	for _, one := range described {
		if p, _ := one.(map[string]any); p["in"] == "query" {
			bad.Set(p["name"].(string), "../x")
		}
	}
	return bad.Encode()
}

// TestAParameterThatNobodyDescribedIsRefused asks every operation with one: the answer names it, and those that
// there are, and nothing is done.
func TestAParameterThatNobodyDescribedIsRefused(t *testing.T) {
	s := newStand(t)
	key := s.admin()
	rows := 0
	for _, r := range handlers.Routes(s.deps) {
		w := s.doBriefly(call{method: r.Method, path: absent(r.Pattern) + "?nobody=knows", key: key, body: "{}"}, r.Streams)
		refused := w.Code == 400 && strings.Contains(w.Body.String(), `"query.unknown"`)
		if refused != (r.Surface == guard.API && !r.AnyQuery) {
			t.Errorf("%s %s, which is for %s: %d %s", r.Method, r.Pattern, r.Surface, w.Code, w.Body)
		}
		if r.Surface != guard.API || r.AnyQuery {
			continue
		}
		rows++
		for _, p := range r.Query {
			if !strings.Contains(w.Body.String(), p.Name) {
				t.Errorf("%s %s does not say that it takes %s: %s", r.Method, r.Pattern, p.Name, w.Body)
			}
		}
	}
	if rows < 60 {
		t.Errorf("only %d operations were asked", rows)
	}
}

// TestAWordThatIsNoneIsRefused asks every operation that takes words with another one: the answer names them, and the
// description lists them.
func TestAWordThatIsNoneIsRefused(t *testing.T) {
	s := newStand(t)
	key, d := s.admin(), describe(t, s)
	asked := map[string]bool{}
	for _, r := range handlers.Routes(s.deps) {
		for _, p := range r.Query {
			if len(p.Words) == 0 {
				continue
			}
			asked[r.Pattern+"?"+p.Name] = true
			path := absent(r.Pattern) + "?" + p.Name + "="
			if w := s.do(call{method: r.Method, path: path + "nonsense", key: key}); w.Code != 422 || !strings.Contains(w.Body.String(), "must be one of "+strings.Join(p.Words, ", ")) {
				t.Errorf("%s %s: %d %s", r.Method, path, w.Code, w.Body)
			}
			if w := s.do(call{method: r.Method, path: path + p.Words[0], key: key}); w.Code == 422 && strings.Contains(w.Body.String(), "must be one of") {
				t.Errorf("%s %s%s: %d %s", r.Method, path, p.Words[0], w.Code, w.Body)
			}
			if got := fmt.Sprint(d.words(r.Method, r.Pattern, p.Name)); got != fmt.Sprint(p.Words) {
				t.Errorf("%s %s: of %s it is said that it is one of %s", r.Method, r.Pattern, p.Name, got)
			}
		}
	}
	for _, want := range []string{"/api/custom/jobs?standing", "/api/custom/jobs/{id}/runs?state", "/api/custom/stacks?status", "/api/custom/variables?scope", "/api/custom/variables/export?scope"} {
		if !asked[want] {
			t.Errorf("%s takes any word", want)
		}
	}
}

// words are those that the description lists for a query parameter.
func (d *description) words(method, pattern, name string) any {
	parameters, _ := at(d.doc, "paths", pattern, strings.ToLower(method), "parameters").([]any)
	for _, p := range parameters {
		if at(p, "name") == name {
			return at(p, "schema", "enum")
		}
	}
	return nil
}

// TestOverloadIsWhatTheDescriptionSays plays every operation under limits that let nothing in.
func TestOverloadIsWhatTheDescriptionSays(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*stand)
		status int
	}{
		"too often":   {func(s *stand) { s.deps.Guard.Limits.Rate = pace.Rule{Burst: 1, Every: time.Hour} }, 429},
		"too many":    {func(s *stand) { s.deps.Guard.Limits.InFlight = 0 }, 503},
		"no database": {func(s *stand) { s.deps.Ops.Store = broken{} }, 503},
	} {
		s := newStand(t)
		p := &players{t: t, s: s, d: describe(t, s)}
		c.change(s)
		s.build()
		statuses := map[int]int{}
		p.d.each(func(method, path string, _ map[string]any) {
			statuses[p.answer(method, absent(path), "").Code]++
		})
		if statuses[c.status] == 0 {
			t.Errorf("%s: nothing was answered with %d: %v", name, c.status, statuses)
		}
	}
}

// broken is a database that does not answer.
type broken struct{}

func (broken) Ping(context.Context) error { return errors.New("away") }

func (broken) Room() bool { return true }

// TestTheDescriptionIsTheSameEachTime also proves that it needs no credential.
func TestTheDescriptionIsTheSameEachTime(t *testing.T) {
	first, second := newStand(t), newStand(t)
	get := func(s *stand) []byte {
		return s.do(call{method: "GET", path: "/api/custom/openapi.json"}).Body.Bytes()
	}
	if a, b := get(first), get(second); !bytes.Equal(a, b) || len(a) < 10_000 {
		t.Errorf("%d bytes, then %d others", len(a), len(b))
	}
}
