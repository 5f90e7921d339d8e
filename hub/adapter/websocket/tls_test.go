package websocket

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/seal"
)

// listen answers TLS with config and tells how many bytes the client sent inside of it.
func listen(t *testing.T, config *tls.Config) (server string, sent <-chan int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	count := make(chan int, 1)
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(10 * time.Second))
		got, _ := io.ReadAll(tls.Server(c, config))
		count <- len(got)
	}()
	return "https://" + listener.Addr().String(), count
}

func expired(t *testing.T) tls.Certificate {
	t.Helper()
	certPEM, keyPEM, err := SelfSigned([]string{"127.0.0.1"}, time.Now().AddDate(-11, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	cert, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// N9: before the server is proven, not a byte of the conversation is sent.
func TestNothingIsSentToAWrongServer(t *testing.T) {
	right, other, old := serverCertificate(t), serverCertificate(t), expired(t)
	rightPin := Pin(right.Leaf)
	trust := func(cert tls.Certificate) *x509.CertPool {
		pool := x509.NewCertPool()
		pool.AddCert(cert.Leaf)
		return pool
	}
	p := openPort(t, portOptions{})
	for name, c := range map[string]struct {
		config *tls.Config
		pin    *seal.Pin
		roots  *x509.CertPool
		server func(string) string
		code   string
	}{
		"another key than the pin":           {config: ServerConfig(other), pin: &rightPin, code: "server.untrusted"},
		"another key, though trusted":        {config: ServerConfig(other), pin: &rightPin, roots: trust(other), code: "server.untrusted"},
		"no pin and not trusted":             {config: ServerConfig(right), code: "server.untrusted"},
		"no pin and another key":             {config: ServerConfig(other), roots: trust(right), code: "server.untrusted"},
		"no pin and expired":                 {config: ServerConfig(old), roots: trust(old), code: "server.untrusted"},
		"no pin and another name":            {config: ServerConfig(right), roots: trust(right), code: "server.untrusted", server: named("localhost.example")},
		"TLS 1.2 with the right key":         {config: &tls.Config{Certificates: []tls.Certificate{right}, MaxVersion: tls.VersionTLS12}, pin: &rightPin, code: "server.answer"},
		"TLS 1.2, whoever it is (no verify)": {config: &tls.Config{Certificates: []tls.Certificate{right}, MaxVersion: tls.VersionTLS12}, code: "server.answer"},
	} {
		t.Run(name, func(t *testing.T) {
			server, sent := listen(t, c.config)
			o := p.worker(t)
			o.Server, o.Pin, o.Roots = server, c.pin, c.roots
			o.SkipVerify = strings.Contains(name, "no verify")
			if c.server != nil {
				host := c.server(server)
				o.network = network{lookup: func(context.Context, string) ([]string, error) { return []string{"127.0.0.1"}, nil }, dial: realNetwork.dial}
				o.Server = host
			}
			_, _, err := Dial(t.Context(), o)
			if fault.CodeOf(err) != c.code {
				t.Errorf("Dial = %v, want %s", err, c.code)
			}
			if n := until(t, sent); n != 0 {
				t.Errorf("%d bytes were sent", n)
			}
		})
	}
}

func named(host string) func(string) string {
	return func(server string) string {
		_, port, _ := net.SplitHostPort(strings.TrimPrefix(server, "https://"))
		return "https://" + net.JoinHostPort(host, port)
	}
}

func TestAServerWithoutTLSIsNoWorkerPort(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	o := openPort(t, portOptions{}).worker(t)
	o.Server = strings.Replace(plain.URL, "http:", "https:", 1)
	if _, _, err := Dial(t.Context(), o); fault.CodeOf(err) != "server.answer" {
		t.Errorf("Dial = %v", err)
	}
}

func TestWaysToTrustTheRightServer(t *testing.T) {
	p := openPort(t, portOptions{})
	wrong := seal.Pin{1}
	for name, change := range map[string]func(*DialOptions){
		"by its pin":                  func(*DialOptions) {},
		"by roots, name and dates":    func(o *DialOptions) { o.Pin, o.Roots = nil, p.roots() },
		"unseen":                      func(o *DialOptions) { o.Pin, o.SkipVerify = nil, true },
		"unseen, whatever the pin is": func(o *DialOptions) { o.Pin, o.SkipVerify = &wrong, true },
	} {
		o := p.worker(t)
		change(&o)
		c, _, err := Dial(t.Context(), o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c.Close()
	}
	old := expired(t)
	pin := Pin(old.Leaf)
	p = openPort(t, portOptions{tls: func(config *tls.Config) { config.Certificates = []tls.Certificate{old} }})
	o := p.worker(t)
	o.Pin = &pin
	dial(t, o) // a pinned key does not expire
}

func TestWorkerPortRefusesAtTLS(t *testing.T) {
	p := openPort(t, portOptions{})
	worker := p.worker(t)
	two := worker.Certificate
	two.Certificate = append(two.Certificate[:1:1], p.cert.Certificate[0])
	for name, change := range map[string]func(*tls.Config){
		"TLS 1.2":               func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS12, tls.VersionTLS12 },
		"no client certificate": func(c *tls.Config) { c.Certificates = nil },
		"a chain":               func(c *tls.Config) { c.Certificates = []tls.Certificate{two} },
		"another key's certificate": func(c *tls.Config) {
			_, key, _ := ed25519.GenerateKey(nil)
			c.Certificates[0].PrivateKey = key
		},
		"HTTP/2 only": func(c *tls.Config) { c.NextProtos = []string{"h2"} },
	} {
		config := &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{worker.Certificate}}
		change(config)
		c, err := tls.Dial("tcp", p.Listener.Addr().String(), config)
		if err == nil { // in TLS 1.3 the client hears of it when it reads
			c.SetDeadline(time.Now().Add(10 * time.Second))
			c.Write([]byte("GET /worker/link HTTP/1.1\r\nHost: x\r\n\r\n"))
			var answer bytes.Buffer
			if _, err = io.Copy(&answer, c); err == nil || answer.Len() > 0 {
				t.Errorf("%s: the port answered %q, %v", name, answer.String(), err)
			}
			c.Close()
		}
	}
}

func TestCertificates(t *testing.T) {
	now := time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)
	certPEM, keyPEM, err := SelfSigned([]string{"berth.example", "192.0.2.7", "::1"}, now)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"berth.example", "192.0.2.7", "::1"} {
		if err := pair.Leaf.VerifyHostname(host); err != nil {
			t.Error(err)
		}
	}
	if pair.Leaf.VerifyHostname("other.example") == nil {
		t.Error("the certificate is valid for any name")
	}
	if pair.Leaf.NotAfter != now.AddDate(10, 0, 0) || !pair.Leaf.NotBefore.Before(now) || pair.Leaf.IsCA {
		t.Errorf("valid from %v to %v, CA %t", pair.Leaf.NotBefore, pair.Leaf.NotAfter, pair.Leaf.IsCA)
	}
	if key, is := pair.PrivateKey.(*ecdsa.PrivateKey); !is || key.Curve != elliptic.P256() {
		t.Errorf("the key is %T", pair.PrivateKey)
	}
	again, _, err := SelfSigned(nil, now)
	if err != nil || bytes.Equal(again, certPEM) {
		t.Errorf("two servers have one key: %v", err)
	}
}

func TestWorkersPinOutlivesItsCertificate(t *testing.T) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var pins []seal.Pin
	for _, name := range []string{"edge-1", "renamed"} {
		cert, err := ClientCertificate(key, name)
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(cert.Certificate[0])
		if err != nil || leaf.Subject.CommonName != name {
			t.Fatalf("%v, %v", leaf, err)
		}
		pins = append(pins, Pin(leaf))
	}
	if pins[0] != pins[1] {
		t.Error("the same key has two pins")
	}
	if _, proven := PeerKey(httptest.NewRequest("GET", "/", nil)); proven {
		t.Error("a plain request proves a key")
	}
}
