package allinone_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core/config"
	"berth/local/allinone"
	"berth/local/stand/pgserver"
)

// wait bounds whatever must come.
const wait = 90 * time.Second

// program is a server that runs in this process.
type program struct {
	t     *testing.T
	http  string // address, once it is open
	end   func() error
	log   *lockedBuffer
	ready chan allinone.Addresses
	ended chan error
}

type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func freshKey() string {
	key := make([]byte, 32)
	rand.Read(key)
	return hex.EncodeToString(key)
}

// start runs a server on a database until the test has ended, and returns when its ports are open.
func start(t *testing.T, address, key string, more ...string) *program {
	t.Helper()
	p := launch(t, address, key, more...)
	p.opens()
	return p
}

// launch runs a server on a database until the test has ended. more are names and values of its environment.
func launch(t *testing.T, address, key string, more ...string) *program {
	t.Helper()
	environment := map[string]string{"SECRET_KEY": key, "DATABASE_URL": address, "DATA_DIR": t.TempDir()}
	for i := 0; i+1 < len(more); i += 2 {
		environment[more[i]] = more[i+1]
	}
	return begin(t, environment)
}

// begin runs a server until the test has ended: what every one of these has in its environment, and environment.
func begin(t *testing.T, environment map[string]string) *program {
	t.Helper()
	return beginRelease(t, "", environment)
}

// beginRelease is begin with a program of a release.
func beginRelease(t *testing.T, version string, environment map[string]string) *program {
	t.Helper()
	whole := map[string]string{"APP_URL": "http://127.0.0.1:8090", "BOOTSTRAP_TOKEN": bootstrap}
	maps.Copy(whole, environment)
	server, problems, _ := config.LoadServer(func(name string) (string, bool) { v, ok := whole[name]; return v, ok }, nil)
	if len(problems) > 0 {
		t.Fatal(config.Explain(problems))
	}
	server.Port, server.TLSWorkerPort, server.HubListen = 0, 0, "127.0.0.1:0"
	ctx, cancel := context.WithCancel(context.Background())
	p := &program{t: t, log: &lockedBuffer{}, ready: make(chan allinone.Addresses, 1), ended: make(chan error, 1)}
	p.end = sync.OnceValue(func() error { cancel(); return <-p.ended })
	go func() {
		p.ended <- allinone.Run(ctx, allinone.Config{Server: server, Version: version, Log: slog.New(slog.NewTextHandler(p.log, nil)), Ready: func(a allinone.Addresses) { p.ready <- a }})
	}()
	t.Cleanup(func() {
		if err := p.end(); err != nil {
			t.Errorf("it ended with %v", err)
		}
	})
	return p
}

// opens waits until the server's ports are open.
func (p *program) opens() {
	p.t.Helper()
	select {
	case a := <-p.ready:
		p.http = "127.0.0.1" + a.HTTP[strings.LastIndex(a.HTTP, ":"):]
	case err := <-p.ended:
		p.ended <- nil
		p.t.Fatalf("it did not start: %v\n%s", err, p.log)
	case <-time.After(wait):
		p.t.Fatalf("it did not start\n%s", p.log)
	}
}

// answers waits until a path answers with a status.
func (p *program) answers(path string, want int) {
	p.t.Helper()
	client := http.Client{Timeout: 20 * time.Second}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		response, err := client.Get("http://" + p.http + path)
		if err != nil {
			p.t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err == nil && response.StatusCode == want {
			return
		}
		if time.Since(began) > wait {
			p.t.Fatalf("%s answers %d, want %d: %s\n%s", path, response.StatusCode, want, body, p.log)
		}
	}
}

// TestAServerOutlivesItsDatabase: while PostgreSQL is away the server says so, and it goes on by itself
// when that is back.
func TestAServerOutlivesItsDatabase(t *testing.T) {
	s := pgserver.New(t, pgserver.Options{})
	p := start(t, s.TCP(s.Database(t, "template0")), freshKey())
	p.answers("/readyz", http.StatusOK)
	for range 2 {
		s.Stop()
		p.answers("/readyz", http.StatusServiceUnavailable)
		p.answers("/healthz", http.StatusOK)
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		p.answers("/readyz", http.StatusOK)
	}
	if err := p.end(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if text := p.log.String(); strings.Contains(text, "s3cr3t") {
		t.Error("the password is in the log")
	}
}

// TestServersThatStartTogether on a new database make its tables and keys once, and each can open what
// the other sealed.
func TestServersThatStartTogether(t *testing.T) {
	address, key := pgserver.URL(t), freshKey()
	var programs []*program
	for range 3 {
		programs = append(programs, launch(t, address, key))
	}
	for _, p := range programs {
		p.opens()
		p.answers("/readyz", http.StatusOK)
	}
}
