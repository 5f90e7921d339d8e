package handlers_test

import (
	"bytes"
	"flag"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"berth/core/access"
	"berth/handlers"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
	"berth/local/stand/browser"
)

// nobody is who looks at a page without having signed in.
const nobody access.Role = "nobody"

// TestEveryPageInABrowser opens every page as every role that may, and every answer to a form as the administrator
// gets it, in a real browser. What it looks at is what the plays of the pages have made; the table of routes says
// whether a page was left out. (O13, X)
func TestEveryPageInABrowser(t *testing.T) {
	a := newAuditor(t)
	a.audit("/setup", nobody, "")
	a.s.fixed = time.Now() // codes of second factors are good for as long as it takes
	p := a.s.players(t)
	p.playAll(func() {
		for _, role := range access.Roles {
			a.sessions[role] = a.s.session(a.s.user(role))
		}
		a.s.answered = a.heard
		a.inEachState(p.named)
		p.playPages()
		a.s.answered = nil
	})
	a.everyPageWasSeen()
	t.Logf("%d pages were looked at, %d links followed", a.looked, len(a.linked))
}

// auditor looks at pages while they are played.
type auditor struct {
	t        *testing.T
	s        *stand
	b        *browser.Browser
	table    *http.ServeMux
	routes   map[string]handlers.Route // by "GET /stacks"
	sessions map[access.Role]string
	seen     map[string]map[access.Role]bool // rows that were looked at
	linked   map[string]bool                 // a role and where a link led it well
	said     map[string]bool                 // complaints, so that each is told once
	looked   int
	busy     bool // what the auditor asks for is not looked at again

	mu       sync.Mutex
	answer   *httptest.ResponseRecorder // to a form, to be shown at answerPath; guarded by mu
	pictures bool
}

// answerPath shows the answer to a form as it was given.
const answerPath = "/.answer"

func newAuditor(t *testing.T) *auditor {
	s := newStand(t)
	s.deps.UI.Live = linked{}
	a := &auditor{t: t, s: s, table: http.NewServeMux(), routes: map[string]handlers.Route{}, sessions: map[access.Role]string{}, seen: map[string]map[access.Role]bool{},
		linked: map[string]bool{}, said: map[string]bool{}}
	kept := flag.Lookup("test.artifacts")
	a.pictures = kept != nil && kept.Value.String() == "true"
	for _, r := range handlers.Routes(s.deps) {
		row := r.Method + " " + r.Pattern
		a.routes[row], a.seen[row] = r, map[access.Role]bool{}
		a.table.Handle(row, http.NotFoundHandler())
	}
	server := httptest.NewServer(http.HandlerFunc(a.serve))
	t.Cleanup(server.Close)
	app, err := url.Parse(origin)
	s.must(err)
	a.b = browser.Open(t, app.Host, server.Listener.Addr().String())
	return a
}

func (a *auditor) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	kept := a.answer
	a.mu.Unlock()
	if r.URL.Path != answerPath || kept == nil {
		a.s.handler.ServeHTTP(w, r)
		return
	}
	for name, values := range kept.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(kept.Code)
	w.Write(kept.Body.Bytes()) //nolint:errcheck // a browser that left is told by what it shows
}

// heard looks at what a play was answered with.
func (a *auditor) heard(c call, w *httptest.ResponseRecorder) {
	if a.busy {
		return
	}
	a.busy = true
	defer func() { a.busy = false }()
	row, route := a.row(c.method, c.path)
	kind, _, _ := mime.ParseMediaType(w.Header().Get("Content-Type"))
	switch {
	case row != "" && (route.Surface != guard.Page || route.Streams):
	case c.method == http.MethodGet && w.Code < 400 && row != "":
		for _, role := range append([]access.Role{nobody}, access.Roles...) {
			if role == access.RoleAdmin && c.session != "" {
				a.audit(c.path, role, c.session) // the same person, so that their own pages are theirs
			} else if role == nobody && route.Capability == access.Public || role.Can(route.Capability) && route.Capability != access.Public {
				a.audit(c.path, role, a.sessions[role])
			}
		}
	case kind == "text/html" && w.Body.Len() > 0:
		a.audit(c.path, access.RoleAdmin, c.session, w)
	}
}

// row is the row of the table for an address.
func (a *auditor) row(method, address string) (string, handlers.Route) {
	a.t.Helper()
	to, err := url.Parse(address)
	a.s.must(err)
	_, row := a.table.Handler(&http.Request{Method: method, Host: "berth.test", URL: to})
	return row, a.routes[row]
}

// get is what a role is answered with.
func (a *auditor) get(session, path string) *httptest.ResponseRecorder {
	c := call{method: http.MethodGet, path: path, session: session, header: http.Header{"Accept": {"text/html"}}}
	_, route := a.row(c.method, path)
	return a.s.doBriefly(c, route.Streams)
}

// audit looks at a page as a role sees it, or at the answer to a form.
func (a *auditor) audit(path string, role access.Role, session string, to ...*httptest.ResponseRecorder) {
	a.t.Helper()
	row, _ := a.row(http.MethodGet, path)
	address := origin + path
	var w *httptest.ResponseRecorder
	if len(to) > 0 {
		w, address = to[0], origin+answerPath
		a.mu.Lock()
		a.answer = w
		a.mu.Unlock()
	} else if w = a.get(session, path); w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		return // such as the sign-in page of somebody who has signed in
	}
	if len(to) == 0 {
		a.seen[row][role] = true
	}
	a.looked++
	where := fmt.Sprintf("%s as %s", path, role)
	if len(to) > 0 {
		where = fmt.Sprintf("the answer %d of %s", w.Code, path)
	}
	a.wellFormed(where, w.Body.Bytes())
	a.b.SetCookie(origin, endpoint.SessionCookie, session)
	a.b.Open(address)
	schemes := []string{"light"}
	if role == access.RoleAdmin || role == nobody {
		schemes = append(schemes, "dark")
	}
	for _, complaint := range a.b.Complaints(schemes...) {
		a.complain(where, complaint)
	}
	a.follow(where, role, session)
	if a.pictures && (role == access.RoleAdmin || role == nobody) {
		a.keep(path, w.Code)
	}
	for _, trouble := range a.b.Troubles() {
		a.complain(where, trouble)
	}
}

// complain tells a complaint once, where it was met first: the same on other pages is the same defect.
func (a *auditor) complain(where, complaint string) {
	a.t.Helper()
	if key := identifier.ReplaceAllString(complaint, ""); !a.said[key] {
		a.said[key] = true
		a.t.Errorf("%s: %s", where, complaint)
	}
}

// invented are what the fakes behind the stand name without having it: things with a number for an identifier, and
// a commit that the history of a fake repository does not have.
var invented = regexp.MustCompile(`_1$|/files\?.*ref=a{40}`)

var identifier = regexp.MustCompile(`[a-z]{1,5}_[0-9a-z]{26}`)

// wellFormed demands that each element is closed where it was opened.
func (a *auditor) wellFormed(where string, page []byte) {
	a.t.Helper()
	var open []string
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				a.complain(where, fmt.Sprintf("never closed: %v", open))
			}
			return
		case html.StartTagToken:
			if name, _ := z.TagName(); !slices.Contains(childless, string(name)) {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				a.complain(where, fmt.Sprintf("</%s> closes %v", name, open))
				return
			}
			open = open[:len(open)-1]
		}
	}
}

// childless are the elements that are never closed.
var childless = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

// follow demands that nothing on the page leads its reader to a refusal or to nothing.
func (a *auditor) follow(where string, role access.Role, session string) {
	a.t.Helper()
	found := a.b.Addresses()
	for _, link := range found.Links {
		to, _, _ := strings.Cut(link, "#")
		if !strings.HasPrefix(to, "/") || a.linked[string(role)+" "+to] {
			continue
		}
		if _, route := a.row(http.MethodGet, to); role == nobody && route.Capability != access.Public {
			continue // leads to signing in
		}
		if invented.MatchString(to) {
			continue
		}
		if w := a.get(session, to); w.Code >= 400 {
			a.complain(where, fmt.Sprintf("leads to %s, which answers %d", to, w.Code))
			continue
		}
		a.linked[string(role)+" "+to] = true
	}
	for _, form := range found.Forms {
		method, to, _ := strings.Cut(form, " ")
		to = strings.TrimPrefix(to, origin)
		if strings.HasPrefix(to, answerPath) {
			continue // a form without an address, on an answer
		}
		row, route := a.row(method, to)
		if row == "" || route.Capability != access.Public && !role.Can(route.Capability) {
			a.complain(where, fmt.Sprintf("has a form for %s %s, which is refused", method, to))
		}
	}
}

// keep leaves a picture of each variant.
func (a *auditor) keep(path string, status int) {
	a.t.Helper()
	name := strings.Trim(strings.NewReplacer("/", ".", "?", "_", "&", "_", "%", "").Replace(identifier.ReplaceAllString(path, "x")), ".")
	if name == "" {
		name = "overview"
	}
	for _, v := range browser.Variants {
		a.b.Look(v)
		a.s.must(os.WriteFile(filepath.Join(a.t.ArtifactDir(), fmt.Sprintf("%.60s.%d.%s.png", name, status, v.Name)), a.b.Picture(), 0o644))
	}
	a.b.Look(browser.Variants[0])
}

// everyPageWasSeen walks the table.
func (a *auditor) everyPageWasSeen() {
	a.t.Helper()
	pages := 0
	for row, r := range a.routes {
		if r.Method != http.MethodGet || r.Surface != guard.Page || r.Streams {
			continue
		}
		for _, role := range append([]access.Role{nobody}, access.Roles...) {
			if (role == nobody) != (r.Capability == access.Public) || role != nobody && !role.Can(r.Capability) {
				continue
			}
			pages++
			if !a.seen[row][role] && notSeen[row] == "" {
				a.t.Errorf("nobody looked at %s as %s; add a visit to pageVisits", row, role)
			}
		}
	}
	if pages < 150 || len(a.linked) < 100 {
		a.t.Errorf("only %d pages are expected and %d links were followed: the walk is broken", pages, len(a.linked))
	}
}

// notSeen are rows that lead elsewhere, or to what is no page.
var notSeen = map[string]string{
	"GET /integrations/new":                         "makes a name for a target and goes to its page",
	"GET /stacks/{id}/services/{service}/logs/file": "a text to be saved",
	"GET /deployments/{id}/log/file":                "a text to be saved",
	"GET /job-runs/{id}/log/file":                   "a text to be saved",
	"GET /login/oidc":                               "goes to the provider",
	"GET /login/oidc/callback":                      "comes from the provider and goes on",
}
