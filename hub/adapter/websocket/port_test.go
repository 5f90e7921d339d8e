package websocket

import (
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/wire"
	"berth/hub/link"
)

const tokenText = "berth_wt_canary"

// workerPort is a server like the hub's, with a certificate of its own.
type workerPort struct {
	*httptest.Server
	cert    tls.Certificate
	pin     seal.Pin
	serving sync.WaitGroup // links
}

type portOptions struct {
	tls    func(*tls.Config)
	enrol  http.HandlerFunc
	before func(w http.ResponseWriter, r *http.Request) bool // answers instead of the upgrade
	accept func(ctx context.Context, c link.Conn, r *http.Request)
}

func openPort(t *testing.T, o portOptions) *workerPort {
	t.Helper()
	cert := serverCertificate(t)
	p := &workerPort{cert: cert, pin: Pin(cert.Leaf)}
	if o.enrol == nil {
		o.enrol = admit
	}
	if o.accept == nil {
		o.accept = func(_ context.Context, c link.Conn, _ *http.Request) { c.ReadFrame() }
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+wire.EnrolPath, o.enrol)
	mux.HandleFunc(wire.LinkPath, func(w http.ResponseWriter, r *http.Request) {
		if o.before != nil && o.before(w, r) {
			return
		}
		p.serving.Add(1)
		defer p.serving.Done()
		if c := Upgrade(w, r); c != nil {
			defer c.Close()
			o.accept(r.Context(), c, r)
		}
	})
	p.Server = httptest.NewUnstartedServer(mux)
	p.Listener = patientListener{p.Listener}
	p.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.TLS = ServerConfig(cert)
	if o.tls != nil {
		o.tls(p.TLS)
	}
	p.StartTLS()
	t.Cleanup(func() {
		p.Close()
		p.serving.Wait()
	})
	return p
}

func serverCertificate(t *testing.T) tls.Certificate {
	t.Helper()
	certPEM, keyPEM, err := SelfSigned([]string{"127.0.0.1", "localhost"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	cert, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func admit(w http.ResponseWriter, _ *http.Request) {
	json.NewEncoder(w).Encode(wire.Enrolled{WorkerID: "wrk_06f4x1w2y3z4a5b6c7d8e9f0g0", HeartbeatSeconds: 30, Time: time.Now()})
}

// worker returns what a worker with a fresh key dials this port with.
func (p *workerPort) worker(t *testing.T) DialOptions {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := ClientCertificate(key, "edge-1")
	if err != nil {
		t.Fatal(err)
	}
	return DialOptions{
		Server: p.URL, Token: secrets.NewValue(tokenText), Pin: &p.pin, Certificate: cert,
		Enrol: wire.Enrol{Protocol: wire.ProtocolVersion, Hostname: "edge-1", Version: "1.0.0", OS: "linux", Arch: "amd64"},
	}
}

func (p *workerPort) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(p.cert.Leaf)
	return pool
}

func dial(t *testing.T, o DialOptions) *conn {
	t.Helper()
	c, _, err := Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*conn)
}

// until waits for what another goroutine delivers.
func until[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came within 20 s")
		panic("unreachable")
	}
}
