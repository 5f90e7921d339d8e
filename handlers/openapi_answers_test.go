package handlers_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/core/wire"
)

// TestAnswersAreWhatTheDescriptionSays plays every operation to a good end on a stand with
// data in it, and holds each request and each answer against the document.
func TestAnswersAreWhatTheDescriptionSays(t *testing.T) {
	s := newStand(t)
	p := s.players(t)
	p.playAll()
	p.d.each(func(method, path string, op map[string]any) {
		if !p.played[op["operationId"].(string)] {
			t.Errorf("%s %s was never played to a good end; add it here", method, path)
		}
	})
}

// players are those of a stand on which everything has an answer.
func (s *stand) players(t *testing.T) *players {
	t.Helper()
	s.deps.Stacks.Files, s.deps.Stacks.Live = rendered{}, linked{}
	s.deps.Stacks.Plans = &planner{plan: stacks.Plan{Services: []stacks.PlannedService{{Service: "app", Action: stacks.PlanRecreate,
		Reasons: []stacks.Reason{{Kind: stacks.ReasonVariable, Name: "TOKEN"}}}}, Missing: []string{"A"}, Warnings: []string{"a warning"}, Providers: []string{"TOKEN"}}}
	s.build()
	return &players{t: t, s: s, d: describe(t, s), named: map[string]string{}, played: map[string]bool{}}
}

// playAll plays every operation, from the first administrator to the last deletion. between,
// when given, are played while everything is there.
func (p *players) playAll(between ...func()) {
	p.t.Helper()
	p.playSession()
	p.key = func() string { _, key := p.s.key(p.s.account(access.RoleAdmin), 0); return key }()
	p.playPeople()
	p.playRepositories()
	p.playGitHosts()
	p.playWebhooks()
	p.playIntegrations()
	p.playAudit()
	p.playBackups()
	p.playMail()
	p.playKeys()
	p.playWorkers()
	p.playStacks()
	p.deploy()
	p.playDeployed()
	p.playHealing()
	p.playJobs()
	p.playRuns()
	p.playVariables()
	p.playJobVariables()
	p.playMachines()
	for _, play := range between {
		play()
	}
	p.playConfiguration()
	p.playDeletions()
}

// rendered holds a rendered file of every revision.
type rendered struct{}

func (rendered) Compose(core.StackID, int) ([]byte, error) {
	return []byte("networks:\n  default:\n    name: web\nservices: {}\n"), nil
}

// linked is a hub whose workers are all there.
type linked struct{ noHub }

func (linked) Act(context.Context, stacks.Stack, string, wire.RequestKind) error { return nil }

func (linked) Logs(_ context.Context, _ stacks.Stack, _ string, ask stacks.LogAsk, w io.Writer) error {
	line := "a line\n"
	if ask.Times {
		line = stacks.LineTime(time.Unix(1700000003, 0)) + line
	}
	_, err := io.WriteString(w, line)
	return err
}

func (linked) Usage(_ context.Context, s stacks.Stack) ([]stacks.ServiceUsage, error) {
	return []stacks.ServiceUsage{{Service: "app", Samples: []stacks.UsageSample{{At: time.Unix(1700000000, 0).UTC(), CPU: 120, Memory: 5 << 20}}}}, nil
}

// players play requests and hold them against the description.
type players struct {
	t            *testing.T
	s            *stand
	d            *description
	key, session string
	proof        string            // authorization beside key and session; mostly empty
	named        map[string]string // what stands for {word} in paths and bodies
	played       map[string]bool   // by operationId: it was answered 2xx
	refusedAway  map[string]bool   // rows that said that the hub is away; nil: none may
}

// play plays a request, demands a status, and returns the answer.
func (p *players) play(status int, method, path, body string) map[string]any {
	p.t.Helper()
	path, body = p.fill(path), p.fill(body)
	op := p.d.operation(method, path)
	if op == nil {
		p.t.Fatalf("%s %s is not described", method, path)
	}
	p.checkQuery(op, method, path)
	if body != "" {
		p.checkRequest(op, method, path, body)
	}
	w := p.answer(method, path, body)
	if p.refusedAway != nil && saysAway(w) {
		return map[string]any{}
	}
	if w.Code != status {
		p.t.Fatalf("%s %s: %d, want %d: %s", method, path, w.Code, status, w.Body)
	}
	if status < 400 {
		p.played[op["operationId"].(string)] = true
	}
	return objectIn(w)
}

// answer plays a request and holds the answer against the description.
func (p *players) answer(method, path, body string) *httptest.ResponseRecorder {
	p.t.Helper()
	w := p.s.do(call{method: method, path: path, body: body, key: p.key, session: p.session, authorization: p.proof})
	for _, complaint := range p.d.complaints(method, path, w) {
		p.t.Errorf("%s %s %d: %s\n%s", method, path, w.Code, complaint, w.Body)
	}
	return w
}

// fill puts names in place of {words} that are known.
func (p *players) fill(text string) string {
	for name, value := range p.named {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// name plays a request whose answer's id is called name from here on.
func (p *players) name(name, method, path, body string) map[string]any {
	p.t.Helper()
	answer := p.play(http.StatusCreated, method, path, body)
	p.named[name] = answer["id"].(string)
	return answer
}

// checkQuery sees that a query has described parameters alone, and that a request without
// one that is described as required is refused.
func (p *players) checkQuery(op map[string]any, method, path string) {
	p.t.Helper()
	to, err := url.Parse(path)
	if err != nil {
		p.t.Fatal(err)
	}
	sent := to.Query()
	described, _ := op["parameters"].([]any)
	for _, one := range described {
		name := at(one, "name").(string)
		if at(one, "in") != "query" {
			continue
		}
		sent.Del(name)
		if at(one, "required") == true {
			without := to.Query()
			without.Del(name)
			p.refused(method, to.Path+"?"+without.Encode(), "")
		}
	}
	for name := range sent {
		p.t.Errorf("%s %s sends %s, which is not described", method, path, name)
	}
}

// checkRequest holds a good body against the description, and sees that a body without a
// field that is described as required is refused, and one without any names no other.
func (p *players) checkRequest(op map[string]any, method, path, body string) {
	p.t.Helper()
	schema := p.d.resolve(at(op, "requestBody", "content", "application/json", "schema"))
	for _, complaint := range p.d.misfits(schema, []byte(body)) {
		p.t.Errorf("%s %s asks %s: %s", method, path, body, complaint)
	}
	required := map[string]bool{}
	names, _ := schema["required"].([]any)
	for _, name := range names {
		required[name.(string)] = true
		p.refused(method, path, without(p.t, body, name.(string)))
	}
	fields, _ := objectIn(p.answer(method, path, "{}"))["fields"].([]any)
	for _, field := range fields {
		if name := at(field, "path").(string); !required[name] {
			p.t.Errorf("%s %s demands %s, which is not described as required", method, path, name)
		}
	}
}

func (p *players) refused(method, path, body string) map[string]any {
	p.t.Helper()
	w := p.answer(method, path, body)
	if w.Code < 400 || w.Code >= 500 {
		p.t.Errorf("%s %s %s was answered %d without something that is described as required", method, path, body, w.Code)
	}
	return objectIn(w)
}

// objectIn is the JSON object of an answer; nil when it is something else.
func objectIn(w *httptest.ResponseRecorder) map[string]any {
	var object map[string]any
	_ = json.Unmarshal(w.Body.Bytes(), &object) // texts and lists were held against the description
	return object
}

func without(t *testing.T, body, name string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(body), &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, name)
	rest, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(rest)
}
