package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"berth/core"
	"berth/core/seal"
	"berth/hub/adapter/websocket"
	"berth/local/stand/barelink"
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
	server := &http.Server{Handler: barelink.Routes(beat), TLSConfig: websocket.ServerConfig(certificate), ReadHeaderTimeout: 10 * time.Second}
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
