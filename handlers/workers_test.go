package handlers_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/seal"
	"berth/core/wire"
	"berth/handlers/api"
	"berth/handlers/endpoint"
)

// into decodes an answer, which must have this status.
func into[T any](t *testing.T, s *stand, status int, c call) T {
	t.Helper()
	w := s.do(c)
	if w.Code != status {
		t.Fatalf("%s %s: %d, want %d: %s", c.method, c.path, w.Code, status, w.Body)
	}
	var v T
	dec := json.NewDecoder(w.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s %s: %v", c.method, c.path, err)
	}
	return v
}

// wantCode checks a refusal.
func wantCode(t *testing.T, s *stand, status int, code string, c call) string {
	t.Helper()
	w := s.do(c)
	if w.Code != status || !strings.Contains(w.Body.String(), `"code":"`+code+`"`) {
		t.Errorf("%s %s: %d %s, want %d %s", c.method, c.path, w.Code, w.Body, status, code)
	}
	return w.Body.String()
}

func TestAWorkerTokenIsShownOnceWithItsCommand(t *testing.T) {
	s := newStand(t)
	key := s.admin()
	issued := into[api.IssuedWorkerToken](t, s, http.StatusCreated, call{method: "POST", path: "/api/custom/workers/tokens", key: key, body: `{"name":"web","expires_in":3600}`})
	token, err := seal.ParseToken(issued.Token)
	s.must(err)
	if pin, pinned := token.Pin(); !pinned || pin != (seal.Pin{7}) || token.ID() != string(issued.ID) || !core.ValidID(core.PrefixWorkerToken, token.ID()) {
		t.Errorf("the token is %s with pin %x", token, pin)
	}
	if want := "SERVER_URL=https://berth.test:8443 WORKER_TOKEN=" + issued.Token + " berth-worker"; issued.Command != want || issued.ServerURL != "https://berth.test:8443" {
		t.Errorf("the command is %q, want %q", issued.Command, want)
	}
	if left := issued.ExpiresAt.Sub(s.now()); left < 59*time.Minute || left > time.Hour {
		t.Errorf("it expires in %v", left)
	}
	if n := s.count(`SELECT count(*) FROM worker_tokens WHERE id = ? AND instr(mac, ?) = 0`, issued.ID, issued.Token); n != 1 {
		t.Errorf("%d rows", n)
	}
	if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'worker_token.create' AND resource = ? AND instr(detail, 'berth_wt') = 0`, issued.ID); n != 1 {
		t.Errorf("%d audit events", n)
	}
	week := into[api.IssuedWorkerToken](t, s, http.StatusCreated, call{method: "POST", path: "/api/custom/workers/tokens", key: key, body: `{}`})
	if left := week.ExpiresAt.Sub(s.now()); left < 167*time.Hour || left > 168*time.Hour {
		t.Errorf("by default it expires in %v", left)
	}
	for _, body := range []string{`{"expires_in":1}`, `{"expires_in":-5}`, `{"expires_in":9223372036854775807}`, `{"name":"` + strings.Repeat("x", 101) + `"}`} {
		wantCode(t, s, http.StatusUnprocessableEntity, "worker.invalid_token", call{method: "POST", path: "/api/custom/workers/tokens", key: key, body: body})
	}
}

func TestWorkersAreListedAndRead(t *testing.T) {
	s := newStand(t)
	key := s.admin()
	empty := s.do(call{method: "GET", path: "/api/custom/workers", key: key})
	if got := strings.TrimSpace(empty.Body.String()); got != `{"items":[],"next":""}` {
		t.Errorf("without workers: %s", got)
	}
	a, b := s.worker("web-1", "eu", "gpu"), s.worker("web-2")
	if _, err := s.desk().Connected(t.Context(), b.ID, wire.Hello{Version: "1.1", Hostname: "web-2", OS: "linux", Arch: "amd64"}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"": "web-1,web-2", "?online=true": "web-2", "?online=false": "web-1", "?tag=gpu": "web-1", "?search=WEB": "web-1,web-2", "?search=b-2": "web-2", "?search=_": "", "?revoked=true": "", "?revoked=false&limit=500": "web-1,web-2",
		"?limit=1": "web-1", "?limit=1&after=" + string(a.ID): "web-2",
	} {
		list := into[endpoint.Items[api.WorkerAnswer]](t, s, http.StatusOK, call{method: "GET", path: "/api/custom/workers" + query, key: key})
		var names []string
		for _, w := range list.Items {
			names = append(names, w.Hostname)
		}
		if got := strings.Join(names, ","); got != want {
			t.Errorf("%q lists %s, want %s", query, got, want)
		}
	}
	for _, query := range []string{"?online=yes", "?revoked=1", "?tag=a%20b", "?limit=0"} {
		if w := s.do(call{method: "GET", path: "/api/custom/workers" + query, key: key}); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%q: %d %s", query, w.Code, w.Body)
		}
	}
	one := into[api.WorkerAnswer](t, s, http.StatusOK, call{method: "GET", path: "/api/custom/workers/" + string(b.ID), key: key})
	if one.ID != b.ID || !one.Online || one.Version != "1.1" || one.ConnectedAt == nil || one.LeftAt != nil || one.Tags == nil {
		t.Errorf("got %+v", one)
	}
	for _, id := range []string{"wrk_x", core.NewID(core.PrefixWorker, time.Now()), "..%2f", "%00", strings.Repeat("x", 10_000), "'%20OR%201=1", string(a.TokenID)} {
		for _, c := range []call{{method: "GET", path: "/api/custom/workers/" + id}, {method: "DELETE", path: "/api/custom/workers/" + id}, {method: "POST", path: "/api/custom/workers/" + id + "/revoke"}} {
			c.key = key
			wantCode(t, s, http.StatusNotFound, "worker.not_found", c)
		}
	}
}

func TestARevokedWorkerStaysAndADeletedOneGoes(t *testing.T) {
	s := newStand(t)
	key := s.admin()
	w := s.worker("web-1")
	path := "/api/custom/workers/" + string(w.ID)
	for range 2 {
		if got := into[api.WorkerAnswer](t, s, http.StatusOK, call{method: "POST", path: path + "/revoke", key: key}); !got.Revoked || got.Online {
			t.Errorf("got %+v", got)
		}
	}
	s.exec(`INSERT INTO repositories (id, name, url, branch, head, fetched_at, error_code, error, asked_at, asked_by, created_at, updated_at)
		VALUES ('rep_1', 'demo', 'http://git.example/demo', 'main', '', 0, '', '', 0, '', 0, 0)`)
	s.exec(`INSERT INTO stacks (id, name, repository_id, path, worker_id, worker_tags, auto_sync, status, drifted, out_of_sync, seen_commit, seen_tree, deployed_tree, retries, retry_at, revision,
		commit_hash, error, containers, observed_at, deleting, created_at, updated_at)
		VALUES ('stk_1', 'shop', 'rep_1', '', ?, '[]', 0, 'new', 0, 0, '', '', '', 0, 0, 0, '', '', '[]', 0, 0, 0, 0)`, w.ID)
	if body := wantCode(t, s, http.StatusConflict, "worker.has_stacks", call{method: "DELETE", path: path, key: key}); !strings.Contains(body, "shop") {
		t.Errorf("%s does not name the stack", body)
	}
	s.exec(`DELETE FROM stacks`)
	var gone sync.WaitGroup // A6: many deletions at once have one winner
	codes := make([]int, 20)
	for i := range codes {
		gone.Go(func() { codes[i] = s.do(call{method: "DELETE", path: path, key: key}).Code })
	}
	gone.Wait()
	winners := 0
	for _, code := range codes {
		if code == http.StatusNoContent {
			winners++
		} else if code != http.StatusNotFound {
			t.Errorf("a deletion answered %d", code)
		}
	}
	if winners != 1 {
		t.Errorf("%d deletions won", winners)
	}
	wantCode(t, s, http.StatusNotFound, "worker.not_found", call{method: "GET", path: path, key: key})
}
