package hubs

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core/config"
	"berth/core/hubcall"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/local/e2e/rig"
	"berth/local/kill"
	"berth/local/stand/gateway"
	"berth/local/stand/runtimeapi"
)

// function runs the handlers on a function host, behind an address that a client can ask.
func (s *site) function() rig.Client {
	s.t.Helper()
	env := append(s.environment("function", s.database), "BERTH_EVENT="+string(config.EventHTTPv2))
	host, err := runtimeapi.Open(runtimeapi.Options{Program: kill.Program(s.t, "./handlers/cmd/function"), Timeout: patience, Env: env})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := host.Close(); err != nil {
			s.t.Error(err)
		}
		if s.t.Failed() {
			s.t.Logf("the function wrote:\n%s", host.Log())
		}
	})
	through := &gateway.Gateway{Form: config.EventHTTPv2, Invoke: host.Invoke}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.Clone(context.WithoutCancel(r.Context()))
		asked.URL.Scheme, asked.URL.Host = "http", r.Host
		answer, err := through.RoundTrip(asked)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			w.Write([]byte(err.Error()))
			return
		}
		defer answer.Body.Close()
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.StatusCode)
		io.Copy(w, answer.Body) // a client that has gone needs no answer
	}))
	s.t.Cleanup(front.Close)
	return rig.Client{T: s.t, URL: front.URL}
}

// needsHub is what cannot be done without a hub.
func needsHub(l *load, st *stack) map[string][2]string {
	path, repository := "/api/custom/stacks/"+string(st.id), "/api/custom/repositories/"+string(l.repoID)
	return map[string][2]string{
		"a plan": {http.MethodGet, path + "/plan"}, "a service's log": {http.MethodGet, path + "/services/app/logs"}, "a restart": {http.MethodPost, path + "/services/app/restart"},
		"files": {http.MethodGet, repository + "/files"}, "commits": {http.MethodGet, repository + "/commits"}, "folders": {http.MethodGet, repository + "/discover"},
	}
}

// away checks that everything that needs a hub says that it is away.
func (s *site) away(l *load, when string) {
	s.t.Helper()
	for what, ask := range needsHub(l, l.stacks[0]) {
		began := time.Now()
		answer := s.api.Ask(ask[0], ask[1], nil)
		took := time.Since(began)
		if answer.Status != http.StatusServiceUnavailable || !strings.Contains(string(answer.Body), `"hub.away"`) || answer.Header.Get("Retry-After") == "" {
			s.t.Errorf("%s, %s: %d %s %s", when, what, answer.Status, answer.Header.Get("Retry-After"), answer.Body)
		}
		if took > hubcall.Commits.Limit() {
			s.t.Errorf("%s, %s: told after %v", when, what, took)
		}
		s.t.Logf("%s, %s: told after %v", when, what, took.Round(time.Millisecond))
	}
}

// With no hub, what only needs the store goes on.
func TestWhatNeedsNoHubGoesOnWithoutOne(t *testing.T) {
	t.Parallel()
	s := onOneHost(t)
	hub := s.hub("hub")
	hub.run()
	s.balancer.before(hub.workers)
	s.setUp(s.function())
	l := newLoad(s, 3, s.worker())
	st := l.stacks[0]
	old := rig.Get[endpoint.Items[api.DeploymentAnswer]](s.api, "/api/custom/stacks/"+string(st.id)+"/deployments?limit=1").Items[0]
	rig.Get[endpoint.Items[api.CommitAnswer]](s.api, "/api/custom/repositories/"+string(l.repoID)+"/commits") // a connection is kept

	hub.process.Signal(syscall.SIGSTOP)
	s.away(l, "the hub stands still")
	began := time.Now()
	for range 5 {
		l.ask(st, "/sync", nil)
	}
	t.Logf("the hub stands still: five syncs were taken within %v", time.Since(began).Round(time.Millisecond))
	hub.process.Signal(syscall.SIGCONT)
	l.settle()

	hub.kill()
	s.away(l, "the hub was killed")
	s.until("its lease has ended", func() (bool, string) {
		answer := s.person.Ask(http.MethodGet, "/", nil)
		return answer.Status == http.StatusOK && strings.Contains(string(answer.Body), "The hub is away."), answer.Header.Get("Content-Type")
	})
	s.away(l, "no hub is there")
	for _, path := range []string{"/stacks/" + string(st.id), "/"} {
		if page := s.person.Ask(http.MethodGet, path, nil); page.Status != http.StatusOK || !strings.Contains(string(page.Body), "has been away for") {
			t.Errorf("the page %s does not say that it may be old: %d", path, page.Status)
		}
	}
	l.withoutHub(old)
	asked := l.ask(st, "/redeploy", api.RedeployRequest{RecreateContainers: true})
	if asked == "" {
		t.Fatal("no deployment is taken")
	}
	if n := s.count(`SELECT count(*) FROM deployments WHERE id = $1 AND state = $2`, asked, stacks.DeploymentQueued); n != 1 {
		t.Error("it is not queued")
	}
	hub.run()
	l.settle()
	if page := s.person.Ask(http.MethodGet, "/", nil); strings.Contains(string(page.Body), "The hub is away.") {
		t.Error("it is still said to be away")
	}
}

// withoutHub reads and changes what is in the store.
func (l *load) withoutHub(old api.DeploymentAnswer) {
	s := l.s
	s.t.Helper()
	stack, deployment, repository := "/api/custom/stacks/"+string(l.stacks[0].id), "/api/custom/deployments/"+string(old.ID), "/api/custom/repositories/"+string(l.repoID)
	for _, path := range []string{"/api/custom/stacks", stack, stack + "/services", stack + "/deployments", stack + "/decisions", stack + "/revisions", stack + "/revisions/1",
		deployment, deployment + "/log", "/api/custom/repositories", repository, "/api/custom/workers", "/api/custom/users", "/api/custom/service-accounts", "/api/custom/variables", "/readyz"} {
		if answer := s.api.Ask(http.MethodGet, path, nil); answer.Status != http.StatusOK {
			s.t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
		}
	}
	if log := s.api.Ask(http.MethodGet, deployment+"/log", nil); !strings.Contains(string(log.Body), "dispatch: ") {
		s.t.Errorf("the log of an old deployment: %s", log.Body)
	}
	if answer := s.api.Ask(http.MethodPost, repository+"/sync", nil); answer.Status != http.StatusAccepted {
		s.t.Errorf("a look at the repository: %d %s", answer.Status, answer.Body)
	}
	stackPage, repositoryPage := "/stacks/"+string(l.stacks[0].id), "/repositories/"+string(l.repoID)
	for _, path := range []string{"/", "/stacks", stackPage, stackPage + "/revisions", stackPage + "/revisions/1", stackPage + "/settings", stackPage + "/variables", stackPage + "/plan",
		stackPage + "/services/app/logs", "/deployments/" + string(old.ID), "/repositories", repositoryPage, repositoryPage + "/settings", "/workers", "/users", "/service-accounts", "/stacks/new?repository=" + string(l.repoID)} {
		answer := s.person.Ask(http.MethodGet, path, nil)
		if answer.Status != http.StatusOK && (answer.Status != http.StatusServiceUnavailable || !strings.Contains(string(answer.Body), "hub")) {
			s.t.Errorf("the page %s: %d %.300s", path, answer.Status, answer.Body)
		}
		s.t.Logf("the page %s: %d", path, answer.Status)
	}
	fresh := s.person
	fresh.Jar = newJar(s.t)
	credentials := url.Values{"email": {email}, "password": {s.password}}
	fresh.Type = "application/x-www-form-urlencoded"
	if answer := fresh.Ask(http.MethodPost, "/login", credentials.Encode()); answer.Status != http.StatusSeeOther {
		s.t.Errorf("signing in: %d %.300s", answer.Status, answer.Body)
	}
}
