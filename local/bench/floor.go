package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// floorQuestion names the files with what is to be answered from now on.
type floorQuestion struct{ Plain, Gzip string }

// floorAnswer is where.
type floorAnswer struct{ URL string }

// floorAide is the least that an HTTP server of the standard library can do for the same answer: it
// writes bytes that it has in memory, and knows how many.
func floorAide(in io.Reader, out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var content atomic.Pointer[[2][]byte]
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		which := 0
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			which = 1
			w.Header().Set("Content-Encoding", "gzip")
		}
		body := content.Load()[which]
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // whoever asked and has gone needs no answer
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	err = serveLines(in, out, func(_ context.Context, q floorQuestion) (floorAnswer, error) {
		var read [2][]byte
		var errs [2]error
		read[0], errs[0] = os.ReadFile(q.Plain)
		read[1], errs[1] = os.ReadFile(q.Gzip)
		content.Store(&read)
		return floorAnswer{"http://" + listener.Addr().String()}, errors.Join(errs[0], errs[1])
	})
	err = errors.Join(err, server.Close())
	if end := <-served; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}
