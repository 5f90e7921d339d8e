package endpoint_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/fault"
	"berth/handlers/endpoint"
)

func TestAWaitEndsBeforeTheHostDoes(t *testing.T) {
	for name, c := range map[string]struct {
		left, wait, want time.Duration // left: 0: no limit
		said             string
	}{
		"no limit":               {0, 300 * time.Second, 300 * time.Second, ""},
		"a short wait":           {29 * time.Second, 10 * time.Second, 10 * time.Second, ""},
		"a long wait":            {29 * time.Second, 300 * time.Second, 28 * time.Second, "wait=28"},
		"hardly any time":        {500 * time.Millisecond, time.Second, 0, "wait=0"},
		"no time and no waiting": {500 * time.Millisecond, 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
				if c.left > 0 {
					ctx, cancel := context.WithTimeout(r.Context(), c.left)
					defer cancel()
					r = r.WithContext(ctx)
				}
				if got := endpoint.WaitWithin(w, r, c.wait); got != c.want || w.Header().Get(endpoint.LimitHeader) != c.said {
					t.Errorf("it waits %v and says %q", got, w.Header().Get(endpoint.LimitHeader))
				}
			})
		})
	}
}

func TestRoomIsThatOfTheHost(t *testing.T) {
	if _, whole := endpoint.Room(t.Context()); whole {
		t.Error("a plain server has limits")
	}
	if bytes, whole := endpoint.Room(endpoint.WithRoom(t.Context(), 100)); !whole || bytes != 100 {
		t.Errorf("room for %d, %v", bytes, whole)
	}
}

// TestAnAnswerInPlaceOfAHandlersHasItsRequestID.
func TestAnAnswerInPlaceOfAHandlersHasItsRequestID(t *testing.T) {
	var log strings.Builder
	reporter := &endpoint.Reporter{Log: slog.New(slog.NewTextHandler(&log, nil))}
	w := httptest.NewRecorder()
	w.Header().Set("X-Request-Id", "R3")
	reporter.Refuse(w, httptest.NewRequest("GET", "/", nil), fault.New(fault.TooLarge, "a.b", "too large").Because(errors.New("cause")))
	if w.Code != 413 || !strings.Contains(w.Body.String(), `"request_id":"R3"`) || strings.Contains(w.Body.String(), "cause") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if reporter.Refuse(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), errors.New("cause")); !strings.Contains(log.String(), "cause") {
		t.Errorf("a defect is logged as %s", log.String())
	}
}
