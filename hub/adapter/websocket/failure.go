package websocket

import (
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"os"

	"berth/core/fault"
)

// untrusted tells a server that proved to be the wrong one from one that did not answer.
func untrusted(server *url.URL, cause error) error {
	var unknown *tls.CertificateVerificationError
	switch {
	case errors.Is(cause, errWrongKey):
		return fault.New(fault.Forbidden, "server.untrusted",
			"the server at %s has another key than the one the worker token was made for; nothing was sent. "+
				"If the server's key was replaced on purpose, make a new worker token", server.Host).Because(cause)
	case errors.As(cause, &unknown):
		return fault.New(fault.Forbidden, "server.untrusted",
			"the certificate of the server at %s is not trusted; nothing was sent. "+
				"Use a worker token that carries the server's pin, or a certificate that this host trusts", server.Host).Because(cause)
	}
	return noAnswer(server, cause)
}

// noAnswer tells a network that failed from a server that talks of something else.
func noAnswer(server *url.URL, cause error) error {
	var op *net.OpError
	broken := errors.As(cause, &op) && (op.Op == "read" || op.Op == "write")
	if broken || errors.Is(cause, os.ErrDeadlineExceeded) {
		return unreachable(server, cause)
	}
	return badAnswer(server, cause)
}

func unreachable(server *url.URL, cause error) error {
	return fault.New(fault.Unavailable, "server.unreachable",
		"the server at %s cannot be reached; check SERVER_URL, DNS and that the worker port is open", server.Host).Because(cause)
}

func badAnswer(server *url.URL, cause error) error {
	return fault.New(fault.Unavailable, "server.answer",
		"%s did not answer like a worker port; check that SERVER_URL has the server's TLS_WORKER_PORT", server.Host).Because(cause)
}
