package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	ws "golang.org/x/net/websocket"

	"berth/core"
	"berth/core/seal"
	"berth/core/wire"
	"berth/hub/adapter/websocket"
)

// bareQuestion asks for tokens with which so many workers find the bare port.
type bareQuestion struct{ Tokens int }

// bareAnswer is where the port is, and who may come.
type bareAnswer struct {
	URL    string
	Tokens []string
}

// barePortAide is the least that net/http, crypto/tls and x/net/websocket do for a link: whoever comes is let in, what
// comes is read and nothing of it is kept. Certificates are as on the worker port; all else is as Go does it by itself.
func barePortAide(in io.Reader, out io.Writer) error {
	certificate, err := bareCertificate()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: bareRoutes(), TLSConfig: websocket.ServerConfig(certificate), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.ServeTLS(listener, "", "") }()
	err = serveLines(in, out, func(_ context.Context, q bareQuestion) (bareAnswer, error) {
		a := bareAnswer{URL: "https://" + listener.Addr().String()}
		for range q.Tokens {
			token := seal.NewWorkerToken(core.NewID(core.PrefixWorkerToken, time.Now()), websocket.Pin(certificate.Leaf))
			a.Tokens = append(a.Tokens, token.Reveal())
		}
		return a, nil
	})
	err = errors.Join(err, server.Close())
	if end := <-served; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}

func bareCertificate() (tls.Certificate, error) {
	cert, key, err := websocket.SelfSigned([]string{"127.0.0.1"}, time.Now())
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
}

func bareRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+wire.EnrolPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(wire.Enrolled{WorkerID: core.WorkerID(core.NewID(core.PrefixWorker, time.Now())),
			HeartbeatSeconds: int(beat.Seconds()), Time: time.Now().UTC()}) // a worker that has gone needs no answer
	})
	mux.Handle("GET "+wire.LinkPath, ws.Server{Handler: bareLink})
	return mux
}

// bareLink greets a worker that has said how it is, and then only listens.
func bareLink(socket *ws.Conn) {
	var frame []byte
	if ws.Message.Receive(socket, &frame) != nil {
		return
	}
	welcome, err := wire.Encode(wire.Welcome{Epoch: 1, HeartbeatSeconds: int(beat.Seconds()), Version: "bare", Changes: true, Settle: []wire.Instruction{}})
	if err != nil || ws.Message.Send(socket, welcome) != nil {
		return
	}
	for ws.Message.Receive(socket, &frame) == nil {
		frame = nil
	}
}
