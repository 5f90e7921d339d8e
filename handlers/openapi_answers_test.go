package handlers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/pace"
	"berth/core/stacks"
	"berth/core/wire"
)

// TestAnswersAreWhatTheDescriptionSays plays every operation to a good end on a stand with
// data in it, and holds each request and each answer against the document.
func TestAnswersAreWhatTheDescriptionSays(t *testing.T) {
	s := newStand(t)
	s.deps.Stacks.Files, s.deps.Stacks.Live = rendered{}, linked{}
	s.build()
	p := &players{t: t, s: s, d: describe(t, s), named: map[string]string{}, played: map[string]bool{}}
	p.playSession()
	p.key = func() string { _, key := s.key(s.account(access.RoleAdmin), 0); return key }()
	p.playPeople()
	p.playRepositories()
	p.playWorkers()
	p.playStacks()
	p.deploy()
	p.playDeployed()
	p.playVariables()
	p.playMachines()
	p.playDeletions()
	p.d.each(func(method, path string, op map[string]any) {
		if !p.played[op["operationId"].(string)] {
			t.Errorf("%s %s was never played to a good end; add it here", method, path)
		}
	})
}

// rendered holds a rendered file of every revision.
type rendered struct{}

func (rendered) Compose(core.StackID, int) ([]byte, error) { return []byte("services: {}\n"), nil }

// linked is a hub whose workers are all there.
type linked struct{ noHub }

func (linked) Act(context.Context, stacks.Stack, string, wire.RequestKind) error { return nil }

func (linked) Logs(_ context.Context, _ stacks.Stack, _ string, _ int, _ bool, w io.Writer) error {
	_, err := io.WriteString(w, "a line\n")
	return err
}

// players play requests and hold them against the description.
type players struct {
	t            *testing.T
	s            *stand
	d            *description
	key, session string
	named        map[string]string // what stands for {word} in paths and bodies
	played       map[string]bool   // by operationId: it was answered 2xx
}

// play plays a request, demands a status, and returns the answer.
func (p *players) play(status int, method, path, body string) map[string]any {
	p.t.Helper()
	path, body = p.fill(path), p.fill(body)
	op := p.d.operation(method, path)
	if op == nil {
		p.t.Fatalf("%s %s is not described", method, path)
	}
	if body != "" {
		p.checkRequest(op, method, path, body)
	}
	w := p.answer(method, path, body)
	if w.Code != status {
		p.t.Fatalf("%s %s: %d, want %d: %s", method, path, w.Code, status, w.Body)
	}
	if status < 300 {
		p.played[op["operationId"].(string)] = true
	}
	return objectIn(w)
}

// answer plays a request and holds the answer against the description.
func (p *players) answer(method, path, body string) *httptest.ResponseRecorder {
	p.t.Helper()
	w := p.s.do(call{method: method, path: path, body: body, key: p.key, session: p.session})
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
		p.t.Errorf("%s %s was answered %d to %s, without a field that is described as required", method, path, w.Code, body)
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

func (p *players) playSession() {
	p.play(200, "GET", "/api/custom/setup", "")
	p.play(201, "POST", "/api/custom/setup", `{"bootstrap_token":"`+bootstrapToken+`","email":"admin@example.org","password":"`+password+`","name":"Ada"}`)
	p.play(409, "POST", "/api/custom/setup", `{"bootstrap_token":"`+bootstrapToken+`","email":"other@example.org","password":"`+password+`","name":"Eve"}`)
	p.play(401, "POST", "/api/custom/login", `{"email":"admin@example.org","password":"wrong"}`)
	p.play(200, "POST", "/api/custom/login", `{"email":"admin@example.org","password":"`+password+`"}`)
	u := p.s.user(access.RoleViewer)
	p.session = p.s.session(u)
	p.play(200, "GET", "/api/custom/me", "")
	p.play(204, "POST", "/api/custom/logout", "")
	p.session = ""
	p.named["user"] = string(u.ID)
}

func (p *players) playPeople() {
	p.play(200, "GET", "/api/custom/me", "")
	p.play(200, "GET", "/api/custom/users", "")
	p.play(200, "PATCH", "/api/custom/users/{user}", `{"role":"operator","disabled":true}`)
	p.name("account", "POST", "/api/custom/service-accounts", `{"name":"deployer","role":"operator"}`)
	p.play(409, "POST", "/api/custom/service-accounts", `{"name":"deployer","role":"operator"}`)
	p.name("key", "POST", "/api/custom/service-accounts/{account}/keys", `{"name":"ci","expires_at":"2100-01-01T00:00:00Z"}`)
	p.play(201, "POST", "/api/custom/service-accounts/{account}/keys", `{"name":"for ever","expires_at":null}`)
	p.play(200, "GET", "/api/custom/service-accounts?limit=2", "")
	p.play(200, "PATCH", "/api/custom/service-accounts/{account}", `{"name":"robot","role":"viewer","disabled":false}`)
}

func (p *players) playRepositories() {
	const address = "https://git.example.com/team/app"
	p.s.git.Commit(address, "main", map[string]string{"web/compose.yaml": "services: {}\n", "job.yaml": "name: x\n"})
	p.name("credential", "POST", keysPath, `{"name":"git","type":"basic","host":"git.example.com","username":"deploy","password":"x"}`)
	p.play(200, "POST", keysPath+"/test", `{"url":"`+address+`","credential_id":"{credential}"}`)
	p.play(404, "POST", keysPath+"/test", `{"url":"`+address+`","credential_id":"cred_none"}`)
	p.name("repository", "POST", repositoriesPath, `{"name":"app","url":"`+address+`","branch":"main","credential_id":"{credential}"}`)
	p.play(422, "POST", repositoriesPath, `{"name":"other","url":"`+address+`","credential_id":"cred_none"}`)
	for _, part := range []string{"/commits", "/files", "/discover"} {
		p.play(409, "GET", repositoriesPath+"/{repository}"+part, "")
	}
	p.s.look(p.named["repository"])
	p.play(200, "GET", keysPath, "")
	p.play(200, "GET", repositoriesPath, "")
	p.play(200, "GET", repositoriesPath+"/{repository}", "")
	p.play(200, "PATCH", repositoriesPath+"/{repository}", `{"name":"shop"}`)
	p.play(202, "POST", repositoriesPath+"/{repository}/sync", "")
	p.play(200, "GET", repositoriesPath+"/{repository}/commits", "")
	p.play(200, "GET", repositoriesPath+"/{repository}/files", "")
	p.play(200, "GET", repositoriesPath+"/{repository}/files?path=web/compose.yaml", "")
	p.play(404, "GET", repositoriesPath+"/{repository}/files?path=none", "")
	p.play(200, "GET", repositoriesPath+"/{repository}/discover", "")
}

func (p *players) playWorkers() {
	p.play(201, "POST", "/api/custom/workers/tokens", `{"name":"web","expires_in":3600}`)
	w := p.s.worker("web-1", "eu")
	p.named["worker"] = string(w.ID)
	_, err := p.s.desk().Connected(p.t.Context(), w.ID, wire.Hello{Version: "1.1", Hostname: "web-1", OS: "linux", Arch: "amd64"})
	p.s.must(err)
	p.play(200, "GET", "/api/custom/workers?online=true", "")
	p.play(200, "GET", "/api/custom/workers/{worker}", "")
	p.named["other worker"] = string(p.s.worker("web-2").ID)
	p.play(200, "POST", "/api/custom/workers/{other worker}/revoke", "")
}

func (p *players) playStacks() {
	p.name("lazy", "POST", "/api/custom/stacks", `{"name":"lazy","repository_id":"{repository}","worker_tags":["eu"],"auto_sync":false}`)
	answer := p.name("stack", "POST", "/api/custom/stacks", `{"name":"web","repository_id":"{repository}","path":"web","worker_id":"{worker}"}`)
	p.named["deployment"] = answer["deployment_id"].(string)
	p.play(409, "POST", "/api/custom/stacks", `{"name":"web","repository_id":"{repository}"}`)
	p.play(200, "PATCH", "/api/custom/stacks/{lazy}", `{"worker_tags":[],"path":"."}`)
	p.play(202, "POST", "/api/custom/stacks/{lazy}/redeploy", `{"recreate_containers":true}`)
	p.play(202, "POST", "/api/custom/deployments/"+p.play(202, "POST", "/api/custom/stacks/{lazy}/sync", "")["id"].(string)+"/cancel", "")
	p.play(200, "GET", "/api/custom/stacks/{stack}", "")
}

// deploy does what the hub and a worker do with the deployment that waits.
func (p *players) deploy() {
	s, ctx, now := p.s, p.t.Context(), p.s.now()
	stack, deployment, worker := core.StackID(p.named["stack"]), core.DeploymentID(p.named["deployment"]), core.WorkerID(p.named["worker"])
	_, err := s.store.StartDeployment(ctx, deployment)
	s.must(err)
	p.play(200, "GET", "/api/custom/deployments/{deployment}", "")
	phases := stacks.SetPhase(nil, stacks.PhaseFetch, stacks.PhaseSucceeded, "one commit", now)
	commit := core.Commit(strings.Repeat("a", 40))
	_, err = s.store.Dispatch(ctx, stacks.Revision{Stack: stack, Commit: commit, Digest: "d1", Manifest: stacks.DefaultManifest(), CreatedAt: now,
		Services: []core.ComposeService{{Name: "app", Image: "app:1", Variables: []string{"TOKEN"}}}, Content: []core.Content{{Digest: "c1", Source: "web/site"}},
		Variables: []stacks.Fingerprint{{Name: "TOKEN", Fingerprint: "f"}}},
		stacks.Command{ID: core.CommandID(core.NewID(core.PrefixCommand, now)), Attempt: 1, Worker: worker, Kind: stacks.CommandDeploy, Stack: stack, Deployment: deployment,
			State: stacks.CommandQueued, Body: stacks.CommandBody{Project: "web", Seconds: 60}, CreatedAt: now},
		stacks.Progress{Deployment: deployment, Commit: commit, Tree: "t1", Worker: worker, Phases: phases},
		[]stacks.LogLine{{Deployment: deployment, Number: 1, At: now, Text: "pulled\n"}})
	s.must(err)
	_, err = s.store.EndDeployment(ctx, stacks.Outcome{Deployment: deployment, State: stacks.DeploymentSucceeded, Phases: phases, At: now,
		Containers: []stacks.ContainerState{{Service: "app", Container: "web-app-1", ContainerID: "c", Image: "app:1", State: "running", StartedAt: now, Ports: []string{"80->80/tcp"}, Revision: 1},
			{Service: "init", Container: "web-init-1", State: "exited"}}}, nil)
	s.must(err)
}

func (p *players) playDeployed() {
	const stack = "/api/custom/stacks/{stack}"
	p.play(200, "GET", "/api/custom/stacks", "")
	p.play(200, "GET", stack, "")
	p.play(409, "PATCH", stack, `{"name":"renamed"}`)
	for _, part := range []string{"/services", "/services/app/logs", "/revisions", "/revisions/1", "/decisions", "/deployments"} {
		p.play(200, "GET", stack+part, "")
	}
	for _, act := range []string{"start", "stop", "restart"} {
		p.play(204, "POST", stack+"/services/app/"+act, "")
	}
	p.play(404, "GET", stack+"/revisions/2", "")
	p.play(200, "GET", "/api/custom/deployments/{deployment}?wait=1s", "")
	p.play(200, "GET", "/api/custom/deployments/{deployment}/log", "")
	p.play(200, "GET", "/api/custom/deployments/{deployment}/stream", "")
	p.play(409, "POST", "/api/custom/deployments/{deployment}/cancel", "")
}

func (p *players) playVariables() {
	const all = "/api/custom/variables"
	p.name("plain", "POST", all, `{"scope":"global","name":"REGION","value":"eu"}`)
	p.name("secret", "POST", all, `{"scope":"stack","scope_id":"{stack}","name":"TOKEN","value":"x","secret":true,"secret_provider":"internal"}`)
	p.play(422, "POST", all, `{"scope":"stack","scope_id":"{stack}","name":"LATER","secret":true,"secret_provider":"vault","reference":"a/b#c"}`)
	p.play(200, "PATCH", all+"/{plain}", `{"value":""}`)
	p.play(200, "POST", all+"/import", `{"scope":"stack","scope_id":"{stack}","text":"A=1\nB=2\n","secret":false}`)
	p.play(200, "GET", all, "")
	p.play(200, "GET", all+"/export?scope=stack&scope_id={stack}", "")
	p.play(200, "PUT", "/api/custom/stacks/{stack}/global-variables", `{"ids":["{plain}"]}`)
	p.play(200, "GET", "/api/custom/stacks/{stack}/global-variables", "")
}

func (p *players) playMachines() {
	p.s.board().Workers.Connected(core.WorkerID(p.named["worker"]), "web-1")
	for _, path := range []string{"/healthz", "/readyz", "/version", "/metrics", "/api/custom/metrics", "/api/custom/metrics/targets", "/api/custom/workers/{worker}/metrics"} {
		p.play(200, "GET", path, "")
	}
	p.play(200, "GET", "/api/custom/openapi.json", "")
}

func (p *players) playDeletions() {
	p.play(409, "DELETE", "/api/custom/workers/{worker}", "")
	p.play(204, "DELETE", "/api/custom/workers/{other worker}", "")
	p.play(204, "DELETE", "/api/custom/variables/{plain}", "")
	p.play(202, "DELETE", "/api/custom/stacks/{stack}?teardown=true&volumes=true", "")
	p.play(204, "DELETE", "/api/custom/stacks/{lazy}", "")
	p.play(409, "DELETE", repositoriesPath+"/{repository}", "")
	p.s.exec(`DELETE FROM stacks`)
	p.play(409, "DELETE", keysPath+"/{credential}", "")
	p.play(204, "DELETE", repositoriesPath+"/{repository}", "")
	p.play(204, "DELETE", keysPath+"/{credential}", "")
	p.play(204, "DELETE", "/api/custom/users/{user}", "")
	p.play(204, "DELETE", "/api/custom/service-accounts/{account}/keys/{key}", "")
	p.play(204, "DELETE", "/api/custom/service-accounts/{account}", "")
}

// TestEventsAreWhatTheDescriptionSays reads the stream of a deployment that was cancelled.
func TestEventsAreWhatTheDescriptionSays(t *testing.T) {
	s := newStand(t)
	p := &players{t: t, s: s, d: describe(t, s), key: s.admin(), named: map[string]string{}, played: map[string]bool{}}
	p.playRepositories()
	p.playWorkers()
	p.playStacks()
	p.deploy()
	w := p.answer("GET", p.fill("/api/custom/deployments/{deployment}/stream"), "")
	kinds := map[string]string{"log": "LogPiece", "end": "DeploymentAnswer"}
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
		t.Errorf("the events are %s", seen)
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
		path += "?limit=x&wait=x&tail=x&online=x&teardown=x&follow=x&after=x&scope=x&path=.."
		try("a bad query", call{key: p.key, body: "{}"})
	})
	for _, status := range []int{400, 401, 403, 404, 413, 415, 422} {
		if statuses[status] == 0 {
			t.Errorf("nothing was answered with %d: %v", status, statuses)
		}
	}
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

func (broken) Ping(context.Context) error { return fmt.Errorf("away") }

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
