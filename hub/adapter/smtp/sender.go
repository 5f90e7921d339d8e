package smtp

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/smtp"
	"os"
	"strconv"
	"time"

	"berth/core/mail"
	"berth/core/secrets"
)

// Settings says how the server is reached.
type Settings struct {
	Host     string
	Port     int
	Security mail.Security
	Username string        // empty, or no Password: nobody logs in
	Password secrets.Value // of Username
	Name     string        // by which this host greets; empty: its own
	Roots    *x509.CertPool
}

// Sender hands over one message at a time, on a connection of its own. It is safe for concurrent use.
type Sender struct{ settings Settings }

// New returns a Sender; it asks nobody.
func New(s Settings) *Sender {
	if s.Name == "" {
		own, _ := os.Hostname() // a name that cannot be had is said as none
		s.Name = own
	}
	s.Name = cmp.Or(domain(s.Name), "localhost")
	return &Sender{s}
}

// domain returns what may stand behind EHLO; empty when that is no name.
func domain(name string) string {
	for _, c := range []byte(name) {
		if c != '.' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return ""
		}
	}
	return name
}

// Bounds of a conversation.
const (
	dialTime = 15 * time.Second
	talkTime = 90 * time.Second // all of it
	maxHeard = 256 << 10        // bytes that are read of a server
)

// Send implements mail.Sender.
func (s *Sender) Send(ctx context.Context, from, to string, message []byte) (answer string, err error) {
	ctx, cancel := context.WithTimeout(ctx, talkTime)
	defer cancel()
	conn, err := s.dial(ctx)
	if err != nil {
		return "", s.explain(ctx, "connect", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })() // ends what waits for the server
	step, answer, err := s.talk(conn, from, to, message)
	if err != nil {
		return "", s.explain(ctx, step, err)
	}
	return told(answer), nil
}

func (s *Sender) tls() *tls.Config {
	return &tls.Config{ServerName: s.settings.Host, MinVersion: tls.VersionTLS12, RootCAs: s.settings.Roots}
}

// dial opens a connection, which is TLS already where the server speaks it from the first byte.
func (s *Sender) dial(ctx context.Context) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialTime}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(s.settings.Host, strconv.Itoa(s.settings.Port)))
	if err != nil {
		return nil, err
	}
	conn = &bounded{Conn: conn, left: maxHeard}
	if s.settings.Security != mail.Implicit {
		return conn, nil
	}
	secure := tls.Client(conn, s.tls())
	short, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	if err := secure.HandshakeContext(short); err != nil {
		conn.Close()
		return nil, err
	}
	return secure, nil
}

// talk is the whole conversation; step says where it stopped.
func (s *Sender) talk(conn net.Conn, from, to string, message []byte) (step, answer string, err error) {
	client, err := smtp.NewClient(conn, s.settings.Host)
	if err != nil {
		return "greet", "", err
	}
	if err := client.Hello(s.settings.Name); err != nil {
		return "greet", "", err
	}
	if err := s.secure(client); err != nil {
		return "tls", "", err
	}
	if err := s.login(client, conn); err != nil {
		return "login", "", err
	}
	if err := client.Mail(from); err != nil {
		return "sender", "", err
	}
	if err := client.Rcpt(to); err != nil {
		return "recipient", "", err
	}
	if answer, err = data(client, message); err != nil {
		return "message", "", err
	}
	_ = client.Quit() // it has taken the message already
	return "", answer, nil
}

// data sends the message and returns what the server says of it.
func data(client *smtp.Client, message []byte) (string, error) {
	if err := client.Text.PrintfLine("DATA"); err != nil {
		return "", err
	}
	if _, _, err := client.Text.ReadResponse(354); err != nil {
		return "", err
	}
	w := client.Text.DotWriter()
	_, err := w.Write(message)
	if err := errors.Join(err, w.Close()); err != nil {
		return "", err
	}
	code, text, err := client.Text.ReadResponse(250)
	return strconv.Itoa(code) + " " + text, err
}

var errNoTLS = errors.New("the server does not offer STARTTLS")

// secure changes over to TLS, unless that is how it began.
func (s *Sender) secure(client *smtp.Client) error {
	if s.settings.Security == mail.Implicit {
		return nil
	}
	if offered, _ := client.Extension("STARTTLS"); offered {
		return client.StartTLS(s.tls())
	}
	if s.settings.Security == mail.Required {
		return errNoTLS
	}
	return nil
}

var errTooMuch = errors.New("the server says more than any mail server has to")

// bounded is a connection of which no more than so much is read.
type bounded struct {
	net.Conn
	left int // bytes; only its reader changes it
}

// Read reads until the bound is reached.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooMuch
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
