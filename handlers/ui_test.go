package handlers_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// sessionIn returns the session that an answer hands to the browser; empty when none.
func sessionIn(w *httptest.ResponseRecorder) string {
	for _, c := range w.Result().Cookies() {
		if c.Name == endpoint.SessionCookie {
			return c.Value
		}
	}
	return ""
}

func leadsTo(t *testing.T, w *httptest.ResponseRecorder, want string) {
	t.Helper()
	if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != want {
		t.Errorf("the answer is %d to %q, want 303 to %q: %s", w.Code, got, want, w.Body)
	}
}

func says(t *testing.T, w *httptest.ResponseRecorder, status int, wanted ...string) {
	t.Helper()
	if w.Code != status {
		t.Errorf("the answer is %d, want %d", w.Code, status)
	}
	if kind := w.Header().Get("Content-Type"); kind != "text/html; charset=utf-8" {
		t.Errorf("the answer is %s", kind)
	}
	for _, text := range wanted {
		if !strings.Contains(w.Body.String(), text) {
			t.Errorf("the page does not say %q:\n%s", text, w.Body)
		}
	}
}

func TestSetUpAndSignInWithoutScript(t *testing.T) {
	s := newStand(t)
	leadsTo(t, s.browse("", "/stacks"), "/login?next=%2Fstacks")
	leadsTo(t, s.browse("", "/login"), "/setup")
	says(t, s.browse("", "/setup"), 200, `name="bootstrap_token"`, `autocomplete="new-password"`)

	form := url.Values{"bootstrap_token": {"wrong"}, "email": {"ada@example.org"}, "name": {"Ada"}, "password": {password}}
	says(t, s.submit("", "/setup", form), 403, "This is not the bootstrap token.", `value="ada@example.org"`, `value="Ada"`)
	form.Set("bootstrap_token", bootstrapToken)
	form.Set("password", "short")
	refused := s.submit("", "/setup", form)
	says(t, refused, 422, "12 to 256 bytes", `aria-invalid="true"`)
	if body := refused.Body.String(); strings.Contains(body, bootstrapToken) || strings.Contains(body, `value="short"`) {
		t.Error("a secret that was typed came back in the page")
	}
	form.Set("password", password)
	founded := s.submit("", "/setup", form)
	leadsTo(t, founded, "/")
	session := sessionIn(founded)
	says(t, s.browse(session, "/"), 200, "Four steps to a first healthy stack", "ada@example.org")

	leadsTo(t, s.browse("", "/setup"), "/")
	says(t, s.submit("", "/setup", form), 409, "has been set up already")
	leadsTo(t, s.submit(session, "/logout", nil), "/")
	leadsTo(t, s.browse(session, "/users"), "/login?next=%2Fusers")
}

func TestSigningInLeadsNowhereElse(t *testing.T) {
	s := newStand(t)
	s.found()
	for next, want := range map[string]string{
		"/stacks?status=error": "/stacks?status=error", "": "/", "//evil.example": "/", "https://evil.example": "/",
		"/\\evil.example": "/", "javascript:alert(1)": "/", "/\t/evil.example": "/",
	} {
		form := url.Values{"email": {"admin@example.org"}, "password": {password}, "next": {next}}
		w := s.submit("", "/login", form)
		leadsTo(t, w, want)
		session := sessionIn(w)
		if session == "" {
			t.Fatal("no session was handed out")
		}
		leadsTo(t, s.browse(session, "/login?"+url.Values{"next": {next}}.Encode()), want)
	}
	says(t, s.submit("", "/login", url.Values{"email": {"admin@example.org"}, "password": {"no"}, "next": {"//evil.example"}}), 401,
		"is wrong", `value="admin@example.org"`, `name="next" value="/"`)
}

func TestAFormFromAnotherSiteIsRefused(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	w := s.do(call{method: http.MethodPost, path: "/service-accounts", session: session, body: "name=evil&role=admin", header: http.Header{
		"Accept": {"text/html"}, "Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}})
	says(t, w, 403, "A page of another site caused this request")
	if n := s.count(`SELECT count(*) FROM service_accounts`); n != 0 {
		t.Errorf("%d accounts were made", n)
	}
}

// madeStack adds a repository and a stack as an operator does, with forms.
func (s *stand) madeStack(session string) (repository, stack string) {
	s.t.Helper()
	s.git.Commit("https://git.test/apps.git", "main", map[string]string{"web/compose.yaml": "services: {}"})
	w := s.submit(session, "/repositories", url.Values{"url": {"https://git.test/apps.git"}, "branch": {"main"}})
	repository, _, _ = strings.Cut(w.Header().Get("Location"), "?")
	if !strings.HasPrefix(repository, "/repositories/rep_") {
		s.t.Fatalf("the repository was not added: %d %s", w.Code, w.Body)
	}
	s.look(strings.TrimPrefix(repository, "/repositories/"))
	id := strings.TrimPrefix(repository, "/repositories/")
	w = s.submit(session, "/stacks", url.Values{"repository_id": {id}, "path": {"web"}, "name": {"web"}, "worker_tags": {"eu, production"}})
	stack, _, _ = strings.Cut(w.Header().Get("Location"), "?")
	if !strings.HasPrefix(stack, "/stacks/stk_") {
		s.t.Fatalf("the stack was not added: %d %s", w.Code, w.Body)
	}
	return repository, stack
}

func TestRepositoryAndStackWithoutScript(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	says(t, s.submit(session, "/repositories", url.Values{"url": {"ftp://x"}, "name": {"kept"}}), 422, `value="kept"`, `aria-invalid="true"`)
	repository, stack := s.madeStack(session)
	says(t, s.browse(session, repository), 200, "apps", "web", stack)
	says(t, s.browse(session, "/repositories"), 200, "https://git.test/apps.git")
	says(t, s.browse(session, "/stacks/new?repository="+strings.TrimPrefix(repository, "/repositories/")+"&path=web"), 200, `value="web"`, "compose.yaml")
	says(t, s.browse(session, stack), 200, "It was not deployed yet.", "Sync now")
	says(t, s.browse(session, "/stacks?q=we"), 200, stack)
	says(t, s.browse(session, "/stacks?q=nothing"), 200, "No stack fits.")

	says(t, s.submit(session, "/stacks", url.Values{"repository_id": {strings.TrimPrefix(repository, "/repositories/")}, "path": {"../up"}, "name": {"Bad Name"}}), 422,
		`value="../up"`, `value="Bad Name"`, "A folder inside the repository")
	says(t, s.submit(session, "/stacks", url.Values{"repository_id": {strings.TrimPrefix(repository, "/repositories/")}, "path": {"web"}, "name": {"Bad Name"}}), 422,
		`name="folder" value="web" aria-current="true"`)
	leadsTo(t, s.submit(session, stack+"/settings", url.Values{"name": {"web"}, "path": {"web"}, "worker_tags": {"eu"}, "auto_sync": {"on"}}), stack+"/settings?said=stack-saved")
	says(t, s.browse(session, stack+"/settings?said=stack-saved"), 200, "Saved.", `value="eu"`, "checked")

	synced := s.submit(session, stack+"/sync", nil)
	deployment := synced.Header().Get("Location")
	if !strings.HasPrefix(deployment, "/deployments/dep_") {
		t.Fatalf("sync leads to %q: %s", deployment, synced.Body)
	}
	says(t, s.browse(session, deployment), 200, "Queued", `<meta http-equiv="refresh" content="5">`, "Stop it")
	leadsTo(t, s.submit(session, deployment+"/cancel", nil), deployment+"?said=cancelled")
	says(t, s.browse(session, deployment), 200, "Cancelled")

	says(t, s.submit(session, repository+"/delete", nil), 409, "is used by stacks: web")
	says(t, s.browse(session, stack+"/delete"), 200, "Delete the stack")
	leadsTo(t, s.submit(session, stack+"/delete", url.Values{"teardown": {"on"}}), "/stacks?said=stack-gone")
	leadsTo(t, s.submit(session, repository+"/delete", nil), "/repositories?said=repository-gone")
}

func TestVariablesKeepTheirBytesAndSecretsTheirSecret(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	_, stack := s.madeStack(session)
	variables := stack + "/variables"
	const value = "\nfirst\n\n  \"quoted\" $HOME \\ 'x' <b>&amp;\u202e\ttab\nlast "
	sent := strings.ReplaceAll(value, "\n", "\r\n") // as browsers do
	leadsTo(t, s.submit(session, variables, url.Values{"name": {"PLAIN"}, "value": {sent}}), variables+"?said=variable-saved")
	var kept string
	s.must(s.raw.QueryRow(`SELECT value FROM variables WHERE name = 'PLAIN'`).Scan(&kept))
	if kept != value {
		t.Errorf("the value is kept as %q, want %q", kept, value)
	}
	var id string
	s.must(s.raw.QueryRow(`SELECT id FROM variables WHERE name = 'PLAIN'`).Scan(&id))
	shown := s.browse(session, variables+"/"+id).Body.String()
	_, area, _ := strings.Cut(shown, `<textarea id="f-value"`)
	_, area, _ = strings.Cut(area, ">\n")
	area, _, _ = strings.Cut(area, "</textarea>")
	if got := html.UnescapeString(area); got != value {
		t.Errorf("the form gives back %q, want %q", got, value)
	}

	leadsTo(t, s.submit(session, variables, url.Values{"name": {"TOKEN"}, "value": {"hunter2-canary"}, "secret": {"on"}}), variables+"?said=variable-saved")
	s.must(s.raw.QueryRow(`SELECT id FROM variables WHERE name = 'TOKEN'`).Scan(&id))
	taken := s.submit(session, variables, url.Values{"name": {"TOKEN"}, "value": {"other-canary"}, "secret": {"on"}})
	says(t, taken, 409, `value="TOKEN"`)
	for _, page := range []string{s.browse(session, variables).Body.String(), s.browse(session, variables+"/"+id).Body.String(), taken.Body.String(), s.browse(session, stack).Body.String()} {
		if strings.Contains(page, "canary") {
			t.Error("a page shows the value of a secret")
		}
	}
	leadsTo(t, s.submit(session, variables+"/"+id, url.Values{"name": {"TOKEN"}, "value": {""}}), variables+"?said=variable-saved")
	if n := s.count(`SELECT count(*) FROM variables WHERE name = 'TOKEN' AND sealed IS NOT NULL`); n != 1 {
		t.Error("an empty new value took the secret away")
	}

	s.submit(session, "/stacks", url.Values{"repository_id": {"x"}})
	other := s.submit(session, "/stacks/stk_other/variables/"+id, url.Values{"name": {"STOLEN"}, "value": {"x"}})
	says(t, other, 404, "There is nothing here")
	leadsTo(t, s.submit(session, variables+"/"+id+"/delete", nil), variables+"?said=variable-gone")
	says(t, s.submit(session, variables+"/"+id+"/delete", nil), 404)
}

func TestKeysAreShownOnce(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	added := s.submit(session, "/service-accounts", url.Values{"name": {"prometheus"}, "role": {"monitoring"}})
	account, _, _ := strings.Cut(added.Header().Get("Location"), "?")
	issued := s.submit(session, account+"/keys", url.Values{"name": {"first"}, "expires_in": {"30"}})
	says(t, issued, 201, "berth_sk_", "X-Service-Api-Key", "scrape_configs:")
	if page := s.browse(session, account).Body.String(); strings.Contains(page, "berth_sk_") || !strings.Contains(page, "first") {
		t.Error("the key is shown again, or not listed")
	}
	says(t, s.submit(session, account+"/keys", url.Values{"name": {""}}), 422, "1 to 100 visible characters")
	says(t, s.submit(session, account+"/keys", url.Values{"name": {"ci"}, "expires_in": {"90d"}}), 422, "0 to 3650 days")
	says(t, s.submit(session, "/service-accounts", url.Values{"name": {"prometheus"}, "role": {"root"}}), 422, "Must be viewer")

	token := s.submit(session, "/workers/new", url.Values{"name": {"rack 4"}, "expires_in": {"1"}})
	says(t, token, 201, "WORKER_TOKEN=berth_wt_", "SERVER_URL=https://berth.test:8443")
	if page := s.browse(session, "/workers").Body.String(); strings.Contains(page, "berth_wt_") {
		t.Error("the worker token is shown again")
	}
	if control := token.Header().Get("Cache-Control"); control != "no-store" {
		t.Errorf("a page with a token may be kept: %q", control)
	}
}

func TestButtonsAreForThoseWhoMay(t *testing.T) {
	s := newStand(t)
	s.found()
	operator := s.session(s.user(access.RoleOperator))
	repository, stack := s.madeStack(operator)
	pages := []string{"/", "/stacks", "/repositories", "/workers", stack, repository, stack + "/variables", "/variables", stack + "/plan", stack + "/revisions"}
	viewer := s.session(s.user(access.RoleViewer))
	for _, page := range pages {
		w := s.browse(viewer, page)
		says(t, w, 200)
		if body := w.Body.String(); strings.Count(body, `method="post"`) != strings.Count(body, `action="/logout"`) {
			t.Errorf("%s offers a viewer what they may not do", page)
		}
		for _, link := range regexp.MustCompile(`href="(/[^"]*)"`).FindAllStringSubmatch(w.Body.String(), -1) {
			if led := s.browse(viewer, html.UnescapeString(link[1])); led.Code != 200 {
				t.Errorf("%s offers a viewer %s, which answers %d", page, link[1], led.Code)
			}
		}
	}
	says(t, s.browse(viewer, "/stacks/new"), 403, "You may not do this", "Sign in as somebody else")
	says(t, s.browse(s.session(s.user(access.RoleMonitoring)), "/"), 403)
}

func TestAPageThatDidNotChangeIsNotSentAgain(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	first := s.browse(session, "/workers")
	tag := first.Header().Get("ETag")
	again := s.do(call{method: http.MethodGet, path: "/workers", session: session, header: http.Header{"Accept": {"text/html"}, "If-None-Match": {tag}}})
	if tag == "" || again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("tag %q: %d with %d bytes", tag, again.Code, again.Body.Len())
	}
	s.worker("host-1")
	changed := s.do(call{method: http.MethodGet, path: "/workers", session: session, header: http.Header{"Accept": {"text/html"}, "If-None-Match": {tag}}})
	says(t, changed, 200, "host-1")
}

func TestTheLogOfADeploymentGoesOnWhereItWasLeft(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	_, stack := s.madeStack(session)
	deployment := s.submit(session, stack+"/sync", nil).Header().Get("Location")
	id := core.DeploymentID(strings.TrimPrefix(deployment, "/deployments/"))
	_, err := s.store.StartDeployment(t.Context(), id)
	s.must(err)
	s.must(s.store.SaveProgress(t.Context(), []stacks.Progress{{Deployment: id, Phases: []stacks.Phase{{Name: stacks.PhasePull, State: stacks.PhaseRunning, Message: "pulling", StartedAt: s.now()}}}}, []stacks.LogLine{
		{Deployment: id, Number: 1, At: s.now(), Text: "first line\n10%\r50%\rsecond \x1b[32mline\x1b[0m\n"},
		{Deployment: id, Number: 2, At: s.now().Add(time.Minute), Text: "<script>third</script>\u202e\n"}}))
	all := s.browse(session, deployment)
	says(t, all, 200, `<span class="line">first line</span>`, `<span class="line">second <span class="sgr-32">line</span></span>`, `&lt;script&gt;third&lt;/script&gt;‹U&#43;202E›`, `data-append="2"`, "Pulling")
	if strings.Contains(all.Body.String(), "50%") {
		t.Error("what a program wrote over is shown")
	}
	rest := s.browse(session, deployment+"?after=1")
	says(t, rest, 200, "third", `data-append="2"`)
	if strings.Contains(rest.Body.String(), "first line") {
		t.Error("what was seen comes again")
	}
	says(t, s.browse(session, deployment+"?after=x"), 422)
}

func TestAWorkerThatIsAwayIsSaidOnThePage(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	_, stack := s.madeStack(session)
	id := strings.TrimPrefix(stack, "/stacks/")
	s.exec(`UPDATE stacks SET containers = ? WHERE id = ?`, `[{"service":"web","container":"web-1","state":"running"}]`, id)
	logs := s.browse(session, stack+"/services/web/logs")
	says(t, logs, 503, "The worker is not connected.", "Log of")
	if strings.Contains(logs.Body.String(), "has said nothing yet") {
		t.Error("the log could not be read, and the service is said to be silent")
	}
	silent(t, logs.Body.String(), "Logs of this stack")
	s.exec(`UPDATE stacks SET containers = ? WHERE id = ?`, `[{"service":"db","container":"db-1","state":"running"},{"service":"web","container":"web-1","state":"running"}]`, id)
	says(t, s.browse(session, stack+"/services/web/logs?q=panic"), 503, "Logs of this stack", stack+`/services/db/logs?q=panic"`, stack+`/services/web/logs?q=panic" aria-current="page"`)
	says(t, s.browse(session, stack+"/services/nothing/logs"), 404, "no compose service of this name")
	says(t, s.submit(session, stack+"/services/web/restart", nil), 503, "Something that is needed is away", "The worker is not connected.")
}

func TestAssetsAreKeptByTheirContent(t *testing.T) {
	s := newStand(t)
	s.found()
	page := s.browse("", "/login").Body.String()
	_, rest, _ := strings.Cut(page, `<link rel="stylesheet" href="`)
	style, _, _ := strings.Cut(rest, `"`)
	w := s.browse("", style)
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/css; charset=utf-8" || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("%s: %d %v", style, w.Code, w.Header())
	}
	other := s.browse("", "/assets/0000000000000000/berth.css")
	if other.Code != 200 || strings.Contains(other.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("an address of other content is kept: %d %v", other.Code, other.Header())
	}
	if w := s.browse("", "/assets/x/..%2fview.go"); w.Code != 404 {
		t.Errorf("a file beside the assets is served: %d", w.Code)
	}
}
