package smtp

import (
	"errors"
	"net"
	"net/smtp"
	"strings"
)

var (
	errPlain  = errors.New("the way to the server is not encrypted, so name and password are not told")
	errNoAuth = errors.New("the server takes neither PLAIN nor LOGIN")
)

// login tells who we are, when there is something to tell. That is never told without TLS, but to this very host.
func (s *Sender) login(client *smtp.Client, conn net.Conn) error {
	if s.settings.Username == "" || s.settings.Password.Empty() {
		return nil
	}
	_, secure := client.TLSConnectionState()
	if address, ok := conn.RemoteAddr().(*net.TCPAddr); !secure && (!ok || !address.IP.IsLoopback()) {
		return errPlain
	}
	_, offered := client.Extension("AUTH")
	for word := range strings.FieldsSeq(strings.ToUpper(offered)) {
		switch word {
		case "PLAIN", "LOGIN":
			return client.Auth(&credential{word, s.settings.Username, s.settings.Password.Reveal()})
		}
	}
	return errNoAuth
}

// credential answers to PLAIN (RFC 4616) and to LOGIN. Where it may be told was decided before.
type credential struct{ way, username, password string }

// Start implements smtp.Auth.
func (c *credential) Start(*smtp.ServerInfo) (way string, first []byte, err error) {
	if c.way == "PLAIN" {
		return c.way, []byte("\x00" + c.username + "\x00" + c.password), nil
	}
	return c.way, nil, nil
}

var errAsked = errors.New("the server asks for something else than name and password")

// Next implements smtp.Auth.
func (c *credential) Next(question []byte, more bool) ([]byte, error) {
	if !more {
		return nil, nil
	}
	switch asked := strings.ToLower(string(question)); {
	case c.way != "LOGIN":
		return nil, errAsked
	case strings.HasPrefix(asked, "user"):
		return []byte(c.username), nil
	case strings.HasPrefix(asked, "pass"):
		return []byte(c.password), nil
	}
	return nil, errAsked
}
