package faultyhttp

import (
	"bytes"
	"io"
	"net/http"
	"time"
)

// Status answers with a status, a body and header fields, given as names and values in turn.
func Status(status int, body string, header ...string) Fault {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Redirect sends the client to the same path of another server.
func Redirect(to string) Fault {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", to+r.URL.RequestURI())
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
}

// Silent never answers; it ends when the client has gone.
func Silent() Fault {
	return func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only a request that was read to its end tells when the client is gone
		<-r.Context().Done()
	}
}

// Dripping answers a byte a second, without end.
func Dripping() Fault {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			if _, err := io.WriteString(w, " "); err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	}
}

// Huge answers a gigabyte.
func Huge() Fault {
	return func(w http.ResponseWriter, _ *http.Request) {
		block := bytes.Repeat([]byte(`"canary-huge",`), 4<<10)
		_, _ = io.WriteString(w, `{"data":[`)
		for sent := 0; sent < 1<<30; sent += len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}
}

// Cut ends the connection in the middle of an answer.
func Cut() Fault {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"data":{"data":{"key":"canary-cut`)
		_ = http.NewResponseController(w).Flush() // what the client makes of it is the test
		panic(http.ErrAbortHandler)
	}
}
