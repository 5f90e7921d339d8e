package guard_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"

	"berth/core/access"
	"berth/handlers/guard"
)

// TestPartsArriveInOrder holds what arrives of an answer in parts against the parts, whatever it goes to.
func TestPartsArriveInOrder(t *testing.T) {
	var parts [][]byte
	for i := range 300 {
		parts = append(parts, bytes.Repeat([]byte{byte(i)}, 1+i*i)) // 9 MB: many times what is handed over at once
	}
	parts = append(parts, bytes.Repeat([]byte{'x'}, 2<<20)) // one that is more than that by itself
	whole := bytes.Join(parts, nil)
	handler := protect(t, config("http://berth.test"), guard.Rule{Capability: access.Public, Surface: guard.API}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
		if err := w.(interface{ WriteParts([][]byte) error }).WriteParts(slices.Clone(parts)); err != nil {
			t.Error(err)
		}
	}))
	for name, start := range map[string]func(http.Handler) *httptest.Server{"a TCP connection": httptest.NewServer, "TLS": httptest.NewTLSServer} {
		t.Run(name, func(t *testing.T) {
			server := start(handler)
			defer server.Close()
			answer, err := server.Client().Get(server.URL + "/x")
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if got, err := io.ReadAll(answer.Body); err != nil || !bytes.Equal(got, whole) {
				t.Errorf("%d bytes arrived of %d, %v", len(got), len(whole), err)
			}
		})
	}
	t.Run("no connection", func(t *testing.T) {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/x", nil))
		if !bytes.Equal(recorder.Body.Bytes(), whole) {
			t.Errorf("%d bytes arrived of %d", recorder.Body.Len(), len(whole))
		}
	})
}
