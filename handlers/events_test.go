package handlers_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

const eventsPath = "/api/custom/events"

// follower reads the events of a stream.
type follower struct {
	t     *testing.T
	leave context.CancelFunc
	lines *bufio.Scanner
}

// follow opens a stream of a server with a key.
func follow(t *testing.T, server *httptest.Server, key string) *follower {
	t.Helper()
	return followAfter(t, server, key, "")
}

// followAfter is follow for what was stored after a mark; empty: whatever was.
func followAfter(t *testing.T, server *httptest.Server, key, mark string) *follower {
	t.Helper()
	ctx, leave := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(leave)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+eventsPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(guard.KeyHeader, key)
	if mark != "" {
		r.Header.Set("Last-Event-ID", mark)
	}
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" || answer.Header.Get(endpoint.LimitHeader) != "" {
		t.Fatalf("the stream is answered %d %v", answer.StatusCode, answer.Header)
	}
	return &follower{t, leave, bufio.NewScanner(answer.Body)}
}

// next is what the next event says; empty at the end of the stream.
func (f *follower) next() string {
	f.t.Helper()
	for f.lines.Scan() {
		if data, found := strings.CutPrefix(f.lines.Text(), "data: "); found {
			return data
		}
	}
	return ""
}

func TestAStreamTellsOfWhatIsStored(t *testing.T) {
	s := newStand(t)
	_, key := s.key(s.account(access.RoleViewer), 0)
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	one, two := follow(t, server, key), follow(t, server, key)
	one.next()
	two.next()
	s.worker("web-9")
	for _, f := range []*follower{one, two} {
		if event := f.next(); !strings.Contains(event, `"workers"`) || strings.Contains(event, "web-9") {
			t.Errorf("the event says %s", event)
		}
	}
}

// mark is the id of the next event.
func (f *follower) mark() string {
	f.t.Helper()
	for f.lines.Scan() {
		if id, found := strings.CutPrefix(f.lines.Text(), "id: "); found {
			return id
		}
	}
	return ""
}

func TestAStreamGoesOnAfterAMark(t *testing.T) {
	s := newStand(t)
	_, key := s.key(s.account(access.RoleViewer), 0)
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	mark := follow(t, server, key).mark()
	s.worker("web-9")
	if event := followAfter(t, server, key, mark).next(); !strings.Contains(event, `"workers"`) || strings.Contains(event, `"stacks"`) {
		t.Errorf("after %s comes %s", mark, event)
	}
	newest := follow(t, server, key).mark()
	quiet := followAfter(t, server, key, newest)
	s.worker("web-10")
	if event := quiet.next(); !strings.Contains(event, `"workers"`) || strings.Contains(event, `"stacks"`) {
		t.Errorf("after the newest, %s, comes %s", newest, event)
	}
	if event := followAfter(t, server, key, "of-another-process-7").next(); !strings.Contains(event, `"number"`) {
		t.Errorf("after a mark that means nothing comes %q", event)
	}
}

// TestAPageSaysUpToWhereItKnows, so that nothing is missed that is stored before its browser hears of changes, and is
// the same page for a browser that has it when something else was stored.
func TestAPageSaysUpToWhereItKnows(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	seen := func(w *httptest.ResponseRecorder) uint64 {
		_, rest, _ := strings.Cut(w.Body.String(), `data-seen="`)
		mark, _, _ := strings.Cut(rest, `"`)
		return s.store.ChangesSeen(mark)
	}
	first := s.browse(session, "/workers")
	before := seen(first)
	s.key(s.account(access.RoleViewer), 0)
	second := s.browse(session, "/workers")
	if after := seen(second); before == 0 || after <= before || first.Header().Get("ETag") != second.Header().Get("ETag") {
		t.Errorf("the page knows up to %d, then %d; its tags are %s and %s", before, after, first.Header().Get("ETag"), second.Header().Get("ETag"))
	}
	s.worker("web-9")
	if third := s.browse(session, "/workers"); third.Header().Get("ETag") == second.Header().Get("ETag") {
		t.Error("a page that changed has the same tag")
	}
}

func TestStreamsOfOneAccountAreBounded(t *testing.T) {
	s := newStand(t)
	_, key := s.key(s.account(access.RoleViewer), 0)
	_, other := s.key(s.account(access.RoleViewer), 0)
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	var open []*follower
	for range 16 {
		open = append(open, follow(t, server, key))
	}
	w := s.do(call{method: "GET", path: eventsPath, key: key})
	if w.Code != http.StatusTooManyRequests || !strings.Contains(w.Body.String(), "events.too_many") || w.Header().Get("Retry-After") == "" {
		t.Errorf("one more is answered %d %s", w.Code, w.Body)
	}
	follow(t, server, other).leave()
	open[0].leave()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for { // the server notices that it is gone
		w := s.doIn(ctx, call{method: "GET", path: eventsPath + "?for=0s", key: key})
		if w.Code == http.StatusOK {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("the place of one that left stays taken: %d %s", w.Code, w.Body)
		}
	}
}
