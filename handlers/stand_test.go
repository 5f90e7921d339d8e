package handlers_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"berth/core"
	"berth/core/about"
	"berth/core/access"
	"berth/core/coretest"
	"berth/core/identity"
	"berth/core/mail"
	"berth/core/metrics"
	"berth/core/pace"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/store"
	"berth/handlers"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
	"berth/hub/adapter/sqlite"
)

const (
	origin         = "http://berth.test"
	bootstrapToken = "bootstrap-token-of-this-test"
	password       = "correct horse battery"
)

// stand is the whole HTTP surface on a real store in a temporary folder. Every area
// fills its part of deps in newStand; its routes then join all tests that walk the table.
type stand struct {
	t        testing.TB
	deps     handlers.Deps
	store    *store.Store
	db       *store.DB
	raw      *sql.DB // beside the store, to look and to prepare
	ring     *seal.Ring
	git      *coretest.FakeGit // the Git hosts of the world, and the mirrors
	host     *fakeHost         // the one that can be connected
	sshHosts sshHosts
	ahead    atomic.Int64 // how far the clock of this stand is ahead, in nanoseconds
	fixed    time.Time    // when not zero: the clock begins here and moves with each look at it

	transport http.RoundTripper                      // nil: requests go to the handler without a host between
	answered  func(call, *httptest.ResponseRecorder) // when set: is told of every answer

	measured *metrics.Board
	setUp    *identity.SetUp
	signIn   *identity.SignIn
	provider *fakeProvider // where people sign in beside here
	accounts *identity.Accounts
	shelf    *shelf
	restarts int // that restores asked for
	handler  http.Handler
}

// newStand returns a stand where nothing has been set up yet.
func newStand(t testing.TB) *stand {
	t.Helper()
	s := &stand{t: t}
	s.open()
	passwords := identity.NewPasswords(1)
	s.setUp = identity.NewSetUp(s.store, passwords, secrets.NewValue(bootstrapToken), s.now).Noting(identity.NewRefusals(s.store, s.now))
	letters := mail.NewDesk(s.store, s.ring, noHub{}, s.now)
	people := identity.NewPeople(s.store, passwords, s.ring, s.now).Mailing(letters, origin).Noting(identity.NewRefusals(s.store, s.now))
	s.signIn = identity.NewSignIn(s.store, passwords, s.ring, s.now).Asking(people)
	s.accounts = identity.NewAccounts(s.store, s.ring, s.now)
	app, err := url.Parse(origin)
	s.must(err)
	s.deps = handlers.Deps{
		Guard: guard.Config{AppURL: app, Doorkeeper: identity.NewDoorkeeper(s.store, s.ring, s.now), Clock: s.now,
			Log:    slog.New(slog.NewTextHandler(io.Discard, nil)),
			Limits: guard.Limits{InFlight: 512, Rate: pace.Rule{Burst: 1_000_000, Every: time.Microsecond}}},
		About: handlers.AboutDeps{Now: s.now, Installation: about.Installation{Version: "0.4.0", Schema: 31, Database: about.SQLite, Hub: about.HubWithin, Host: about.HostServer,
			Began: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Build: about.Build{Go: "go1.26.8", Platform: "linux/amd64", Modules: []about.Module{{Path: "example.com/a", Version: "v1.2.3"}}}}},
		Audit:    handlers.AuditDeps{Store: s.store, Now: s.now},
		Identity: handlers.IdentityDeps{SetUp: s.setUp, SignIn: s.signIn, Accounts: s.accounts, People: people, SignOn: s.signOn(), Store: s.store},
		Events:   handlers.EventsDeps{Source: s.store},
		Ops:      handlers.OpsDeps{Store: s.store, Version: "test"},
	}
	s.deps.Repositories, s.deps.Variables = s.repositoriesDeps(), s.variablesDeps()
	s.deps.GitHosts.Desk = s.gitHosts()
	s.deps.Integrations.Desk, s.deps.Sops = s.integrationsDesk(), s.sopsDeps()
	s.deps.Stacks, s.deps.Jobs = s.stacksDeps(), s.jobsDeps()
	s.deps.Backups = s.backupsDeps()
	s.deps.Keys = s.keysDeps()
	s.deps.Mail = handlers.MailDeps{Desk: letters, Now: s.now}
	s.deps.Webhooks.Desk = repositories.NewHooks(s.store, s.ring, noHub{}, nil, s.now)
	s.deps.Workers, s.deps.Metrics = s.workersDeps()
	s.deps.Configuration.Desk = s.configurationDesk()
	s.deps.UI, s.deps.Hubs = s.uiDeps(), handlers.HubsDeps{Store: s.store}
	s.build()
	return s
}

// build makes the handler from deps; call it again after changing those.
func (s *stand) build() {
	s.t.Helper()
	var err error
	s.handler, err = handlers.Mux(s.deps)
	s.must(err)
}

func (s *stand) open() {
	s.t.Helper()
	dir := s.t.TempDir()
	db, err := sqlite.Open(s.t.Context(), dir, nil)
	s.must(err)
	s.t.Cleanup(func() { db.Close() })
	s.must(db.Migrate(s.t.Context(), s.now()))
	s.db, s.store = db, store.New(db, s.now)
	s.raw, err = sql.Open("sqlite", filepath.Join(dir, sqlite.File)+"?_pragma=busy_timeout(10000)")
	s.must(err)
	s.raw.SetMaxOpenConns(1) // data_version is a matter of one connection
	s.t.Cleanup(func() { s.raw.Close() })
	s.ring, err = seal.NewRing(rand.Reader)
	s.must(err)
}

func (s *stand) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stand) now() time.Time {
	if !s.fixed.IsZero() {
		return s.fixed.Add(time.Duration(s.ahead.Add(int64(time.Millisecond))))
	}
	return time.Now().Add(time.Duration(s.ahead.Load()))
}

// later moves the clock of the stand forward.
func (s *stand) later(d time.Duration) { s.ahead.Add(int64(d)) }

func (s *stand) exec(query string, args ...any) {
	s.t.Helper()
	_, err := s.raw.Exec(query, args...)
	s.must(err)
}

func (s *stand) count(query string, args ...any) (n int) {
	s.t.Helper()
	s.must(s.raw.QueryRow(query, args...).Scan(&n))
	return n
}

func (s *stand) text(query string, args ...any) (text string) {
	s.t.Helper()
	s.must(s.raw.QueryRow(query, args...).Scan(&text))
	return text
}

// found makes the first administrator, as a person would.
func (s *stand) found() identity.User {
	s.t.Helper()
	u, err := s.setUp.Create(s.t.Context(), access.Anonymous("192.0.2.1"), identity.FirstAdministrator{
		BootstrapToken: secrets.NewValue(bootstrapToken), Email: "admin@example.org", Password: secrets.NewValue(password), Name: "Ada"})
	s.must(err)
	return u
}

// user makes one more user with the password of the first.
func (s *stand) user(role access.Role) identity.User {
	s.t.Helper()
	id := core.NewID(core.PrefixUser, s.now())
	email := id + "@example.org"
	s.exec(`INSERT INTO users (id, email, name, role, password, disabled, created_at, updated_at)
		SELECT ?, ?, 'Somebody', ?, password, 0, created_at, updated_at FROM users WHERE email = 'admin@example.org'`, id, email, role)
	return identity.User{ID: core.UserID(id), Email: email, Role: role}
}

// session signs a user in and returns the cookie's value.
func (s *stand) session(u identity.User) string {
	s.t.Helper()
	session, err := s.signIn.Open(s.t.Context(), access.Anonymous("192.0.2.1"), u.Email, secrets.NewValue(password))
	s.must(err)
	return session.Cookie.Reveal()
}

// account makes a service account.
func (s *stand) account(role access.Role) identity.ServiceAccount {
	s.t.Helper()
	a, err := s.accounts.Create(s.t.Context(), access.System, "account "+core.NewID("x", s.now()), role)
	s.must(err)
	return a
}

// key makes an API key of an account; a zero life means for ever.
func (s *stand) key(a identity.ServiceAccount, life time.Duration) (identity.APIKey, string) {
	s.t.Helper()
	var expires time.Time
	if life > 0 {
		expires = s.now().Add(life)
	}
	key, token, err := s.accounts.IssueKey(s.t.Context(), access.System, a.ID, "key", expires)
	s.must(err)
	s.exec(`UPDATE api_keys SET last_used_at = ? WHERE id = ?`, s.now().UnixMicro(), string(key.ID)) // so that its first use writes nothing
	return key, token.Reveal()
}

// call is one request to a stand.
type call struct {
	method, path  string
	body          string
	session, key  string
	header        http.Header // replaces what the others set
	client        string      // address; empty: 192.0.2.1
	authorization string
}

// do plays a request through the whole handler.
func (s *stand) do(c call) *httptest.ResponseRecorder { return s.doIn(s.t.Context(), c) }

func (s *stand) doIn(ctx context.Context, c call) *httptest.ResponseRecorder {
	s.t.Helper()
	var body io.Reader
	if c.body != "" {
		body = strings.NewReader(c.body)
	}
	r := httptest.NewRequest(c.method, origin+c.path, body)
	r.RemoteAddr = "192.0.2.1:1234"
	if c.client != "" {
		r.RemoteAddr = c.client + ":1234"
	}
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.session != "" {
		r.AddCookie(&http.Cookie{Name: endpoint.SessionCookie, Value: c.session})
	}
	if c.key != "" {
		r.Header.Set(guard.KeyHeader, c.key)
	}
	if c.authorization != "" {
		r.Header.Set("Authorization", c.authorization)
	}
	for name, values := range c.header {
		r.Header[name] = values
	}
	w := s.send(r.WithContext(ctx))
	if s.answered != nil {
		s.answered(c, w)
	}
	return w
}

// send plays r through the host, if there is one, or through the handler alone.
func (s *stand) send(r *http.Request) *httptest.ResponseRecorder {
	s.t.Helper()
	w := httptest.NewRecorder()
	if s.transport == nil {
		s.handler.ServeHTTP(w, r)
		return w
	}
	r.RequestURI = "" // of servers alone
	answer, err := s.transport.RoundTrip(r)
	s.must(err)
	defer answer.Body.Close()
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.StatusCode)
	_, err = io.Copy(w, answer.Body)
	s.must(err)
	return w
}

// writes returns a number that differs once anything was written to the database.
func (s *stand) writes() int { return s.count(`PRAGMA data_version`) }

// prefixes of the identifiers that follow a word in a path.
var prefixes = map[string]string{"users": core.PrefixUser, "service-accounts": core.PrefixServiceAccount, "keys": core.PrefixAPIKey, "invites": core.PrefixInvitation, "sessions": core.PrefixSession,
	"stacks": core.PrefixStack, "deployments": core.PrefixDeployment, "repositories": core.PrefixRepository,
	"repository-keys": core.PrefixCredential, "workers": core.PrefixWorker, "variables": core.PrefixVariable, "jobs": core.PrefixJob, "job-runs": core.PrefixRun}

// absent puts well-formed names of nothing in place of a pattern's wildcards.
func absent(pattern string) string {
	return fill(pattern, func(before string) string {
		if prefix, found := prefixes[before]; found {
			return prefix + "_" + strings.Repeat("0", 26)
		}
		return "1"
	})
}

// fill puts values in place of a pattern's wildcards; value is told the segment before.
func fill(pattern string, value func(before string) string) string {
	segments := strings.Split(strings.TrimSuffix(pattern, "{$}"), "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, "{") {
			segments[i] = value(segments[i-1])
		}
	}
	return strings.Join(segments, "/")
}
