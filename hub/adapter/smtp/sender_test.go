package smtp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	server "github.com/emersion/go-smtp"

	"berth/core/fault"
	"berth/core/mail"
	"berth/core/outbox"
)

const message = "Subject: x\r\n\r\nHello\r\n.\r\n..two\r\n"

func TestAMessageArrives(t *testing.T) {
	for name, c := range map[string]struct {
		way      way
		security mail.Security
		login    string // the way that is taken
		tls      bool
	}{
		"by STARTTLS where it is offered":     {way{starttls: true}, mail.Offered, "", true},
		"by STARTTLS where it is demanded":    {way{starttls: true}, mail.Required, "", true},
		"by TLS from the first byte":          {way{implicit: true}, mail.Implicit, "", true},
		"in plain text where that is all":     {way{}, mail.Offered, "", false},
		"logged in by PLAIN":                  {way{starttls: true, logins: []string{"PLAIN", "LOGIN"}}, mail.Offered, "PLAIN", true},
		"logged in by LOGIN":                  {way{implicit: true, logins: []string{"XOAUTH2", "LOGIN"}}, mail.Implicit, "LOGIN", true},
		"logged in on this host without TLS":  {way{logins: []string{"PLAIN"}}, mail.Offered, "PLAIN", false},
		"a server that offers more than that": {way{starttls: true, logins: []string{"CRAM-MD5", "PLAIN"}}, mail.Required, "PLAIN", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, c.way)
			settings := h.settings(c.security)
			if c.login != "" {
				settings = withLogin(settings)
			}
			answer, err := New(settings).Send(t.Context(), "berth@example.org", "ada@example.org", []byte(message))
			if err != nil {
				t.Fatal(err)
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			if len(h.took) != 1 || h.took[0] != (taken{"berth@example.org", "ada@example.org", message}) || h.wasTLS != c.tls {
				t.Errorf("it took %q, TLS %t", h.took, h.wasTLS)
			}
			if strings.Join(h.loggedIn, " ") != c.login || !strings.HasPrefix(answer, "250 ") {
				t.Errorf("logged in by %v; it says %q", h.loggedIn, answer)
			}
		})
	}
}

func TestWhatAServerRefuses(t *testing.T) {
	no := func(code int) error {
		return &server.SMTPError{Code: code, EnhancedCode: server.EnhancedCode{code / 100, 1, 1}, Message: "go away\x1b]0;x\x07 " + strings.Repeat("long ", 200)}
	}
	for name, c := range map[string]struct {
		step  string
		err   error
		code  string
		final bool
	}{
		"to talk, for now":           {"greet", no(421), "smtp.refused", false},
		"to talk, for good":          {"greet", no(554), "smtp.refused", false},
		"the sender":                 {"sender", no(550), "smtp.sender_refused", false},
		"the recipient, for now":     {"recipient", no(450), "smtp.recipient_refused", false},
		"the recipient, for good":    {"recipient", no(550), "smtp.recipient_refused", true},
		"the message, for now":       {"message", no(451), "smtp.message_refused", false},
		"the message, for good":      {"message", no(552), "smtp.message_refused", true},
		"the message, the disk full": {"message", no(452), "smtp.message_refused", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, way{starttls: true})
			h.refuse[c.step] = []error{c.err}
			if c.step == "greet" {
				h.refuse[c.step] = []error{c.err, c.err} // to EHLO, and then to HELO
			}
			sender := New(h.settings(mail.Offered))
			_, err := sender.Send(t.Context(), "berth@example.org", "ada@example.org", []byte(message))
			l := outbox.Letter{GiveUpAt: time.Now().Add(time.Hour)}.Settled("", err, time.Now(), 0)
			if fault.CodeOf(err) != c.code || (l.State == outbox.Failed) != c.final {
				t.Fatalf("%v, and then %s", err, l.State)
			}
			if said := fault.PublicOf(err); !strings.Contains(said, "go away") || strings.ContainsAny(said, "\x1b\x07\r\n") || len(said) > 600 {
				t.Errorf("it says %q", said)
			}
			if _, err := sender.Send(t.Context(), "berth@example.org", "ada@example.org", []byte(message)); err != nil {
				t.Errorf("the next time: %v", err)
			}
		})
	}
}

func TestWhatIsWrongWithTheWay(t *testing.T) {
	for name, c := range map[string]struct {
		way    way
		change func(Settings) Settings
		code   string
	}{
		"no STARTTLS where it is demanded": {way{}, func(s Settings) Settings { s.Security = mail.Required; return s }, "smtp.no_tls"},
		"a certificate that nobody signed": {way{starttls: true}, func(s Settings) Settings { s.Roots = nil; return s }, "smtp.untrusted"},
		"one of another name":              {way{starttls: true}, func(s Settings) Settings { s.Host = "localhost"; return s }, "smtp.untrusted"},
		"one from the first byte":          {way{implicit: true}, func(s Settings) Settings { s.Roots, s.Security = nil, mail.Implicit; return s }, "smtp.untrusted"},
		"plain text where TLS is spoken":   {way{}, func(s Settings) Settings { s.Security = mail.Implicit; return s }, "smtp.not_tls"},
		"a wrong password":                 {way{starttls: true, logins: []string{"PLAIN"}}, func(s Settings) Settings { s = withLogin(s); s.Username = "eve"; return s }, "smtp.login_refused"},
		"a wrong password by LOGIN":        {way{starttls: true, logins: []string{"LOGIN"}}, func(s Settings) Settings { s = withLogin(s); s.Username = "eve"; return s }, "smtp.login_refused"},
		"no way to log in":                 {way{starttls: true, logins: []string{"XOAUTH2"}}, withLogin, "smtp.no_login"},
		"nothing there":                    {way{}, func(s Settings) Settings { s.Port = 1; return s }, "smtp.unreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, c.way)
			_, err := New(c.change(h.settings(mail.Offered))).Send(t.Context(), "berth@example.org", "ada@example.org", []byte(message))
			if fault.CodeOf(err) != c.code {
				t.Fatalf("%v, want %s", err, c.code)
			}
			if (outbox.Letter{State: outbox.Waiting, GiveUpAt: time.Now().Add(time.Hour)}).Settled("", err, time.Now(), 0).State != outbox.Waiting {
				t.Error("nobody could put that right")
			}
			if strings.Contains(err.Error(), password) {
				t.Error("the password is told")
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			if len(h.took) != 0 {
				t.Error("it took a message")
			}
		})
	}
}

// raw is a server that says what it is told to.
func raw(t *testing.T, talk func(c net.Conn)) Settings {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-over })
	go func() {
		defer close(over)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		talk(c)
	}()
	return Settings{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, Security: mail.Offered}
}

func TestServersThatMisbehave(t *testing.T) {
	for name, c := range map[string]struct {
		talk func(c net.Conn)
		code string
	}{
		"a greeting without end": {func(c net.Conn) {
			for _, err := io.WriteString(c, "220-"+strings.Repeat("x", 60)+"\r\n"); err == nil; {
				_, err = io.WriteString(c, "220-"+strings.Repeat("x", 1000)+"\r\n")
			}
		}, "smtp.not_smtp"},
		"a line without end": {func(c net.Conn) {
			for _, err := io.WriteString(c, "220 "); err == nil; {
				_, err = io.WriteString(c, strings.Repeat("x", 4096))
			}
		}, "smtp.not_smtp"},
		"a connection that is cut at once": {func(net.Conn) {}, "smtp.broken_off"},
		"a web server":                     {func(c net.Conn) { io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") }, "smtp.broken_off"},
		"a connection that is cut in the message": {func(c net.Conn) {
			lines := bufio.NewReader(c)
			io.WriteString(c, "220 hello\r\n")
			for _, answer := range []string{"250 hello\r\n", "250 ok\r\n", "250 ok\r\n", "354 go on\r\n"} {
				if _, err := lines.ReadString('\n'); err != nil {
					return
				}
				io.WriteString(c, answer)
			}
			lines.ReadString('\n')
		}, "smtp.broken_off"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(raw(t, c.talk)).Send(t.Context(), "berth@example.org", "ada@example.org", []byte(strings.Repeat(message, 3)))
			if fault.CodeOf(err) != c.code && !(c.code == "smtp.broken_off" && fault.CodeOf(err) == "smtp.refused") {
				t.Errorf("%v, want %s", err, c.code)
			}
			if fault.CodeOf(err) == "" || errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestATarpitIsLeft: a server that says one character now and then is not waited for.
func TestATarpitIsLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	settings := raw(t, func(c net.Conn) {
		io.WriteString(c, "220-")
		cancel() // as the end of the time does
		io.Copy(io.Discard, c)
	})
	if _, err := New(settings).Send(ctx, "berth@example.org", "ada@example.org", []byte(message)); fault.CodeOf(err) != "smtp.slow" {
		t.Errorf("got %v", err)
	}
}

// TestNobodyIsToldThePasswordInPlainText: only what is on this very host is.
func TestNobodyIsToldThePasswordInPlainText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe() // its address is none of this host
		defer near.Close()
		heard := make(chan string, 1)
		go func() {
			defer far.Close()
			lines := bufio.NewReader(far)
			io.WriteString(far, "220 hello\r\n")
			all := ""
			for {
				line, err := lines.ReadString('\n')
				all += line
				if err != nil {
					heard <- all
					return
				}
				io.WriteString(far, "250-hello\r\n250 AUTH PLAIN LOGIN\r\n")
			}
		}()
		s := New(withLogin(Settings{Host: "mail.test", Port: 25, Security: mail.Offered}))
		step, _, err := s.talk(near, "a@x.org", "b@x.org", []byte(message))
		if step != "login" || fault.CodeOf(s.explain(t.Context(), step, err)) != "smtp.plain" {
			t.Errorf("at %s: %v", step, err)
		}
		near.Close()
		if said := <-heard; strings.Contains(said, "AUTH") {
			t.Errorf("it was told %q", said)
		}
	})
}

func TestHowThisHostGreets(t *testing.T) {
	for name, want := range map[string]string{"web-1.example.org": "web-1.example.org", "a b": "localhost", "x\r\nMAIL": "localhost"} {
		if got := New(Settings{Name: name}).settings.Name; got != want {
			t.Errorf("%q greets as %q", name, got)
		}
	}
}
