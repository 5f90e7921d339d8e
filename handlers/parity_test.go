package handlers_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/config"
	"berth/handlers"
	"berth/handlers/endpoint"
	"berth/handlers/ui"
	"berth/hub/adapter/lambda"
	"berth/local/stand/gateway"
)

// TestEveryRouteIsTheSameOnEveryHost plays all of the API and all pages through a plain server
// and through a function host with each form of events, each on a stand of its own that lives
// through the same things. Status, header and body are equal, but for what is made anew each time.
func TestEveryRouteIsTheSameOnEveryHost(t *testing.T) {
	at := time.Now().UTC().Truncate(time.Second)
	plain := playedOn(t, at, "")
	if !t.Failed() {
		everyRowIsIn(t, plain)
	}
	for _, form := range config.EventForms {
		t.Run(string(form), func(t *testing.T) {
			compare(t, plain, playedOn(t, at, form))
		})
	}
}

// playedOn returns what a stand answered on a host; no form is net/http.
func playedOn(t *testing.T, at time.Time, form config.EventForm) *record {
	t.Helper()
	s := newStand(t)
	s.fixed = at
	s.deps.UI.Live = linked{}
	if form != "" {
		s.deps.Guard.Room = lambda.Room(form)
	}
	p := s.players(t)
	rec := newRecord(t, s)
	s.transport, s.answered = host(t, s, form), rec.add
	p.playAll(p.playPages)
	return rec
}

// host is what stands between a client and the stand's handler.
func host(t *testing.T, s *stand, form config.EventForm) http.RoundTripper {
	t.Helper()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) })
	if form == "" {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		return plainHost{server.Listener.Addr().String()}
	}
	refusal := &endpoint.Reporter{Log: slog.New(slog.DiscardHandler), Page: ui.ErrorPage}
	h, err := lambda.New(lambda.Options{Form: form, Handler: handler, Fail: refusal.Refuse, WithRequestID: endpoint.WithRequestID, Log: slog.New(slog.DiscardHandler)})
	s.must(err)
	return &gateway.Gateway{Form: form, Invoke: func(ctx context.Context, event []byte) ([]byte, error) { return h.Invoke(ctx, event) }}
}

// plainHost sends requests to an address, whatever host they name.
type plainHost struct{ address string }

// RoundTrip implements http.RoundTripper.
func (a plainHost) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Host = r.URL.Host
	r.URL.Host = a.address
	return (&http.Transport{DisableKeepAlives: true, DisableCompression: true}).RoundTrip(r)
}

// record is what was asked of a stand, and what it answered, in order.
type record struct {
	t       *testing.T
	routes  []handlers.Route
	table   *http.ServeMux
	rows    map[string]bool   // "GET /stacks": was asked for
	names   map[string]string // what is made anew each time, by what it is called here
	answers []answered
}

// answered is one answer with everything in it that is made anew replaced.
type answered struct {
	asked, header, body string
	status              int
	streams             bool
}

func newRecord(t *testing.T, s *stand) *record {
	rec := &record{t: t, routes: handlers.Routes(s.deps), table: http.NewServeMux(), rows: map[string]bool{}, names: map[string]string{}}
	for _, r := range rec.routes {
		rec.table.Handle(r.Method+" "+r.Pattern, http.NotFoundHandler())
	}
	return rec
}

// row is the row of the table that answers a call.
func (rec *record) row(c call) string {
	rec.t.Helper()
	to, err := url.Parse(origin + c.path)
	if err != nil {
		rec.t.Fatal(err)
	}
	_, row := rec.table.Handler(&http.Request{Method: c.method, Host: to.Host, URL: to})
	return row
}

func (rec *record) add(c call, w *httptest.ResponseRecorder) {
	rec.t.Helper()
	row := rec.row(c)
	if w.Code < 400 {
		rec.rows[row] = true
	}
	header := w.Header()
	for _, name := range []string{"Date", "Content-Length", "Transfer-Encoding", "Connection"} { // of hosts
		header.Del(name)
	}
	a := answered{asked: rec.plain(c.method + " " + c.path), status: w.Code}
	a.streams = slices.ContainsFunc(rec.routes, func(r handlers.Route) bool { return r.Method+" "+r.Pattern == row && r.Streams })
	if a.streams {
		header.Del(endpoint.LimitHeader) // says what the others need not
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		a.header += rec.plain(name + ": " + strings.Join(header[name], ",") + "\n")
	}
	a.body = rec.plain(w.Body.String())
	if strings.HasPrefix(header.Get("Content-Type"), "text/plain; version=0.0.4") {
		a.body = measured.ReplaceAllString(a.body, "$1 N")
	}
	rec.answers = append(rec.answers, a)
}

var (
	// made are identifiers, hashes and digests of pages; they get a name by the order in which they come.
	made = regexp.MustCompile(`\b[a-z]{1,5}_[0-9a-z]{26}\b|\b[0-9a-f]{40}\b|"[A-Za-z0-9_-]{24}"`)
	// shortened are the beginnings of hashes, as pages show them.
	shortened = regexp.MustCompile(`\b[0-9a-f]{10}\b`)
	// secret are what is different each time and never seen again.
	secret = regexp.MustCompile(`berth_(sk|wt|wh|in|pr)_[A-Za-z0-9_-]+|"secret":"[A-Z2-7]{32}|period=30[^A-Z]{1,20}secret=[A-Z2-7]{32}|name="secret" value="[A-Z2-7]{32}|id="secret">[A-Z2-7]{32}|"recovery_codes":\[[^\]]*|id="codes">[^<]*|name="ticket" value="[^"]*|class="qr"[^>]*><path d="[^"]*|berth_session=[^;]+|berth_trip=[^;]+|request_id":"[^"]*"|X-Request-Id: .*|Request <code>[^<]*</code>|fingerprint(?:":"|=|" value=")[0-9a-f]{32}|seen_at":"[^"]*"`) // the last is by the database's clock
	// encrypted is what sops writes, age keys, states of connections, and marks of changes, which are made anew each time.
	encrypted = regexp.MustCompile(`(?s)ENC\[[^\]]*\]|BEGIN AGE.*?END AGE|age1[0-9a-z]{58}|AAAAC3NzaC1lZDI1NTE5AAAAI\S+ dep|lastmodified: \S+|state=[A-Za-z0-9_-]{96}|code_challenge=of-[A-Za-z0-9_-]{4}|(?:\bid: |data-seen=")[A-Z2-7]{26}-`)
	loopback  = regexp.MustCompile(`\b127\.0\.0\.1\b`) // of clients; a gateway's are documentation's
	measured  = regexp.MustCompile(`(?m)^([a-z_]+(?:\{[^}]*\})?) \S+$`)
)

// plain puts names in place of what is made anew each time.
func (rec *record) plain(text string) string {
	text = secret.ReplaceAllStringFunc(text, func(found string) string { return "<" + found[:min(9, len(found))] + ">" })
	text = made.ReplaceAllStringFunc(text, func(found string) string {
		prefix, _, named := strings.Cut(found, "_")
		if !named || found[0] == '"' {
			prefix = "hash"
		}
		if rec.names[found] == "" {
			rec.names[found] = fmt.Sprintf("<%s %d>", prefix, len(rec.names))
		}
		return rec.names[found]
	})
	text = loopback.ReplaceAllString(text, "192.0.2.1")
	return shortened.ReplaceAllString(encrypted.ReplaceAllString(text, "<encrypted>"), "<short>")
}

// refusedRows were played, but have no good end beside the other plays.
var refusedRows = map[string]string{"POST /setup": "somebody is made the first administrator once, by the same operation of the API"}

// everyRowIsIn demands that each row of the table was played to a good end.
func everyRowIsIn(t *testing.T, rec *record) {
	t.Helper()
	for _, r := range rec.routes {
		if row := r.Method + " " + r.Pattern; !rec.rows[row] && refusedRows[row] == "" {
			t.Errorf("%s was never played to a good end; add it to the plays of the API or of the pages", row)
		}
	}
}

// compare holds two records against each other.
func compare(t *testing.T, want, got *record) {
	t.Helper()
	if len(want.answers) != len(got.answers) {
		t.Fatalf("%d answers, net/http gave %d", len(got.answers), len(want.answers))
	}
	for i, w := range want.answers {
		if g := got.answers[i]; g != w {
			t.Fatalf("%s is answered %d with\n%s\nnet/http answers %s with %d and\n%s", g.asked, g.status, differing(g, w), w.asked, w.status, differing(w, g))
		}
	}
}

// differing returns the lines of an answer that another one does not have.
func differing(a, other answered) string {
	there := map[string]bool{}
	for line := range strings.Lines(other.header + "\n" + other.body + "\n") {
		there[line] = true
	}
	var out strings.Builder
	for line := range strings.Lines(a.header + "\n" + a.body + "\n") {
		if !there[line] {
			out.WriteString(line)
		}
	}
	return out.String()
}
