package hubport_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"berth/core"
	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/hubcall"
	"berth/core/hubs"
	"berth/core/integrations"
	"berth/core/lint"
	"berth/core/metrics"
	"berth/core/policy"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/hub/adapter/hubclient"
	"berth/hub/adapter/websocket"
	"berth/hub/hubport"
)

// stand is a hub behind its port, with a client that calls it.
type stand struct {
	*hubclient.Client
	heard   chan string // what the hub was told
	log     string      // what Logs writes
	asked   atomic.Pointer[stacks.LogAsk]
	problem error // what the hub answers, after log
	git     *coretest.FakeGit
	probed  atomic.Pointer[core.GitSource]
	row     hubs.Hub
	head    core.Commit
	away    error // what the directory says
	dead    []hubs.Known
	workers []fleet.Worker
	stop    func()
	url     string
	key     *hubcall.Key
}

func (s *stand) say(text string) { s.heard <- text }

func (s *stand) Nudge()                   { s.say("nudge") }
func (s *stand) Wake(id core.WorkerID)    { s.say("wake " + string(id)) }
func (s *stand) Arrived(tags []string)    { s.say("arrived " + strings.Join(tags, ",")) }
func (s *stand) RunEnded()                { s.say("run ended") }
func (s *stand) Revoked(id core.WorkerID) { s.say("revoked " + string(id)) }
func (s *stand) Act(_ context.Context, st stacks.Stack, service string, kind wire.RequestKind) error {
	s.say(string(st.ID) + " " + service + " " + string(kind))
	return s.problem
}
func (s *stand) Logs(_ context.Context, st stacks.Stack, service string, ask stacks.LogAsk, w io.Writer) error {
	s.asked.Store(&ask)
	for line := range strings.Lines(s.log) {
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return s.problem
}
func (s *stand) Usage(_ context.Context, st stacks.Stack) ([]stacks.ServiceUsage, error) {
	return []stacks.ServiceUsage{{Service: string(st.ID), Samples: []stacks.UsageSample{{At: time.Unix(7, 0).UTC(), CPU: 120, Memory: 5 << 20}}}}, s.problem
}
func (s *stand) Plan(_ context.Context, id core.StackID) (stacks.Plan, error) {
	return stacks.Plan{Stack: id, Commit: "abc", Revision: 3, Services: []stacks.PlannedService{{Service: "web", Action: stacks.PlanRecreate,
		Reasons: []stacks.Reason{{Kind: stacks.ReasonField, Name: "image", Before: "a", After: "b"}}}}, Warnings: []string{"w"}}, s.problem
}
func (s *stand) Lint(_ context.Context, ask lint.Ask) ([]lint.Finding, error) {
	return []lint.Finding{{Code: "image.unpinned", Severity: lint.Advice, Place: core.Place{File: "compose.yaml", Line: len(ask.Files)}}}, s.problem
}
func (s *stand) PolicyPlan(_ context.Context, worker core.WorkerID, rules policy.Rules) (fleet.PolicyPlan, error) {
	return fleet.PolicyPlan{Stacks: []fleet.RefusedStack{{ID: "stk_1", Name: string(worker), Violations: []stacks.Violation{{
		Refusal: policy.Refusal{Path: "services.web.image", Rule: "allow.images", From: policy.FromWorker}, Place: core.Place{File: "web/compose.yaml", Line: len(rules.Allow.Images)}}}}}}, s.problem
}
func (s *stand) Stack(_ context.Context, id core.StackID) (stacks.Stack, error) {
	if id == "stk_none" {
		return stacks.Stack{}, fault.New(fault.NotFound, "stack.not_found", "There is no such stack.")
	}
	return stacks.Stack{ID: id, Worker: "wrk_1"}, nil
}
func (s *stand) Repository(_ context.Context, id core.RepositoryID) (repositories.Repository, error) {
	return repositories.Repository{ID: id, Head: s.head}, nil
}
func (s *stand) commit() {
	s.head = s.git.Commit("https://git.example/apps.git", "main", map[string]string{"web/compose.yaml": "services: {}\n", "web/wireops.yaml": "version: wireops.v1\n"})
}

// ScanHost implements repositories.HostScanner.
func (s *stand) ScanHost(_ context.Context, address string) ([]repositories.HostKey, error) {
	return []repositories.HostKey{{Type: "ssh-ed25519", Key: "of " + address}}, s.problem
}

func (s *stand) Probe(_ context.Context, src core.GitSource) error {
	s.probed.Store(&src)
	return s.problem
}
func (s *stand) All(_ context.Context, f metrics.Format, w io.Writer) error {
	_, err := fmt.Fprintf(w, "# HELP up Up.\n# TYPE up gauge\nup{hub=%q,gzip=\"%t\"} 1\n", f.Hub, f.Gzip)
	return errors.Join(err, s.problem)
}
func (s *stand) Worker(_ context.Context, id core.WorkerID, f metrics.Format, w io.Writer) error {
	if id == "wrk_off" {
		return errNoWorker
	}
	_, err := fmt.Fprintf(w, "of %s %t", id, f.OpenMetrics)
	return err
}

var errNoWorker = fault.New(fault.NotFound, "worker.not_found", "There is no such worker.")

// directory is where hubs are.
type directory struct{ s *stand }

func (d directory) Hubs(context.Context) ([]hubs.Hub, error) { return []hubs.Hub{d.s.row}, d.s.away }
func (d directory) HolderOf(context.Context, hubs.LeaseName) (hubs.Hub, error) {
	return d.s.row, d.s.away
}
func (d directory) HubOfWorker(_ context.Context, id core.WorkerID) (hubs.Hub, error) {
	if id == "wrk_off" || id == "wrk_none" {
		return hubs.Hub{}, fault.New(fault.Unavailable, "worker.offline", "It is offline.")
	}
	return d.s.row, d.s.away
}

func (d directory) KnownHubs(context.Context) ([]hubs.Known, error) {
	return append([]hubs.Known{{Hub: d.s.row, Up: d.s.away == nil}}, d.s.dead...), nil
}
func (d directory) UsableWorkers(context.Context) ([]fleet.Worker, error) { return d.s.workers, nil }
func (d directory) Worker(_ context.Context, id core.WorkerID) (fleet.Worker, error) {
	for _, w := range d.s.workers {
		if w.ID == id {
			return w, nil
		}
	}
	return fleet.Worker{}, errNoWorker
}

// Environment implements hubport.Hub.
func (s *stand) Environment(_ context.Context, id core.StackID) (stacks.Environment, error) {
	return stacks.Environment{Commit: "c1", File: string(id), Provided: []string{"A"}, Missing: []string{"B"}, Uses: map[string][]string{"A": {"web"}}}, s.problem
}

// Test implements integrations.Outside.
func (s *stand) Test(_ context.Context, slug string) error {
	s.heard <- "test " + slug
	return s.problem
}

// Pick implements integrations.Outside.
func (s *stand) Pick(_ context.Context, slug string, step integrations.Step) ([]integrations.Choice, error) {
	return []integrations.Choice{{ID: slug, Name: string(step.Kind) + " of " + step.Mount, Folder: true}}, s.problem
}

// source is the stand as a metrics.Source.
type source struct{ *stand }

func open(t *testing.T) *stand {
	t.Helper()
	certificate, key, err := websocket.SelfSigned([]string{"localhost"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &stand{heard: make(chan string, 16), git: coretest.NewFakeGit(), url: "https://" + l.Addr().String()}
	s.row = hubs.Hub{ID: "hub_1", URL: s.url, Pin: websocket.Pin(pair.Leaf)}
	s.key = hubcall.NewKey(ring.Subkey(seal.PurposeHub), time.Now)
	port := hubport.New(hubport.Options{Key: s.key, Hub: s, Find: s, Browser: repositories.NewBrowser(s.git), Prober: s, Scanner: s, Seals: ring,
		Backends: s, Secrets: s, Metrics: source{s}, Certificate: pair, Version: "1.2.0", Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- port.Run(ctx, l) }()
	s.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the port ended with %v", err)
		}
		ended <- nil
	}
	s.Client = hubclient.New(hubclient.Options{Key: hubcall.NewKey(ring.Subkey(seal.PurposeHub), time.Now), Directory: directory{s}, Seals: ring, Version: "1.1.0", Now: time.Now})
	t.Cleanup(s.Client.Close)
	t.Cleanup(s.stop)
	return s
}

func (s *stand) want(t *testing.T, text string) {
	t.Helper()
	select {
	case got := <-s.heard:
		if got != text {
			t.Errorf("the hub heard %q, want %q", got, text)
		}
	default:
		t.Errorf("the hub did not hear %q", text)
	}
}

func TestEveryCallArrives(t *testing.T) {
	s := open(t)
	ctx := t.Context()
	s.Client.Nudge()
	s.want(t, "nudge")
	s.Client.Revoked("wrk_1")
	s.want(t, "revoked wrk_1")
	s.Client.Wake(ctx, "wrk_1")
	s.want(t, "wake wrk_1")
	s.Client.Arrived(ctx, []string{"a", "b"})
	s.want(t, "arrived a,b")
	s.Client.RunEnded(ctx)
	s.want(t, "run ended")
	if err := s.Client.Act(ctx, stacks.Stack{ID: "stk_1", Worker: "wrk_1"}, "web", wire.RequestRestart); err != nil {
		t.Error(err)
	}
	s.want(t, "stk_1 web "+string(wire.RequestRestart))

	if err := s.Client.Test(ctx, "vault"); err != nil {
		t.Error(err)
	}
	s.want(t, "test vault")
	choices, err := s.Client.Pick(ctx, "vault", integrations.Step{Kind: integrations.StepPaths, Mount: "kv"})
	if want := []integrations.Choice{{ID: "vault", Name: "paths of kv", Folder: true}}; err != nil || !slices.Equal(choices, want) {
		t.Errorf("choices %+v, %v", choices, err)
	}
	read, _ := s.Environment(ctx, "stk_1")
	if environment, err := s.Client.Environment(ctx, "stk_1"); err != nil || !reflect.DeepEqual(environment, read) {
		t.Errorf("environment %+v, %v", environment, err)
	}
	s.log = "one\ntwo\n"
	var log bytes.Buffer
	if err := s.Client.Logs(ctx, stacks.Stack{ID: "stk_1", Worker: "wrk_1"}, "web", stacks.LogAsk{Tail: 10, Times: true}, &log); err != nil || log.String() != s.log || *s.asked.Load() != (stacks.LogAsk{Tail: 10, Times: true}) {
		t.Errorf("log %q, asked %+v, %v", log.String(), *s.asked.Load(), err)
	}
	wanted, _ := s.Plan(ctx, "stk_1")
	if plan, err := s.Client.Plan(ctx, "stk_1"); err != nil || !reflect.DeepEqual(plan, wanted) {
		t.Errorf("plan %+v, %v", plan, err)
	}
	files := lint.Ask{Files: map[string]string{"compose.yaml": "services: {}"}}
	found, _ := s.Lint(ctx, files)
	if told, err := s.Client.Lint(ctx, files); err != nil || !reflect.DeepEqual(told, found) {
		t.Errorf("findings %+v, %v", told, err)
	}
	rules := policy.Rules{Allow: policy.Lists{Images: []string{"a", "b"}, Volumes: []string{}}}
	refused, _ := s.PolicyPlan(ctx, "wrk_1", rules)
	if plan, err := s.Client.PolicyPlan(ctx, "wrk_1", rules); err != nil || !reflect.DeepEqual(plan, refused) {
		t.Errorf("plan of a policy %+v, %v", plan, err)
	}
	var text bytes.Buffer
	if err := s.Client.Worker(ctx, "wrk_1", metrics.Format{OpenMetrics: true}, &text); err != nil || text.String() != "of wrk_1 true" {
		t.Errorf("metrics of a worker %q, %v", text.String(), err)
	}
	text.Reset()
	if err := s.Client.All(ctx, metrics.Format{Gzip: true}, &text); err != nil || !strings.HasSuffix(text.String(), "\nup{hub=\"hub_1\",gzip=\"true\"} 1\n") {
		t.Errorf("metrics %q, %v", text.String(), err)
	}
}

func TestAScrapeTellsOfHubsThatDiedAndOfWorkersThatNoHubKnows(t *testing.T) {
	s := open(t)
	s.dead = []hubs.Known{{Hub: hubs.Hub{ID: "hub_0", URL: "https://gone:8091"}}}
	s.workers = []fleet.Worker{{ID: "wrk_off", Hostname: "off"}}
	var text bytes.Buffer
	if err := s.Client.All(t.Context(), metrics.Format{}, &text); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`berth_hub_up{hub="hub_0",url="https://gone:8091"} 0`, `up{hub="hub_1",gzip="true"} 1`, `berth_worker_up{worker="wrk_off",hostname="off"} 0`} {
		if !strings.Contains(text.String(), line+"\n") {
			t.Errorf("no line %s in\n%s", line, text.String())
		}
	}
	text.Reset()
	if err := s.Client.Worker(t.Context(), "wrk_off", metrics.Format{}, &text); err != nil || !strings.Contains(text.String(), `berth_worker_up{worker="wrk_off",hostname="off"} 0`) {
		t.Errorf("a worker that no hub knows: %q, %v", text.String(), err)
	}
	s.workers[0].Revoked = true
	for _, id := range []core.WorkerID{"wrk_off", "wrk_none"} {
		if err := s.Client.Worker(t.Context(), id, metrics.Format{}, &text); fault.CodeOf(err) != "worker.not_found" {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestRepositoriesAreReadWhereTheirCopiesAre(t *testing.T) {
	s := open(t)
	src := core.GitSource{Repository: "rep_1", URL: "https://git.example/apps.git", Branch: "main"}
	s.commit()
	if _, err := s.git.Fetch(t.Context(), src); err != nil {
		t.Fatal(err)
	}
	r := repositories.Repository{ID: "rep_1"}
	if commits, err := s.Client.Commits(t.Context(), r, 5); err != nil || len(commits) == 0 {
		t.Errorf("commits %+v, %v", commits, err)
	}
	shown, err := s.Client.Show(t.Context(), r, "", "web/compose.yaml")
	if err != nil || shown.Content != "services: {}\n" || shown.Folder {
		t.Errorf("a file %+v, %v", shown, err)
	}
	if _, err := s.Client.Show(t.Context(), r, "short", "web"); fault.CodeOf(err) != "repository.bad_commit" {
		t.Errorf("a bad commit: %v", err)
	}
	if found, err := s.Client.Discover(t.Context(), r); err != nil || len(found.Found) != 1 {
		t.Errorf("discovered %+v, %v", found, err)
	}
	src.Username, src.Password = "deploy", secrets.NewValue("canary")
	if err := s.Client.Probe(t.Context(), src); err != nil {
		t.Error(err)
	}
	if got := s.probed.Load(); got == nil || got.URL != src.URL || got.Username != "deploy" || got.Password.Reveal() != "canary" {
		t.Errorf("probed %+v", got)
	}
	ssh := core.GitSource{Repository: "rep_3", URL: "ssh://git@git.example.com/a", Key: secrets.NewValue("canary key"), HostKeys: []string{"ssh-ed25519 AAAA"}}
	if err := s.Client.Probe(t.Context(), ssh); err != nil {
		t.Error(err)
	}
	if got := s.probed.Load(); got.Key.Reveal() != "canary key" || !slices.Equal(got.HostKeys, ssh.HostKeys) || !got.Password.Empty() {
		t.Errorf("probed %+v", got)
	}
	if keys, err := s.Client.ScanHost(t.Context(), "git.example.com:22"); err != nil || len(keys) != 1 || keys[0].Key != "of git.example.com:22" {
		t.Errorf("scanned %+v, %v", keys, err)
	}
	s.problem = fault.New(fault.Unauthenticated, "git.credential_refused", "No.")
	if err := s.Client.Probe(t.Context(), core.GitSource{Repository: "rep_2", URL: src.URL}); fault.CodeOf(err) != "git.credential_refused" {
		t.Errorf("got %v", err)
	}
}

func TestAnAnswerThatEndsBadlySaysSo(t *testing.T) {
	s := open(t)
	s.log, s.problem = "one\n", fault.New(fault.Unavailable, "worker.offline", "It went away.").After(10*time.Second)
	var log bytes.Buffer
	err := s.Client.Logs(t.Context(), stacks.Stack{ID: "stk_1", Worker: "wrk_1"}, "web", stacks.LogAsk{Tail: 10, Follow: true}, &log)
	var known *fault.Error
	if log.String() != "one\n" || !errors.As(err, &known) || known.Code != "worker.offline" || known.RetryAfter != 10*time.Second {
		t.Errorf("log %q, %v", log.String(), err)
	}
	if err := s.Client.Logs(t.Context(), stacks.Stack{ID: "stk_none", Worker: "wrk_1"}, "web", stacks.LogAsk{Tail: 10, Follow: true}, &log); fault.CodeOf(err) != "stack.not_found" {
		t.Errorf("got %v", err)
	}
	s.problem = errors.New("our own detail")
	if err := s.Client.Act(t.Context(), stacks.Stack{ID: "stk_1", Worker: "wrk_1"}, "web", wire.RequestStop); !fault.Is(err, fault.Internal) || strings.Contains(err.Error(), "our own detail") {
		t.Errorf("got %v", err)
	}
	if err := s.Client.Act(t.Context(), stacks.Stack{ID: "stk_1"}, "web", wire.RequestStop); fault.CodeOf(err) != "stack.not_deployed" {
		t.Errorf("got %v", err)
	}
	full := errors.New("full")
	s.problem = nil
	if err := s.Client.Logs(t.Context(), stacks.Stack{ID: "stk_1", Worker: "wrk_1"}, "web", stacks.LogAsk{Tail: 10, Follow: true}, refusing{full}); !errors.Is(err, full) {
		t.Errorf("whoever asked takes no more: %v", err)
	}
	if _, err := s.Client.Plan(t.Context(), "stk_1"); err != nil {
		t.Errorf("the hub is taken to be away because somebody left: %v", err)
	}
}

// refusing takes nothing.
type refusing struct{ err error }

func (r refusing) Write([]byte) (int, error) { return 0, r.err }

func TestAHubThatIsAwayIsSaidToBe(t *testing.T) {
	s := open(t)
	s.stop()
	if _, err := s.Client.Plan(t.Context(), "stk_1"); fault.CodeOf(err) != "hub.away" || !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v", err)
	}
	s.Client.Nudge() // and nobody is kept waiting
	var text bytes.Buffer
	if err := s.Client.All(t.Context(), metrics.Format{}, &text); fault.CodeOf(err) != "hub.away" || text.Len() > 0 {
		t.Errorf("got %q, %v", text.String(), err)
	}
	s.away = fault.New(fault.Unavailable, "hub.away", "None.")
	if _, err := s.Client.Plan(t.Context(), "stk_1"); fault.CodeOf(err) != "hub.away" {
		t.Errorf("got %v", err)
	}
}

func TestNobodyElseIsHeardOrBelieved(t *testing.T) {
	s := open(t)
	s.row.Pin[3] ^= 1
	if _, err := s.Client.Plan(t.Context(), "stk_1"); fault.CodeOf(err) != "hub.away" {
		t.Errorf("a hub with another key: %v", err)
	}
	stranger := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	t.Cleanup(stranger.CloseIdleConnections)
	speaks := ""
	post := func(method, path, body, proof string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(hubcall.Header, proof)
		if speaks != "" {
			r.Header.Set(hubcall.SpeaksHeader, speaks)
		}
		w, err := stranger.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Body.Close()
		text, err := io.ReadAll(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		return w.StatusCode, string(text)
	}
	proven := s.key.Prove(hubcall.Nudge, []byte("{}"))
	speaks = "2 1.3.0"
	if status, text := post("POST", "/internal/nudge", "{}", proven); status != http.StatusUnprocessableEntity || !strings.Contains(text, `"code":"hub_call.protocol"`) || !strings.Contains(text, "release 1.2.0 and speaks protocol 1") ||
		!strings.Contains(text, "release 1.3.0 and speaks 2") || !strings.Contains(text, "Update the hub") {
		t.Errorf("a caller of another protocol: %d %s", status, text)
	}
	speaks = "1 1.3.0"
	if status, text := post("POST", "/internal/brew", "{}", ""); status != http.StatusUnprocessableEntity || !strings.Contains(text, "The hub is release 1.2.0 and knows no such call; what called it is release 1.3.0.") {
		t.Errorf("a call of a newer release: %d %s", status, text)
	}
	speaks = ""
	for name, c := range map[string]struct{ method, path, body, proof, code string }{
		"without proof":  {"POST", "/internal/nudge", "{}", "", "hub_call.refused"},
		"a bad proof":    {"POST", "/internal/nudge", "{}", "1.2.3", "hub_call.refused"},
		"another method": {"GET", "/internal/nudge", "", "", "hub_call.unknown"},
		"another path":   {"POST", "/metrics", "{}", "", "hub_call.unknown"},
		"no such call":   {"POST", "/internal/none", "{}", s.key.Prove("none", []byte("{}")), "hub_call.unknown"},
		"noise":          {"POST", "/internal/nudge", "{", s.key.Prove(hubcall.Nudge, []byte("{")), "hub_call.malformed"},
		"too much":       {"POST", "/internal/nudge", strings.Repeat(" ", hubcall.MaxBody+1), "", "hub_call.malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			if status, text := post(c.method, c.path, c.body, c.proof); status != http.StatusUnprocessableEntity || !strings.Contains(text, `"code":"`+c.code+`"`) {
				t.Errorf("got %d %s, want %s", status, text, c.code)
			}
		})
	}
	proof := s.key.Prove(hubcall.Nudge, []byte("{}"))
	if status, text := post("POST", "/internal/nudge", "{}", proof); status != http.StatusOK {
		t.Errorf("a proven call: %d %s", status, text)
	}
	s.want(t, "nudge")
	if status, text := post("POST", "/internal/nudge", "{}", proof); status != http.StatusUnprocessableEntity || !strings.Contains(text, "hub_call.repeated") {
		t.Errorf("the same again: %d %s", status, text)
	}
}
