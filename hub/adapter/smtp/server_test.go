package smtp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	server "github.com/emersion/go-smtp"

	"berth/core/mail"
	"berth/core/secrets"
)

const password = "p w\"canary-3141"

// host is a real SMTP server that keeps what it takes.
type host struct {
	port  int
	roots *x509.CertPool

	mu       sync.Mutex
	refuse   map[string][]error // guarded by mu: by step, what is answered to the next ones
	took     []taken            // guarded by mu
	loggedIn []string           // guarded by mu: the ways
	wasTLS   bool               // guarded by mu: of the last session
}

type taken struct{ from, to, message string }

// way says what a host speaks.
type way struct {
	implicit, starttls bool
	logins             []string
}

func newHost(t *testing.T, w way) *host {
	t.Helper()
	h := &host{refuse: map[string][]error{}}
	certificate := h.certify(t)
	s := server.NewServer(h)
	s.Domain, s.AllowInsecureAuth, s.ReadTimeout, s.WriteTimeout, s.MaxRecipients = "mail.test", true, 10*time.Second, 10*time.Second, 1
	s.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(func() { s.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.port = l.Addr().(*net.TCPAddr).Port
	if w.starttls {
		s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}}
	}
	if w.implicit {
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{certificate}})
	}
	logins = w.logins
	go s.Serve(l)
	return h
}

// logins is what hosts of this test offer; tests of this package do not run side by side.
var logins []string

func (h *host) certify(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	h.roots = x509.NewCertPool()
	h.roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func (h *host) settings(s mail.Security) Settings {
	return Settings{Host: "127.0.0.1", Port: h.port, Security: s, Name: "berth.test", Roots: h.roots}
}

func withLogin(s Settings) Settings {
	s.Username, s.Password = "ada", secrets.NewValue(password)
	return s
}

func (h *host) next(step string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if all := h.refuse[step]; len(all) > 0 {
		h.refuse[step] = all[1:]
		return all[0]
	}
	return nil
}

// NewSession implements server.Backend.
func (h *host) NewSession(c *server.Conn) (server.Session, error) {
	return &session{h: h, c: c}, h.next("greet")
}

type session struct {
	h  *host
	c  *server.Conn
	at taken
}

func (s *session) AuthMechanisms() []string { return logins }

func (s *session) Auth(way string) (sasl.Server, error) {
	check := func(username, given string) error {
		s.h.mu.Lock()
		s.h.loggedIn = append(s.h.loggedIn, way)
		s.h.mu.Unlock()
		if username != "ada" || given != password {
			return &server.SMTPError{Code: 535, EnhancedCode: server.EnhancedCode{5, 7, 8}, Message: "no such user\x1b[31m"}
		}
		return nil
	}
	if way == "LOGIN" {
		return &loginServer{check: check}, nil
	}
	return sasl.NewPlainServer(func(_, username, given string) error { return check(username, given) }), nil
}

// loginServer asks as servers do that take LOGIN.
type loginServer struct {
	check    func(username, password string) error
	step     int
	username string
}

func (l *loginServer) Next(response []byte) (challenge []byte, done bool, err error) {
	l.step++
	switch l.step {
	case 1:
		return []byte("Username:"), false, nil
	case 2:
		l.username = string(response)
		return []byte("Password:"), false, nil
	case 3:
		return nil, true, l.check(l.username, string(response))
	}
	return nil, true, errors.New("over")
}

func (s *session) Mail(from string, _ *server.MailOptions) error {
	s.at.from = from
	return s.h.next("sender")
}

func (s *session) Rcpt(to string, _ *server.RcptOptions) error {
	s.at.to = to
	return s.h.next("recipient")
}

func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err == nil {
		err = s.h.next("message")
	}
	if err != nil {
		return err
	}
	_, secure := s.c.TLSConnectionState()
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	s.at.message, s.h.wasTLS = string(text), secure
	s.h.took = append(s.h.took, s.at)
	return nil
}

func (s *session) Reset() {}

func (s *session) Logout() error { return nil }
