package handlers_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// whole makes the stand's host one that sends answers whole, as a function host does.
func (s *stand) whole(room int) {
	s.deps.Guard.Room = room
	s.build()
}

// chatty is a hub whose services log a lot, and go on when they are followed.
type chatty struct{ noHub }

func (chatty) Logs(ctx context.Context, _ stacks.Stack, _ string, ask stacks.LogAsk, w io.Writer) error {
	for range ask.Tail {
		line := "a line that is some bytes long\n"
		if ask.Times {
			line = stacks.LineTime(time.Unix(1700000003, 0)) + line
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	if ask.Follow {
		<-ctx.Done() // which a host that cannot stream must not wait for
	}
	return nil
}

// TestWhatCannotStreamPages: an answer that would go on ends with what there is, says so, and
// asking again goes on where it was.
func TestWhatCannotStreamPages(t *testing.T) {
	s := newStand(t)
	s.deps.Stacks.Live = chatty{}
	s.deps.UI.Live = chatty{}
	s.whole(40_000)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	stack, deployment := s.deploying(t, 100, 1000)
	get := func(path string, header ...string) (string, http.Header) {
		t.Helper()
		c := call{method: http.MethodGet, path: path, session: session, header: http.Header{}}
		for i := 0; i < len(header); i += 2 {
			c.header.Set(header[i], header[i+1])
		}
		w := s.do(c)
		if w.Code != http.StatusOK || w.Body.Len() > 40_000 {
			t.Fatalf("%s: %d with %d bytes: %.300s", path, w.Code, w.Body.Len(), w.Body)
		}
		return w.Body.String(), w.Header()
	}
	for _, path := range []string{"/api/custom/stacks/" + stack + "/services/app/logs?tail=100&follow=true", "/stacks/" + stack + "/services/app/logs/follow?tail=5000"} {
		if _, header := get(path); header.Get(endpoint.LimitHeader) != "stream" {
			t.Errorf("%s says %q of its host", path, header.Get(endpoint.LimitHeader))
		}
	}
	if page, _ := get("/stacks/" + stack + "/services/app/logs?tail=5000"); strings.Count(page, "data-second") < 50 {
		t.Errorf("the page shows %d lines", strings.Count(page, "data-second"))
	}
	if _, header := get("/api/custom/stacks/" + stack + "/services/app/logs?tail=100"); header.Get(endpoint.LimitHeader) != "" {
		t.Error("a log that was not to be followed tells of a limit")
	}
	read, last, rounds := 0, "0", 0
	for ; read < 100 && rounds < 100; rounds++ {
		events, header := get("/api/custom/deployments/"+deployment+"/stream", "Last-Event-ID", last)
		if header.Get(endpoint.LimitHeader) != "stream" || !strings.Contains(events, "retry: 2000\n") || strings.Contains(events, "event: end") {
			t.Fatalf("an open deployment's events say %q: %.100s", header.Get(endpoint.LimitHeader), events)
		}
		read += strings.Count(events, "event: log\n")
		last, _, _ = strings.Cut(events[strings.LastIndex(events, "\nid: ")+5:], "\n")
	}
	if read != 100 || rounds < 3 {
		t.Errorf("%d pieces came in %d answers", read, rounds)
	}
	s.exec(`UPDATE deployments SET state = 'succeeded', finished_at = started_at WHERE id = ?`, deployment)
	if events, header := get("/api/custom/deployments/"+deployment+"/stream", "Last-Event-ID", last); header.Get(endpoint.LimitHeader) != "" || !strings.Contains(events, "event: end") {
		t.Errorf("the end is told as %q: %s", header.Get(endpoint.LimitHeader), events)
	}
	s.pagesOf(t, get, deployment)
}

// pagesOf reads the log as pages of the API and of the pages.
func (s *stand) pagesOf(t *testing.T, get func(string, ...string) (string, http.Header), deployment string) {
	t.Helper()
	for path, piece := range map[string]string{"/api/custom/deployments/" + deployment + "/log?limit=500&after=": `"number":`, "/deployments/" + deployment + "?after=": `class="line"`} {
		read, after, rounds := 0, "0", 0
		for ; read < 100 && rounds < 100; rounds++ {
			body, _ := get(path+after, "Accept", "text/html")
			read += strings.Count(body, piece)
			mark := `"next":"`
			if strings.HasPrefix(path, "/deployments") {
				mark = `data-append="`
			}
			_, rest, _ := strings.Cut(body, mark)
			after, _, _ = strings.Cut(rest, `"`)
		}
		if read != 100 || rounds < 3 {
			t.Errorf("%s: %d pieces came on %d pages", path, read, rounds)
		}
	}
}

// telling is a context that tells of a deadline and does not end, however slow the machine is.
type telling struct {
	context.Context
	at time.Time
}

// Deadline implements context.Context.
func (t telling) Deadline() (time.Time, bool) { return t.at, true }

// TestAWaitIsCutToWhatTheHostLeaves, and says so.
func TestAWaitIsCutToWhatTheHostLeaves(t *testing.T) {
	s := newStand(t)
	key := s.admin()
	_, deployment := s.deploying(t, 1, 1)
	for wait, said := range map[string]string{"0s": "", "1ms": "", "300s": "wait=0"} {
		var ctx context.Context = telling{t.Context(), time.Now().Add(time.Hour)}
		if wait == "300s" {
			ctx = telling{t.Context(), time.Now().Add(1100 * time.Millisecond)}
		}
		w := s.doIn(ctx, call{method: http.MethodGet, path: "/api/custom/deployments/" + deployment + "?wait=" + wait, key: key})
		if got := w.Header().Get(endpoint.LimitHeader); w.Code != http.StatusOK || got != said {
			t.Errorf("wait=%s: %d, %q", wait, w.Code, got)
		}
	}
}

// deploying returns a stack whose service app runs, and a deployment under way that has said
// so many pieces of so many bytes.
func (s *stand) deploying(t *testing.T, pieces, bytes int) (stack, deployment string) {
	t.Helper()
	if s.count(`SELECT count(*) FROM users`) == 0 {
		s.found()
	}
	session := s.session(s.user(access.RoleOperator))
	_, page := s.madeStack(session)
	stack = strings.TrimPrefix(page, "/stacks/")
	deployment = strings.TrimPrefix(s.submit(session, page+"/sync", nil).Header().Get("Location"), "/deployments/")
	id := core.DeploymentID(deployment)
	_, err := s.store.StartDeployment(t.Context(), id)
	s.must(err)
	var log []stacks.LogLine
	for n := range pieces {
		log = append(log, stacks.LogLine{Deployment: id, Number: uint64(n + 1), At: s.now(), Text: strings.Repeat("x", bytes) + "\n"})
	}
	s.must(s.store.SaveProgress(t.Context(), []stacks.Progress{{Deployment: id, Phases: []stacks.Phase{{Name: stacks.PhasePull, State: stacks.PhaseRunning, StartedAt: s.now()}}}}, log))
	s.exec(`UPDATE stacks SET containers = ?, worker_id = ? WHERE id = ?`, `[{"service":"app","container":"web-app-1","state":"running"}]`, string(s.worker("web-9").ID), stack)
	return stack, deployment
}
