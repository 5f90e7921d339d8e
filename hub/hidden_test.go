package hub

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"berth/core"
	"berth/core/stacks"
	"berth/core/wire"
)

// hides answers a request for a log with text and returns what was asked and what came of it.
func (s *stand) hides(p *puppet, id core.StackID, text string) (wire.Request, string) {
	s.t.Helper()
	return s.logOf(p, id, stacks.LogAsk{Tail: 10}, text)
}

func (s *stand) logOf(p *puppet, id core.StackID, ask stacks.LogAsk, text string) (wire.Request, string) {
	s.t.Helper()
	st, err := s.store.Stack(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	var out bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- s.hub.Logs(s.t.Context(), st, "web", ask, &out) }()
	asked := expect[wire.Request](p)
	half := len(text) / 2
	p.send(wire.Reply{ID: asked.ID, Data: text[:half]})
	p.send(wire.Reply{ID: asked.ID, Data: text[half:], Last: true})
	if err := <-done; err != nil {
		s.t.Fatal(err)
	}
	return asked, out.String()
}

// says has the first revision of a stack say what its Compose file is.
func (s *stand) says(id core.StackID, compose string) {
	s.t.Helper()
	if err := s.hub.opts.Files.PutCompose(s.t.Context(), id, 1, []byte(compose)); err != nil {
		s.t.Fatal(err)
	}
}

func TestALogHidesWhatTheStacksSecretsAre(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	s.secret("TOKEN", "hunter-two-1")
	s.secret("OTHER", "not-of-this-stack")
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\nsecret TOKEN\n"})
	s.says(st.ID, "services: {web: {environment: {TOKEN: \"${TOKEN}\"}}}\n")
	asked, log := s.hides(p, st.ID, "it says hunter-two-1 and not-of-this-stack\n")
	if log != "it says [secret] and not-of-this-stack\n" || asked.Kind != wire.RequestLogs || asked.Secret["TOKEN"] != "${TOKEN}" {
		t.Errorf("asked %+v, the log is %q", asked, log)
	}
	s.secret("TOKEN", "hunter-three-2")
	if _, log := s.hides(p, st.ID, "hunter-three-2\n"); log != "[secret]\n" {
		t.Errorf("the value of today shows: %q", log)
	}
	s.secret("TOKEN", "") // its provider is away: the worker alone hides
	if _, log := s.hides(p, st.ID, "a line\n"); log != "a line\n" {
		t.Errorf("without provider the log is %q", log)
	}
}

func TestAWorkerIsToldWhereSecretsStand(t *testing.T) {
	s := newStand(t)
	templates := map[string]string{}
	if err := s.hub.opts.Files.PutCompose(t.Context(), "stk_1", 1, []byte(strings.Join([]string{"services:", "  web:", "    environment:", "      A: ${S}", `      B: "<${S}|$${X}>"`, "      C: $${S}", "      D: plain", "      E: null", "  db:", "    environment: {F: \"${S}\"}", ""}, "\n"))); err != nil {
		t.Fatal(err)
	}
	if err := s.hub.templatesOf(stacks.Revision{Stack: "stk_1", Number: 1}, "web", templates); err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"A": "${S}", "B": "<${S}|$${X}>"}; !maps.Equal(templates, want) {
		t.Errorf("got %v, want %v", templates, want)
	}
}
