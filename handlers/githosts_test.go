package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/fault"
)

const providersPath = "/api/custom/git-providers"

// connecting is somebody with a browser.
type connecting struct {
	*stand
	session string
}

func connect(t *testing.T) connecting {
	s := newStand(t)
	return connecting{s, s.session(s.found())}
}

// leave begins a connection and returns its state.
func (c connecting) leave() string {
	c.t.Helper()
	w := c.do(call{method: "GET", path: providersPath + "/github/connect", session: c.session, header: http.Header{"Sec-Fetch-Site": {"same-origin"}}})
	to, err := url.Parse(w.Header().Get("Location"))
	if err != nil || w.Code != http.StatusFound || to.Host != "github.example.com" || w.Header().Get("Cache-Control") != "no-store" {
		c.t.Fatalf("%d %v: %s", w.Code, w.Header(), w.Body)
	}
	if got := to.Query().Get("redirect_uri"); got != origin+"/api/custom/git-providers/github/callback" {
		c.t.Errorf("the callback is %s", got)
	}
	return to.Query().Get("state")
}

// arrive comes back, as a browser that another site sends does.
func (c connecting) arrive(slug string, query url.Values) *httptest.ResponseRecorder {
	c.t.Helper()
	return c.do(call{method: "GET", path: providersPath + "/" + slug + "/callback?" + query.Encode(), session: c.session,
		header: http.Header{"Accept": {"text/html"}, "Sec-Fetch-Site": {"cross-site"}}})
}

// connected makes a key of an account, and returns its id.
func (c connecting) connected(account string) string {
	c.t.Helper()
	w := c.arrive("github", url.Values{"state": {c.leave()}, "code": {account}, "iss": {"https://github.com/login/oauth"}})
	to, err := url.Parse(w.Header().Get("Location"))
	if err != nil || w.Code != http.StatusSeeOther || to.Path != "/git-hosts/github/new" {
		c.t.Fatalf("%d %v: %s", w.Code, w.Header(), w.Body)
	}
	return to.Query().Get("key")
}

func TestConnectingAGitHostEndsWithARepository(t *testing.T) {
	c := connect(t)
	if page := c.browse(c.session, "/repositories/new").Body.String(); !strings.Contains(page, `href="/api/custom/git-providers/github/connect"`) || strings.Contains(page, "Pick from") {
		t.Errorf("the page before: %s", page)
	}
	key := c.connected("ada")
	if page := c.browse(c.session, "/repositories/new").Body.String(); !strings.Contains(page, `href="/git-hosts/github/new"`) {
		t.Errorf("the page after: %s", page)
	}
	for path, want := range map[string][]string{
		"/git-hosts/github/new?key=" + key:                                              {"Account or organization", `value="acme"`, "&lt;b&gt;Acme", "Continue"},
		"/git-hosts/github/new?organization=ada":                                        {"sees no repository there"},
		"/git-hosts/github/new?organization=acme&repository=other/x":                    {"shop (private)", "old (archived)", "There are more"},
		"/git-hosts/github/new?organization=acme&repository=acme%2Fshop&key=" + key:     {`value="https://github.example.com/acme/shop.git"`, "release/1", "The default branch, now main", `value="` + key + `"`},
		"/git-hosts/github/new?organization=acme%2F..%2Fx":                              {"organization: is not a name"},
		"/git-hosts/github/new?organization=" + url.QueryEscape(`"><script>`) + "&key=": {"Account or organization"},
	} {
		w := c.browse(c.session, path)
		for _, text := range want {
			if !strings.Contains(w.Body.String(), text) {
				t.Errorf("%s (%d) has no %q: %s", path, w.Code, text, w.Body)
			}
		}
		if strings.Contains(w.Body.String(), "<script>") || strings.Contains(w.Body.String(), "canary") {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
	w := c.submit(c.session, "/repositories", url.Values{"url": {"https://github.example.com/acme/shop.git"}, "credential_id": {key}, "branch": {"main"}, "name": {"shop"}})
	if w.Code != http.StatusSeeOther || c.count(`SELECT count(*) FROM repositories WHERE credential_id = ?`, key) != 1 {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	for _, action := range []string{"credential.connect", "repository.create"} {
		if c.count(`SELECT count(*) FROM audit_events WHERE action = ?`, action) != 1 {
			t.Errorf("%s was not audited", action)
		}
	}
	c.exec(`UPDATE repositories SET error_code = 'git.credential_refused', error = 'The Git host refused the credential'`)
	var repository string
	c.must(c.raw.QueryRow(`SELECT id FROM repositories`).Scan(&repository))
	if page := c.browse(c.session, "/repositories/"+repository).Body.String(); !strings.Contains(page, "Connect the same account again") {
		t.Errorf("nothing says that the key was revoked: %s", page)
	}
	// Deleting the key cuts the access, whoever uses it.
	if w := c.do(call{method: "DELETE", path: keysPath + "/" + key, session: c.session, header: http.Header{"Sec-Fetch-Site": {"same-origin"}}}); w.Code != http.StatusNoContent {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	if n := c.count(`SELECT count(*) FROM repositories WHERE credential_id IS NULL AND asked_at > 0`); n != 1 {
		t.Errorf("%d repositories were let go", n)
	}
	if w := c.browse(c.session, "/git-hosts/github/new"); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "have not connected GitHub yet") || !strings.Contains(w.Body.String(), `href="/repositories/new"`) {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}

func TestTokensAreShownToNobody(t *testing.T) {
	c := connect(t)
	var seen strings.Builder
	c.answered = func(_ call, w *httptest.ResponseRecorder) {
		seen.WriteString(w.Body.String())
		w.Header().Write(&seen)
	}
	key := c.connected("ada")
	for _, path := range []string{keysPath, providersPath, providersPath + "/github/organizations?credential_id=" + key, providersPath + "/github/repositories?organization=acme", providersPath + "/github/branches?repository=acme/shop"} {
		if w := c.do(call{method: "GET", path: path, session: c.session}); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	c.browse(c.session, "/repository-keys")
	if strings.Contains(seen.String(), "canary") {
		t.Error("a token was shown")
	}
	if c.count(`SELECT count(*) FROM credentials WHERE CAST(sealed AS TEXT) LIKE '%canary%'`) != 0 || c.count(`SELECT count(*) FROM credentials WHERE length(sealed) > 40`) != 1 {
		t.Error("the token is not sealed")
	}
}

func TestTheSameAccountKeepsItsKey(t *testing.T) {
	c := connect(t)
	first := c.connected("ada")
	c.exec(`UPDATE credentials SET name = 'ours'`)
	if again := c.connected("ada"); again != first {
		t.Errorf("another key, %s", again)
	}
	other := c.connected("bob")
	if other == first || c.count(`SELECT count(*) FROM credentials WHERE name = 'ours' OR name = 'GitHub: bob'`) != 2 {
		t.Error("two accounts, one key")
	}
}

// TestAnswersOfGitHostsThatCountForNothing: each ends on a page that says what, why and what next, and keeps nothing. (X6)
func TestAnswersOfGitHostsThatCountForNothing(t *testing.T) {
	for name, play := range map[string]struct {
		play func(c connecting) *httptest.ResponseRecorder
		code int
		want string
	}{
		"somebody declined": {func(c connecting) *httptest.ResponseRecorder {
			return c.arrive("github", url.Values{"state": {c.leave()}, "error": {"access_denied"}, "error_description": {"<script>alert(1)</script>"}})
		}, 409, "declined"},
		"an error in HTML": {func(c connecting) *httptest.ResponseRecorder {
			return c.arrive("github", url.Values{"state": {c.leave()}, "error": {"<script>alert(1)</script>"}})
		}, 409, "without a code"},
		"an error of the app": {func(c connecting) *httptest.ResponseRecorder {
			return c.arrive("github", url.Values{"state": {c.leave()}, "error": {"redirect_uri_mismatch"}})
		}, 409, "redirect_uri_mismatch"},
		"no state": {func(c connecting) *httptest.ResponseRecorder { return c.arrive("github", url.Values{"code": {"ada"}}) }, 409, "state is missing or was changed"},
		"a changed state": {func(c connecting) *httptest.ResponseRecorder {
			state := c.leave()
			return c.arrive("github", url.Values{"state": {string(state[0]^1) + state[1:]}, "code": {"ada"}})
		}, 409, "state is missing or was changed"},
		"the state of another host": {func(c connecting) *httptest.ResponseRecorder {
			return c.arrive("gitlab", url.Values{"state": {c.leave()}, "code": {"ada"}})
		}, 409, "state is missing or was changed"},
		"too late": {func(c connecting) *httptest.ResponseRecorder {
			state := c.leave()
			c.later(10*time.Minute + time.Second)
			return c.arrive("github", url.Values{"state": {state}, "code": {"ada"}})
		}, 409, "10 minutes"},
		"another session": {func(c connecting) *httptest.ResponseRecorder {
			state := c.leave()
			c.session = c.stand.session(c.user(access.RoleAdmin))
			return c.arrive("github", url.Values{"state": {state}, "code": {"ada"}})
		}, 409, "another session"},
		"the same person, signed in anew": {func(c connecting) *httptest.ResponseRecorder {
			u := c.user(access.RoleOperator)
			c.session = c.stand.session(u)
			state := c.leave()
			c.session = c.stand.session(u)
			return c.arrive("github", url.Values{"state": {state}, "code": {"ada"}})
		}, 409, "another session"},
		"nobody": {func(c connecting) *httptest.ResponseRecorder {
			state := c.leave()
			c.session = ""
			return c.arrive("github", url.Values{"state": {state}, "code": {"ada"}})
		}, 401, "not signed in"},
		"somebody who may only look": {func(c connecting) *httptest.ResponseRecorder {
			c.session = c.stand.session(c.user(access.RoleViewer))
			return c.arrive("github", url.Values{"state": {"x"}, "code": {"ada"}})
		}, 403, "does not permit"},
		"twice": {func(c connecting) *httptest.ResponseRecorder {
			query := url.Values{"state": {c.leave()}, "error": {"access_denied"}}
			c.arrive("github", query)
			query = url.Values{"state": query["state"], "code": {"ada"}}
			return c.arrive("github", query)
		}, 409, "used before"},
		"no code": {func(c connecting) *httptest.ResponseRecorder {
			return c.arrive("github", url.Values{"state": {c.leave()}})
		}, 409, "without a code"},
		"a host that is down": {func(c connecting) *httptest.ResponseRecorder {
			c.host.err = fault.New(fault.Unavailable, "git_provider.unreachable", "no connection to GitHub came about")
			return c.arrive("github", url.Values{"state": {c.leave()}, "code": {"ada"}})
		}, 503, "no connection to GitHub"},
		"a host that nobody knows": {func(c connecting) *httptest.ResponseRecorder {
			return c.arrive("bitbucket", url.Values{"state": {"x"}, "code": {"ada"}})
		}, 404, "not set up to connect"},
	} {
		c := connect(t)
		w := play.play(c)
		body := w.Body.String()
		if w.Code != play.code || !strings.Contains(body, play.want) || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || strings.Contains(body, "<script>alert") {
			t.Errorf("%s: %d %s: %s", name, w.Code, w.Header().Get("Content-Type"), body)
		}
		if play.code == 409 && !strings.Contains(body, `href="/repositories/new"`) {
			t.Errorf("%s: nothing says where to begin again: %s", name, body)
		}
		if c.count(`SELECT count(*) FROM credentials`) != 0 {
			t.Errorf("%s: a key was kept", name)
		}
	}
}

func TestAPageOfAnotherSiteConnectsNothing(t *testing.T) {
	c := connect(t)
	w := c.do(call{method: "GET", path: providersPath + "/github/connect", session: c.session, header: http.Header{"Sec-Fetch-Site": {"cross-site"}, "Accept": {"text/html"}}})
	if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "page of another site") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}

func TestWithoutGitHostsNothingShows(t *testing.T) {
	c := connect(t)
	none := c.noGitHosts()
	c.deps.GitHosts.Desk, c.deps.UI.GitHosts = none, none
	c.build()
	if page := c.browse(c.session, "/repositories/new"); page.Code != http.StatusOK || strings.Contains(page.Body.String(), "connect") {
		t.Errorf("%d: %s", page.Code, page.Body)
	}
	if w := c.do(call{method: "GET", path: providersPath, session: c.session}); w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != `{"items":[],"next":""}` {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	for _, path := range []string{providersPath + "/github/connect", providersPath + "/github/callback", providersPath + "/github/organizations", providersPath + "/github/repositories?organization=a",
		providersPath + "/github/branches?repository=a/b", "/git-hosts/github/new"} {
		if w := c.do(call{method: "GET", path: path, session: c.session}); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d: %s", path, w.Code, w.Body)
		}
	}
}

// playGitHosts connects a Git host and picks from it.
func (p *players) playGitHosts() {
	p.t.Helper()
	p.play(200, "GET", providersPath, "")
	p.play(404, "GET", providersPath+"/bitbucket/connect", "")
	p.play(409, "GET", providersPath+"/github/organizations", "")
	p.play(302, "GET", providersPath+"/github/connect", "")
	p.named["state"] = locationOf(p, providersPath+"/github/connect").Get("state")
	p.play(409, "GET", providersPath+"/gitlab/callback?state={state}&code=ada", "")
	p.play(303, "GET", providersPath+"/github/callback?state={state}&code=ada", "")
	p.play(409, "GET", providersPath+"/github/callback?state={state}&code=ada", "")
	p.named["state"] = locationOf(p, providersPath+"/github/connect").Get("state")
	p.named["git key"] = locationOf(p, p.fill(providersPath+"/github/callback?state={state}&code=ada")).Get("key")
	p.play(200, "GET", providersPath+"/github/organizations?credential_id={git key}", "")
	p.play(422, "GET", providersPath+"/gitlab/organizations?credential_id={git key}", "")
	p.play(404, "GET", providersPath+"/github/organizations?credential_id=cred_none", "")
	p.play(200, "GET", providersPath+"/github/repositories?organization=acme", "")
	p.play(422, "GET", providersPath+"/github/repositories?organization=..", "")
	p.play(200, "GET", providersPath+"/github/branches?repository=acme/shop", "")
	p.play(404, "GET", providersPath+"/github/branches?repository=ada/shop", "")
}

// locationOf is the query of where an answer leads.
func locationOf(p *players, path string) url.Values {
	p.t.Helper()
	to, err := url.Parse(p.answer("GET", path, "").Header().Get("Location"))
	if err != nil {
		p.t.Fatal(err)
	}
	return to.Query()
}
