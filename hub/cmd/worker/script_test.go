package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"berth/core"
	"berth/core/seal"
	"berth/local/stand/scripting"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"worker": main}) }

func TestScripts(t *testing.T) {
	scripting.Run(t, "testdata/script", map[string]scripting.Command{"token": token, "impostor": impostor, "told": told})
}

// token puts a worker token for a server with a key that nobody here has into WORKER_TOKEN.
func token(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: token")
	}
	var pin seal.Pin
	rand.Read(pin[:])
	ts.Setenv("WORKER_TOKEN", seal.NewWorkerToken(core.NewID(core.PrefixWorkerToken, time.Now()), pin).Reveal())
}

// stranger is a server that listens to whatever it is told.
type stranger struct {
	listener net.Listener
	serving  sync.WaitGroup

	mu     sync.Mutex
	calls  int // connections; guarded by mu
	heard  int // bytes within TLS; guarded by mu
	proofs int // client certificates; guarded by mu
}

var strangers sync.Map // of each script: *stranger by *testscript.TestScript

// impostor starts a server with a key of its own and puts its address into SERVER_URL.
func impostor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: impostor")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	ts.Check(err)
	config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, ClientAuth: tls.RequestClientCert}
	s := &stranger{}
	s.listener, err = tls.Listen("tcp", "127.0.0.1:0", config)
	ts.Check(err)
	s.serving.Go(s.serve)
	strangers.Store(ts, s)
	ts.Defer(func() {
		strangers.Delete(ts)
		s.listener.Close()
		s.serving.Wait()
	})
	ts.Setenv("SERVER_URL", fmt.Sprintf("https://127.0.0.1:%d", s.listener.Addr().(*net.TCPAddr).Port))
}

func (s *stranger) serve() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.serving.Go(func() { s.listen(conn.(*tls.Conn)) })
	}
}

func (s *stranger) listen(conn *tls.Conn) {
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	failed := conn.Handshake()
	heard := 0
	if failed == nil {
		heard, _ = conn.Read(make([]byte, 4096)) // the count is what matters
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	s.heard += heard
	s.proofs += len(conn.ConnectionState().PeerCertificates)
}

// told compares whether the impostor was called, and was told anything.
func told(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 0 {
		ts.Fatalf("usage: [!] told")
	}
	known, _ := strangers.Load(ts)
	s := known.(*stranger)
	for end := time.Now().Add(10 * time.Second); ; <-time.After(20 * time.Millisecond) {
		s.mu.Lock()
		calls, heard, proofs := s.calls, s.heard, s.proofs
		s.mu.Unlock()
		switch {
		case calls == 0 && time.Now().Before(end):
			continue
		case calls == 0:
			ts.Fatalf("nobody called the impostor")
		case neg == (heard+proofs > 0):
			ts.Fatalf("in %d calls the impostor heard %d bytes and saw %d certificates", calls, heard, proofs)
		}
		return
	}
}
