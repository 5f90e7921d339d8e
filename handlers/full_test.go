package handlers_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"berth/core/access"
	"berth/core/store"
)

// full is a store that runs on its reserve.
type full struct{ *store.Store }

func (full) Room() bool { return false }

// noRoom is a disk on which nothing new is begun.
type noRoom struct{}

func (noRoom) Room() bool    { return false }
func (noRoom) GiveWay() bool { return false }

func TestAFullDiskShows(t *testing.T) {
	p, session, _ := operator(t)
	ready := func() int { return p.s.do(call{method: "GET", path: "/readyz"}).Code }
	if code := ready(); code != http.StatusOK {
		t.Fatalf("with room it answers %d", code)
	}
	silent(t, p.s.browse(session, "/").Body.String(), "disk is full", "DATA_DIR")
	p.s.deps.Ops.Store, p.s.deps.UI.Store = full{p.s.store}, full{p.s.store}
	p.s.build()
	if code := ready(); code != http.StatusServiceUnavailable {
		t.Errorf("without room it answers %d", code)
	}
	says(t, p.s.browse(session, "/"), 200, "The server&#39;s disk is full.", "Nothing new is begun", "signing in, stopping and deleting still work", "Free some space")
}

// TestAFullDiskIsToldOnce: the store tells when it happens, so that what is refused leaves no line beside the one that each request has.
func TestAFullDiskIsToldOnce(t *testing.T) {
	s := newStand(t)
	var log bytes.Buffer
	s.deps.Guard.Log = slog.New(slog.NewTextHandler(&log, nil))
	s.deps.Ops.Store = full{s.store}
	s.build()
	key := s.keyOf(access.RoleOperator)
	s.db.StandOn(noRoom{})
	for range 3 {
		if w := s.do(call{method: "GET", path: "/readyz"}); w.Code != 503 || strings.Contains(w.Body.String(), "disk") {
			t.Errorf("not ready: %d %s", w.Code, w.Body)
		}
		w := s.do(call{method: "POST", path: "/api/custom/repositories", key: key, body: `{"name":"apps","url":"https://git.example/apps.git","branch":"main"}`})
		if w.Code != 503 || !strings.Contains(w.Body.String(), "store.disk_full") {
			t.Errorf("something new: %d %s", w.Code, w.Body)
		}
	}
	if strings.Contains(log.String(), "level=WARN") || strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("the log says\n%s", &log)
	}
}
