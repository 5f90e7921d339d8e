package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/handlers/endpoint"
)

// TestWhatCannotBeOpenedIsTriedAgain with the next request, and what is open stays so.
func TestWhatCannotBeOpenedIsTriedAgain(t *testing.T) {
	tries := 0
	o := &opening{refuse: func(w http.ResponseWriter, r *http.Request, err error) { endpoint.Fail(w, r, err) },
		open: func(context.Context) (http.Handler, error) {
			if tries++; tries < 3 {
				return nil, fault.New(fault.Unavailable, "store.away", "away").Because(errors.New("secret"))
			}
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }), nil
		}}
	for i, want := range []int{503, 503, 204, 204} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/", nil)
		o.ServeHTTP(w, r.WithContext(endpoint.WithRequestID(r.Context(), "R1")))
		if w.Code != want || want == 503 && (w.Header().Get("X-Request-Id") != "R1" || strings.Contains(w.Body.String(), "secret")) {
			t.Errorf("request %d: %d %v %s", i, w.Code, w.Header(), w.Body)
		}
	}
	if tries != 3 {
		t.Errorf("it was opened %d times", tries)
	}
}
