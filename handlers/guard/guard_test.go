package guard_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/pace"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// door knows one session and one key, both an operator's.
type door struct{ err error }

var operator = access.Principal{Kind: access.KindUser, ID: "usr_1", Role: access.RoleOperator}

func (d door) BySession(_ context.Context, value string) (access.Principal, error) {
	return d.judge(value == "good session")
}

func (d door) ByAPIKey(_ context.Context, text, _ string) (access.Principal, error) {
	return d.judge(text == "good key")
}

func (d door) judge(good bool) (access.Principal, error) {
	if d.err == nil && !good {
		return access.Principal{}, fault.New(fault.Unauthenticated, "auth.bad", "no")
	}
	return operator, d.err
}

func config(appURL string) guard.Config {
	app, err := url.Parse(appURL)
	if err != nil {
		panic(err)
	}
	return guard.Config{AppURL: app, Doorkeeper: door{}, Log: slog.New(slog.DiscardHandler)}
}

// protect puts one route with this rule behind a whole guard.
func protect(t *testing.T, cfg guard.Config, rule guard.Rule, next http.Handler) http.Handler {
	t.Helper()
	g, err := guard.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return g.Outer(g.Admit(rule, next))
}

var (
	anyone = guard.Rule{Capability: access.Public, Surface: guard.API}
	ok     = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
)

func play(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// request makes one to http://berth.test with headers given as name, value, ….
func request(method, path string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "http://berth.test"+path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// TestCORS is SPEC 2.7: the origin of APP_URL, and two ports beside it while that is on
// this machine; nothing more.
func TestCORS(t *testing.T) {
	for name, c := range map[string]struct {
		app             string
		allowed, denied []string
	}{
		"a public address": {"https://berth.example.org",
			[]string{"https://berth.example.org"},
			[]string{"", "null", "http://berth.example.org", "https://berth.example.org:8443", "https://x.berth.example.org", "https://example.org",
				"http://localhost:3000", "http://localhost:5173", "https://berth.example.org.evil.example", "https://berth.example.org:3000"}},
		"this machine by name": {"http://localhost:8090",
			[]string{"http://localhost:8090", "http://localhost:3000", "http://localhost:5173", "http://127.0.0.1:3000"},
			[]string{"http://127.0.0.1:8090", "http://localhost:3001", "http://localhost", "https://localhost:3000", "http://localhost.evil.example:3000", "null"}},
		"this machine by address": {"http://127.0.0.1:8090",
			[]string{"http://127.0.0.1:8090", "http://127.0.0.1:3000", "http://127.0.0.1:5173", "http://localhost:3000", "http://localhost:5173"},
			[]string{"http://localhost:8090", "http://127.0.0.2:3000", "http://10.0.0.1:5173"}},
		"an address like it": {"http://localhost.example.org:8090",
			[]string{"http://localhost.example.org:8090"},
			[]string{"http://localhost.example.org:3000", "http://localhost:3000"}},
	} {
		h := protect(t, config(c.app), anyone, ok)
		for _, origin := range c.allowed {
			w := play(h, request("GET", "/", "Origin", origin))
			if w.Header().Get("Access-Control-Allow-Origin") != origin || w.Header().Get("Access-Control-Allow-Credentials") != "true" {
				t.Errorf("%s refuses %s: %v", name, origin, w.Header())
			}
			for _, header := range []string{"X-Request-Id", "Retry-After", endpoint.LimitHeader, endpoint.AwayHeader} {
				if shown := strings.Split(w.Header().Get("Access-Control-Expose-Headers"), ", "); !slices.Contains(shown, header) {
					t.Errorf("%s lets scripts of %s read %v of an answer, not %s", name, origin, shown, header)
				}
			}
			w = play(h, request("OPTIONS", "/", "Origin", origin, "Access-Control-Request-Method", "PATCH"))
			if w.Code != 204 || !strings.Contains(w.Header().Get("Access-Control-Allow-Methods"), "PATCH") || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "X-Service-Api-Key") {
				t.Errorf("%s refuses the preflight of %s: %d %v", name, origin, w.Code, w.Header())
			}
			if w := play(h, request("POST", "/", "Origin", origin, "Sec-Fetch-Site", "same-site")); w.Code != 204 {
				t.Errorf("%s refuses POST of %s: %d", name, origin, w.Code)
			}
		}
		for _, origin := range c.denied {
			for _, method := range []string{"GET", "OPTIONS"} {
				w := play(h, request(method, "/", "Origin", origin, "Access-Control-Request-Method", "GET"))
				for header := range w.Header() {
					if strings.HasPrefix(header, "Access-Control-") {
						t.Errorf("%s gives %s to %q", name, header, origin)
					}
				}
			}
		}
		if w := play(h, request("GET", "/")); w.Header().Get("Vary") != "Origin" {
			t.Errorf("%s: caches are not told that answers differ by origin", name)
		}
	}
}

// TestOtherSitesChangeNothing. (X1)
func TestOtherSitesChangeNothing(t *testing.T) {
	h := protect(t, config("http://berth.test"), anyone, ok)
	for name, c := range map[string]struct {
		headers []string
		status  int
	}{
		"a program":                       {nil, 204},
		"our own page":                    {[]string{"Sec-Fetch-Site", "same-origin"}, 204},
		"our own page in an old browser":  {[]string{"Origin", "http://berth.test"}, 204},
		"typed by a person":               {[]string{"Sec-Fetch-Site", "none"}, 204},
		"another site":                    {[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		"another site in an old browser":  {[]string{"Origin", "http://evil.example"}, 403},
		"a sandboxed frame":               {[]string{"Origin", "null"}, 403},
		"a sandboxed frame, new browser":  {[]string{"Origin", "null", "Sec-Fetch-Site", "cross-site"}, 403},
		"a sibling sub-domain":            {[]string{"Sec-Fetch-Site", "same-site", "Origin", "http://x.berth.test"}, 403},
		"the same host on another port":   {[]string{"Sec-Fetch-Site", "same-site", "Origin", "http://berth.test:9000"}, 403},
		"another port in an old browser":  {[]string{"Origin", "http://berth.test:9000"}, 403},
		"another site that claims a host": {[]string{"Sec-Fetch-Site", "cross-site", "X-Forwarded-Host", "evil.example"}, 403},
	} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			if w := play(h, request(method, "/", c.headers...)); w.Code != c.status || c.status == 403 && !strings.Contains(w.Body.String(), "request.cross_origin") {
				t.Errorf("%s from %s: %d %s", method, name, w.Code, w.Body)
			}
		}
	}
}

// TestOtherSitesOpenNoStream: an EventSource sends cookies with it where a browser lets it. (X3)
func TestOtherSitesOpenNoStream(t *testing.T) {
	stream := guard.Rule{Capability: access.Public, Surface: guard.API, Streams: true}
	for name, c := range map[string]struct {
		headers []string
		status  int
	}{
		"a program":                         {nil, 204},
		"our own page":                      {[]string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"}, 204},
		"a front end under development":     {[]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Origin", "http://localhost:5173"}, 204},
		"typed by a person":                 {[]string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"}, 204},
		"a link on another site":            {[]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 204},
		"another site's EventSource":        {[]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Origin", "https://evil.example"}, 403},
		"the same in an old browser":        {[]string{"Origin", "https://evil.example"}, 403},
		"a picture of another site":         {[]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403},
		"a sandboxed frame":                 {[]string{"Origin", "null"}, 403},
		"a sibling sub-domain":              {[]string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors", "Origin", "http://x.localhost"}, 403},
		"a WebSocket where there is a page": {[]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "websocket", "Origin", "https://evil.example", "Upgrade", "websocket"}, 403},
	} {
		began := false
		h := protect(t, config("http://localhost:8090"), stream, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { began = true; w.WriteHeader(204) }))
		w := play(h, request("GET", "/", c.headers...))
		if w.Code != c.status || began != (c.status == 204) || !began && !strings.Contains(w.Body.String(), "request.cross_origin") {
			t.Errorf("%s: %d %s; began: %t", name, w.Code, w.Body, began)
		}
	}
}

func TestEveryAnswerIsArmoured(t *testing.T) {
	for _, status := range []int{200, 404} {
		h := protect(t, config("https://berth.test"), anyone, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) }))
		w := play(h, request("GET", "/"))
		for header, want := range map[string]string{
			"Content-Security-Policy":   "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
			"X-Content-Type-Options":    "nosniff",
			"X-Frame-Options":           "DENY",
			"Referrer-Policy":           "same-origin",
			"Cache-Control":             "no-store",
			"Strict-Transport-Security": "max-age=31536000",
		} {
			if got := w.Header().Get(header); got != want {
				t.Errorf("%s is %q", header, got)
			}
		}
		if len(w.Header().Get("X-Request-Id")) < 16 {
			t.Error("no request id")
		}
	}
}

func TestTheRequestIDIsOurs(t *testing.T) {
	var inside string
	h := protect(t, config("http://berth.test"), anyone, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { inside = endpoint.RequestID(r.Context()) }))
	w := play(h, request("GET", "/", "X-Request-Id", "forged\nline"))
	if outside := w.Header().Get("X-Request-Id"); outside != inside || inside == "" || strings.Contains(outside, "forged") {
		t.Errorf("outside %q, inside %q", outside, inside)
	}
}

// TestClientAddress: only what trusted proxies wrote is believed. (L6)
func TestClientAddress(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for name, c := range map[string]struct {
		trusted   []netip.Prefix
		remote    string
		forwarded []string
		want      string
	}{
		"nobody is trusted":                 {nil, "10.0.0.1:1", []string{"192.0.2.9"}, "10.0.0.1"},
		"no proxy":                          {trusted, "192.0.2.1:1", nil, "192.0.2.1"},
		"a stranger claims an address":      {trusted, "192.0.2.1:1", []string{"192.0.2.9"}, "192.0.2.1"},
		"one proxy":                         {trusted, "10.0.0.1:1", []string{"192.0.2.9"}, "192.0.2.9"},
		"what the client wrote before":      {trusted, "10.0.0.1:1", []string{"198.51.100.1, 192.0.2.9"}, "192.0.2.9"},
		"two proxies":                       {trusted, "10.0.0.1:1", []string{"192.0.2.9, 10.0.0.2"}, "192.0.2.9"},
		"two proxies, two lines":            {trusted, "10.0.0.1:1", []string{"198.51.100.1, 192.0.2.9", "10.0.0.2"}, "192.0.2.9"},
		"a proxy that says nothing":         {trusted, "10.0.0.1:1", nil, "10.0.0.1"},
		"a proxy that passes on rubbish":    {trusted, "10.0.0.1:1", []string{"rubbish"}, "10.0.0.1"},
		"rubbish before a good entry":       {trusted, "10.0.0.1:1", []string{"rubbish, 192.0.2.9"}, "192.0.2.9"},
		"a proxy on IPv6":                   {trusted, "[fd00::1]:1", []string{"2001:db8::7"}, "2001:db8::7"},
		"IPv4 written as IPv6":              {trusted, "[::ffff:10.0.0.1]:1", []string{"::ffff:192.0.2.9"}, "192.0.2.9"},
		"only proxies":                      {trusted, "10.0.0.1:1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		"a function host without a port":    {nil, "192.0.2.1", nil, "192.0.2.1"},
		"a list longer than anybody writes": {trusted, "10.0.0.1:1", []string{strings.Repeat("10.0.0.2,", 1000) + "192.0.2.9"}, "192.0.2.9"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config("http://berth.test")
			cfg.TrustedProxies = c.trusted
			var got string
			h := protect(t, cfg, anyone, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = endpoint.Principal(r.Context()).Address }))
			r := request("GET", "/")
			r.RemoteAddr = c.remote
			r.Header["X-Forwarded-For"] = c.forwarded
			play(h, r)
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestTooManyInFlightAreTurnedAway(t *testing.T) {
	cfg := config("http://berth.test")
	cfg.Limits = guard.Limits{InFlight: 2, Rate: pace.Rule{Burst: 100, Every: time.Second}}
	g, err := guard.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	inside, leave := make(chan bool), make(chan bool)
	slow := g.Outer(g.Admit(anyone, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside <- true; <-leave })))
	done := make(chan bool)
	for range 2 {
		go func() { play(slow, request("GET", "/")); done <- true }()
		<-inside
	}
	w := play(g.Outer(g.Admit(anyone, ok)), request("GET", "/"))
	if w.Code != 503 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "server.busy") {
		t.Errorf("a third request: %d %s", w.Code, w.Body)
	}
	if w := play(g.Outer(g.Admit(guard.Rule{Capability: access.Public, Surface: guard.Probe}, ok)), request("GET", "/healthz")); w.Code != 204 {
		t.Errorf("a probe under load: %d", w.Code)
	}
	close(leave)
	<-done
	<-done
	if w := play(g.Outer(g.Admit(anyone, ok)), request("GET", "/")); w.Code != 204 {
		t.Errorf("afterwards: %d", w.Code)
	}
}

func TestEachPrincipalHasARateOfItsOwn(t *testing.T) {
	cfg := config("http://berth.test")
	now := time.Unix(1000, 0)
	cfg.Clock = func() time.Time { return now }
	cfg.Limits = guard.Limits{InFlight: 2, Rate: pace.Rule{Burst: 3, Every: 10 * time.Second}}
	h := protect(t, cfg, anyone, ok)
	stranger := func() *httptest.ResponseRecorder { return play(h, request("GET", "/")) }
	for range 3 {
		if w := stranger(); w.Code != 204 {
			t.Fatal(w.Code)
		}
	}
	if w := stranger(); w.Code != 429 || w.Header().Get("Retry-After") != "10" || !strings.Contains(w.Body.String(), "request.too_many") {
		t.Errorf("a fourth request: %d %v", w.Code, w.Header())
	}
	if w := play(h, request("GET", "/", guard.KeyHeader, "good key")); w.Code != 204 {
		t.Errorf("a known principal from the same address: %d", w.Code)
	}
	other := request("GET", "/")
	other.RemoteAddr = "198.51.100.7:1"
	if w := play(h, other); w.Code != 204 {
		t.Errorf("another address: %d", w.Code)
	}
	now = now.Add(10 * time.Second)
	if w := stranger(); w.Code != 204 {
		t.Errorf("after the wait: %d", w.Code)
	}
}

func TestBadKeysAreCountedToo(t *testing.T) {
	cfg := config("http://berth.test")
	cfg.Limits = guard.Limits{InFlight: 2, Rate: pace.Rule{Burst: 3, Every: time.Hour}}
	h := protect(t, cfg, anyone, ok)
	var last int
	for range 5 {
		last = play(h, request("GET", "/", guard.KeyHeader, "bad key")).Code
	}
	if last != 429 {
		t.Errorf("the fifth bad key in a row: %d", last)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	read := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		var over *http.MaxBytesError
		if errors.As(err, &over) {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		} else if n == 0 || err != nil {
			w.WriteHeader(http.StatusTeapot)
		}
	})
	for name, c := range map[string]struct {
		limit  int64
		size   int
		status int
	}{
		"the default, at its limit": {0, 1 << 20, 200},
		"the default, beyond":       {0, 1<<20 + 1, 413},
		"a limit of its own":        {10, 10, 200},
		"beyond that":               {10, 11, 413},
		"a route with its own care": {guard.AnyBody, 3 << 20, 200},
	} {
		rule := anyone
		rule.BodyLimit = c.limit
		r := httptest.NewRequest("POST", "http://berth.test/", strings.NewReader(strings.Repeat("x", c.size)))
		if w := play(protect(t, config("http://berth.test"), rule, read), r); w.Code != c.status {
			t.Errorf("%s: %d, want %d", name, w.Code, c.status)
		}
	}
}

func TestAPanicBecomesAnAnswerAndTellsNoSecret(t *testing.T) {
	var log bytes.Buffer
	cfg := config("http://berth.test")
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	for name, cause := range map[string]any{"text": "canary", "an error": errors.New("canary"), "a value": struct{ v string }{"canary"}} {
		log.Reset()
		w := play(protect(t, cfg, anyone, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(cause) })), request("GET", "/"))
		if w.Code != 500 || !strings.Contains(w.Body.String(), "internal.error") || strings.Contains(w.Body.String()+log.String(), "canary") {
			t.Errorf("%s: %d %s\n%s", name, w.Code, w.Body, log.String())
		}
		if !strings.Contains(log.String(), "guard_test.go") || !strings.Contains(log.String(), "status=500") {
			t.Errorf("%s: the log has no stack or no access line:\n%s", name, log.String())
		}
	}
	log.Reset()
	play(protect(t, cfg, anyone, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { written(r)["x"] = 1 })), request("GET", "/"))
	if !strings.Contains(log.String(), "assignment to entry in nil map") {
		t.Errorf("what the runtime says is missing:\n%s", log.String())
	}
}

func TestHalfAnAnswerIsCut(t *testing.T) {
	server := httptest.NewServer(protect(t, config("http://berth.test"), anyone, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("half"))
		http.NewResponseController(w).Flush()
		panic("in the middle")
	})))
	defer server.Close()
	answer, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err == nil {
		t.Errorf("the client took %q for a whole answer", text)
	}
}

func TestADoorkeeperThatCannotJudgeLetsNobodyIn(t *testing.T) {
	cfg := config("http://berth.test")
	cfg.Doorkeeper = door{err: fault.New(fault.Unavailable, "store.away", "The database is away.")}
	rule := guard.Rule{Capability: access.View, Surface: guard.API}
	for _, headers := range [][]string{{guard.KeyHeader, "good key"}, {"Cookie", endpoint.SessionCookie + "=good session"}} {
		if w := play(protect(t, cfg, rule, ok), request("GET", "/", headers...)); w.Code != 503 {
			t.Errorf("%v: %d %s", headers, w.Code, w.Body)
		}
	}
}

func TestPagesSendStrangersToSignIn(t *testing.T) {
	h := protect(t, config("http://berth.test"), guard.Rule{Capability: access.View, Surface: guard.Page}, ok)
	for name, c := range map[string]struct{ method, path, location string }{
		"a page":           {"GET", "/stacks/stk_1?tab=log&x=1", "/login?next=%2Fstacks%2Fstk_1%3Ftab%3Dlog%26x%3D1"},
		"the start":        {"GET", "/", "/login"},
		"signing out":      {"POST", "/logout", "/login"},
		"an address trick": {"GET", "//evil.example/", "/login?next=%2F%2Fevil.example%2F"}, // whoever follows next asks endpoint.LocalPath
	} {
		r := request(c.method, "/")
		r.URL.Path, r.RequestURI = c.path, c.path
		if path, query, found := strings.Cut(c.path, "?"); found {
			r.URL.Path, r.URL.RawQuery = path, query
		}
		if w := play(h, r); w.Code != 303 || w.Header().Get("Location") != c.location {
			t.Errorf("%s: %d %s", name, w.Code, w.Header().Get("Location"))
		}
	}
	if w := play(h, request("POST", "/stacks")); w.Code != 401 || w.Header().Get("Location") != "" {
		t.Errorf("a form is answered %d, and the browser sent to %q: what was typed is lost", w.Code, w.Header().Get("Location"))
	}
	if w := play(h, request("GET", "/stacks", "Cookie", endpoint.SessionCookie+"=good session")); w.Code != 204 {
		t.Errorf("with a session: %d", w.Code)
	}
}

func TestScrapersNeedAKey(t *testing.T) {
	h := protect(t, config("http://berth.test"), guard.Rule{Capability: access.Metrics, Surface: guard.Scrape}, ok)
	for name, c := range map[string]struct {
		headers []string
		status  int
		code    string
	}{
		"nothing":                 {nil, 401, "auth.key_required"},
		"a session":               {[]string{"Cookie", endpoint.SessionCookie + "=good session"}, 401, "auth.key_required"},
		"a key":                   {[]string{guard.KeyHeader, "good key"}, 204, ""},
		"a bad key":               {[]string{guard.KeyHeader, "bad key"}, 401, "auth.bad"},
		"a bad key and a session": {[]string{guard.KeyHeader, "bad key", "Cookie", endpoint.SessionCookie + "=good session"}, 401, "auth.bad"},
		"two keys":                {[]string{guard.KeyHeader, "good key", guard.KeyHeader, "good key"}, 401, "auth.bad"},
	} {
		if w := play(h, request("GET", "/metrics", c.headers...)); w.Code != c.status || !strings.Contains(w.Body.String(), c.code) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// TestTheHeaderLineMayStandInAnAuthorization: a scraper that knows nothing but an authorization
// block sends a type word of its own and then what it was given as credentials. SPEC §4.
func TestTheHeaderLineMayStandInAnAuthorization(t *testing.T) {
	h := protect(t, config("http://berth.test"), guard.Rule{Capability: access.Metrics, Surface: guard.Scrape}, ok)
	const line = guard.KeyHeader + ": good key"
	for name, c := range map[string]struct {
		status int
		code   string
		values []string // of the header Authorization
	}{
		"the type that Prometheus takes by itself": {204, "", []string{"Bearer " + line}},
		"a type of one's own":                      {204, "", []string{"X-Service-Api-Key " + line}},
		"a type that means something else":         {204, "", []string{"Basic " + line}},
		"no type":                                  {204, "", []string{line}},
		"no type, and a space in its place":        {204, "", []string{" " + line}},
		"small letters":                            {204, "", []string{"bearer x-service-api-key: good key"}},
		"great letters":                            {204, "", []string{"BEARER X-SERVICE-API-KEY: good key"}},
		"no space after the colon":                 {204, "", []string{"Bearer X-Service-Api-Key:good key"}},
		"spaces and tabs everywhere":               {204, "", []string{" \tBearer  \t X-Service-Api-Key \t:  \tgood key \t"}},
		"beside one that is none":                  {204, "", []string{"Basic Zm9vOmJhcg==", "Bearer " + line}},
		"a bare key":                               {401, "auth.key_required", []string{"good key"}},
		"a bare bearer key":                        {401, "auth.key_required", []string{"Bearer good key"}},
		"the name without a colon":                 {401, "auth.key_required", []string{"Bearer X-Service-Api-Key good key"}},
		"the name as type":                         {401, "auth.key_required", []string{"X-Service-Api-Key good key"}},
		"another name":                             {401, "auth.key_required", []string{"Bearer X-Api-Key: good key"}},
		"a name that ends in it":                   {401, "auth.key_required", []string{"Bearer Not-X-Service-Api-Key: good key"}},
		"two words before it":                      {401, "auth.key_required", []string{"Bearer of " + line}},
		"nothing":                                  {401, "auth.key_required", []string{""}},
		"a colon alone":                            {401, "auth.key_required", []string{":"}},
		"no key":                                   {401, "auth.bad", []string{"Bearer X-Service-Api-Key:"}},
		"a bad key":                                {401, "auth.bad", []string{"Bearer X-Service-Api-Key: bad key"}},
		"two lines":                                {401, "auth.bad", []string{"Bearer " + line, "Bearer " + line}},
		"two lines in one":                         {401, "auth.bad", []string{"Bearer " + line + ", " + line}},
	} {
		r := request("GET", "/metrics")
		r.Header["Authorization"] = c.values
		if w := play(h, r); w.Code != c.status || !strings.Contains(w.Body.String(), c.code) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	r := request("GET", "/metrics", guard.KeyHeader, "bad key", "Authorization", "Bearer "+line)
	if w := play(h, r); w.Code != 401 {
		t.Errorf("beside a header with a bad key: %d", w.Code)
	}
	r = request("GET", "/metrics", guard.KeyHeader, "good key", "Authorization", "Basic Zm9vOmJhcg==")
	if w := play(h, r); w.Code != 204 {
		t.Errorf("a header with a good key beside somebody else's authorization: %d", w.Code)
	}
}

// written returns a map that nothing can be written to.
func written(*http.Request) map[string]int { return nil }

func TestRequestsThatWaitDoNotShutOutTheOthers(t *testing.T) {
	began, release := make(chan struct{}), make(chan struct{})
	cfg := config("http://localhost:8090")
	cfg.Limits = guard.Limits{InFlight: 1, Waiting: 1, Rate: pace.Rule{Burst: 100, Every: time.Second}}
	handler := protect(t, cfg, anyone, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("wait") {
			close(began)
			<-release
		}
	}))
	done := make(chan int)
	go func() { done <- play(handler, request("GET", "/?wait=60s")).Code }()
	<-began
	if got := play(handler, request("GET", "/")).Code; got != http.StatusOK {
		t.Errorf("a plain request is answered %d while another waits", got)
	}
	if got := play(handler, request("GET", "/?wait=60s")).Code; got != http.StatusServiceUnavailable {
		t.Errorf("one request too many that waits is answered %d", got)
	}
	close(release)
	if got := <-done; got != http.StatusOK {
		t.Errorf("the request that waited is answered %d", got)
	}
}
