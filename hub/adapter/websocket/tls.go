package websocket

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"

	"berth/core/seal"
)

// Pin returns what a worker token carries of the server's certificate: the SHA-256 of
// its public key.
func Pin(cert *x509.Certificate) seal.Pin { return seal.PinOf(cert.RawSubjectPublicKeyInfo) }

// ServerConfig is how the worker port speaks TLS: version 1.3, HTTP/1.1, and a client
// certificate of which only the key counts. TLS proves that the client holds the key;
// the hub compares PeerKey with the one it knows.
func ServerConfig(cert tls.Certificate) *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{cert},
		MinVersion:   tls.VersionTLS13,
		NextProtos:   []string{"http/1.1"},
		ClientAuth:   tls.RequireAnyClientCert,
		// A chain means nothing here, and it would be kept as long as the connection.
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) != 1 {
				return errors.New("a worker shows exactly one certificate")
			}
			return nil
		},
		SessionTicketsDisabled: true, // workers make a full handshake each time
	}
}

// PeerKey returns the SHA-256 of the public key (SubjectPublicKeyInfo) that the client
// has proven to hold; false when r did not come over TLS with a client certificate, or has become a link.
func PeerKey(r *http.Request) (seal.Pin, bool) {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 || r.TLS.PeerCertificates[0] == nobody {
		return seal.Pin{}, false
	}
	return Pin(r.TLS.PeerCertificates[0]), true
}

// nobody is whose certificate stands where one was forgotten.
var nobody = new(x509.Certificate)

// forgetPeer lets go of the certificate that the other end showed, which crypto/tls would keep for as long as the
// connection lasts: 4 KB for each worker.
func forgetPeer(conn net.Conn) {
	secure, is := conn.(*tls.Conn)
	if !is {
		return
	}
	shown := secure.ConnectionState().PeerCertificates // the connection's own list
	for i := range shown {
		shown[i] = nobody
	}
}

var errWrongKey = errors.New("the server shows another key than the one whose pin the worker token carries")

// clientConfig says how the server must prove itself before anything is sent.
func (o DialOptions) clientConfig(host string) *tls.Config {
	config := &tls.Config{
		MinVersion: tls.VersionTLS13,
		NextProtos: []string{"http/1.1"},
		ServerName: host,
		RootCAs:    o.Roots,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return &o.Certificate, nil
		},
	}
	switch {
	case o.SkipVerify:
		config.InsecureSkipVerify = true
	case o.Pin != nil:
		// The pin says everything. Names and dates are not looked at: a server may be reached
		// by any name, and a host whose clock is wrong must find it all the same.
		config.InsecureSkipVerify = true
		config.VerifyConnection = func(state tls.ConnectionState) error {
			if Pin(state.PeerCertificates[0]) != *o.Pin {
				return errWrongKey
			}
			return nil
		}
	}
	return config
}
