package endpoint_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/handlers/endpoint"
)

func TestEachKindOfFaultHasItsStatus(t *testing.T) {
	for status, err := range map[int]error{
		400: fault.New(fault.Malformed, "a.b", "text"),
		401: fault.New(fault.Unauthenticated, "a.b", "text"),
		403: fault.New(fault.Forbidden, "a.b", "text"),
		404: fault.New(fault.NotFound, "a.b", "text"),
		409: fault.New(fault.Conflict, "a.b", "text"),
		413: fault.New(fault.TooLarge, "a.b", "text"),
		415: fault.New(fault.Unsupported, "a.b", "text"),
		422: fault.BadFields("a.b", []fault.Field{{Path: "p", Problem: "q"}}),
		429: fault.New(fault.TooMany, "a.b", "text").After(1500 * time.Millisecond),
		500: fault.New(fault.Internal, "a.b", "text"),
		503: fmt.Errorf("while doing: %w", fault.New(fault.Unavailable, "a.b", "text")),
	} {
		w := httptest.NewRecorder()
		endpoint.Fail(w, httptest.NewRequest("GET", "/", nil), err)
		if w.Code != status || w.Header().Get("Content-Type") != "application/problem+json" || !strings.Contains(w.Body.String(), `"code":"a.b"`) {
			t.Errorf("%v: %d %s", err, w.Code, w.Body)
		}
		if after := w.Header().Get("Retry-After"); (after != "") != (status == 429 || status == 503) || status == 429 && after != "2" {
			t.Errorf("%d has Retry-After %q", status, after)
		}
		if challenge := w.Header().Get("WWW-Authenticate"); (challenge != "") != (status == 401) {
			t.Errorf("%d has WWW-Authenticate %q", status, challenge)
		}
	}
}

func TestAProblemSaysAllThatIsPublicAndNoMore(t *testing.T) {
	ctx := endpoint.WithRequestID(t.Context(), "R1")
	w := httptest.NewRecorder()
	err := fault.BadFields("stack.invalid", []fault.Field{{Path: "name", Problem: "is empty"}, {Path: "path", Problem: "climbs"}})
	endpoint.Fail(w, httptest.NewRequest("GET", "/", nil).WithContext(ctx), err)
	want := `{"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"name: is empty; path: climbs","code":"stack.invalid","request_id":"R1",` +
		`"fields":[{"path":"name","problem":"is empty"},{"path":"path","problem":"climbs"}]}`
	if got := strings.TrimSpace(w.Body.String()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, hidden := range []error{errors.New("pq: secret"), fmt.Errorf("x: %w", fault.New(fault.Conflict, "a.b", "public").Because(errors.New("secret")))} {
		if p := endpoint.ProblemOf(ctx, hidden); strings.Contains(p.Detail, "secret") {
			t.Errorf("a problem shows %q", p.Detail)
		}
	}
}

func TestARequestThatRanOutOfTimeIsNoDefect(t *testing.T) {
	for _, err := range []error{context.Canceled, fmt.Errorf("read: %w", context.DeadlineExceeded)} {
		if p := endpoint.ProblemOf(t.Context(), err); p.Status != 503 || p.Code != "request.timeout" {
			t.Errorf("%v becomes %+v", err, p)
		}
	}
}

func TestErrorsAreLoggedOnceByWeight(t *testing.T) {
	var log bytes.Buffer
	reporter := &endpoint.Reporter{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo}))}
	fail := func(err error) string {
		log.Reset()
		r := httptest.NewRequest("GET", "/", nil)
		endpoint.Handle(func(http.ResponseWriter, *http.Request) error { return err }).
			ServeHTTP(httptest.NewRecorder(), r.WithContext(endpoint.WithReporter(endpoint.WithRequestID(r.Context(), "R2"), reporter)))
		return log.String()
	}
	if got := fail(errors.New("the cause")); strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=ERROR") || !strings.Contains(got, "the cause") || !strings.Contains(got, "request_id=R2") {
		t.Errorf("a defect is logged as %s", got)
	}
	if got := fail(fault.New(fault.Unavailable, "a.b", "x")); !strings.Contains(got, "level=WARN") {
		t.Errorf("something away is logged as %s", got)
	}
	if got := fail(fault.New(fault.NotFound, "a.b", "x")); got != "" {
		t.Errorf("a client's mistake is logged as %s", got)
	}
	if got := fail(fmt.Errorf("reading: %w", context.Canceled)); got != "" {
		t.Errorf("a client that left is logged as %s", got)
	}
	if got := fail(fmt.Errorf("reading: %w", context.DeadlineExceeded)); !strings.Contains(got, "level=WARN") {
		t.Errorf("what took too long is logged as %s", got)
	}
}

func TestBrowsersGetPages(t *testing.T) {
	reporter := &endpoint.Reporter{Log: slog.New(slog.DiscardHandler), Page: func(w http.ResponseWriter, r *http.Request, p endpoint.Problem) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(p.Status)
		fmt.Fprint(w, p.Code)
	}}
	for name, c := range map[string]struct {
		path, accept string
		page         bool
	}{
		"a browser at a page":    {"/stacks/x", "text/html,application/xhtml+xml,*/*;q=0.8", true},
		"a script at a page":     {"/stacks/x", "*/*", false},
		"a browser at the API":   {"/api/custom/me", "text/html", false},
		"a program":              {"/stacks/x", "", false},
		"a program that is wary": {"/stacks/x", "application/json", false},
	} {
		r := httptest.NewRequest("GET", c.path, nil)
		r.Header.Set("Accept", c.accept)
		w := httptest.NewRecorder()
		endpoint.Fail(w, r.WithContext(endpoint.WithReporter(r.Context(), reporter)), fault.New(fault.NotFound, "a.b", "x"))
		if got := w.Header().Get("Content-Type") == "text/html"; got != c.page || w.Code != 404 {
			t.Errorf("%s: %d %s", name, w.Code, w.Header())
		}
	}
}

func TestJSONThatDoesNotEncodeIsADefectNotHalfAnAnswer(t *testing.T) {
	w := httptest.NewRecorder()
	endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error { return endpoint.JSON(w, 200, math.NaN()) }).
		ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 500 || !strings.Contains(w.Body.String(), "internal.error") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestAListIsNeverNull(t *testing.T) {
	w := httptest.NewRecorder()
	show := func(n int) string { return fmt.Sprint(n) }
	endpoint.List(w, core.List[int]{}, show)
	if got := strings.TrimSpace(w.Body.String()); got != `{"items":[],"next":""}` {
		t.Error(got)
	}
	w = httptest.NewRecorder()
	endpoint.List(w, core.List[int]{Items: []int{1, 2}, Next: "c"}, show)
	if got := strings.TrimSpace(w.Body.String()); got != `{"items":["1","2"],"next":"c"}` {
		t.Error(got)
	}
	w = httptest.NewRecorder()
	endpoint.List(w, core.List[int]{Items: []int{1}, LeftOut: []string{"b"}}, show)
	if got := strings.TrimSpace(w.Body.String()); got != `{"items":["1"],"next":"","left_out":["b"]}` {
		t.Error(got)
	}
}

func TestQueries(t *testing.T) {
	at := func(query string) *http.Request { return httptest.NewRequest("GET", "/?"+query, nil) }
	for query, want := range map[string]core.Page{"": {Limit: 50}, "limit=1": {Limit: 1}, "limit=500&after=x": {After: "x", Limit: 500}} {
		if got, err := endpoint.PageOf(at(query)); err != nil || got != want {
			t.Errorf("%q is %v, %v", query, got, err)
		}
	}
	for query, want := range map[string]time.Duration{"": 0, "wait=0": 0, "wait=60": time.Minute, "wait=60s": time.Minute, "wait=5m": 5 * time.Minute, "wait=300s": 5 * time.Minute} {
		if got, err := endpoint.WaitOf(at(query)); err != nil || got != want {
			t.Errorf("%q is %v, %v", query, got, err)
		}
	}
	for _, query := range []string{"wait=-1s", "wait=301s", "wait=1h", "wait=x", "wait=99999999999999999999", "wait=1e9"} {
		if _, err := endpoint.WaitOf(at(query)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", query, err)
		}
	}
}

func TestRedirectsStayHere(t *testing.T) {
	for to, want := range map[string]string{
		"/stacks?x=1": "/stacks?x=1", "": "/", "stacks": "/", "https://evil.example": "/", "//evil.example": "/", `/\evil.example`: "/",
		"/a\nLocation: x": "/", "javascript:alert(1)": "/", "/" + strings.Repeat("a", 3000): "/", "/\t/evil.example": "/",
	} {
		if got := endpoint.LocalPath(to); got != want {
			t.Errorf("%q leads to %q", to, got)
		}
	}
}
