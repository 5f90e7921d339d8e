package rig

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"berth/core/config"
	"berth/local/allinone"
	"berth/local/stand/freeport"
)

// Server is the whole program, as one test sees it: what it makes ends with that test.
type Server struct {
	T testing.TB
	*program
	Client        // with the key of an administrator's service account
	Person Client // signed in as the administrator, as a browser is
}

// program is what all tests of one server share.
type program struct {
	Dir     string // DATA_DIR
	Port    string // of the worker port
	Log     *Log
	Git     *Git
	Secrets map[string]string // everything that nobody may find again, by what it is

	config      allinone.Config
	environment map[string]string  // that config was read from
	path        string             // of a program that is run in its place; empty: none is
	stop        context.CancelFunc // nil while it does not run
	ended       chan error
}

// Options say what differs from a server with nothing but SECRET_KEY and BOOTSTRAP_TOKEN.
type Options struct {
	Dir         string // DATA_DIR; empty: one that goes with the test
	Web         string // port of the API and the pages; empty: a free one
	Program     string // path of a program that is the server; empty: the code of this checkout
	LocalWorker bool
	Environment map[string]string
}

// Waiting limits: how long a start or stop may take, and anything that should happen soon. They
// are generous, because a machine that is busy with something else is no failure.
const (
	startWithin = time.Minute
	stopWithin  = 30 * time.Second
	Soon        = 90 * time.Second
	Deploying   = 150 * time.Second
)

// Start runs the program, makes the first administrator and an API key, and ends all of it
// with the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{T: t, program: &program{Dir: o.Dir, Log: &Log{}, Secrets: map[string]string{}}}
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
	s.Git = startGit(t)
	s.configure(o)
	s.Become(o.Program)
	t.Cleanup(func() {
		s.Stop()
		if t.Failed() {
			t.Logf("the end of the server's log:\n%s", s.Log.Tail(150))
			keep(t, "server.log", s.Log.String())
		}
	})
	s.Run()
	s.setUp()
	return s
}

// For is the same server in another test.
func (s *Server) For(t testing.TB) *Server {
	return &Server{T: t, program: s.program, Client: s.Client.For(t), Person: s.Person.For(t)}
}

func (s *Server) configure(o Options) {
	s.T.Helper()
	key := make([]byte, 32)
	rand.Read(key)
	s.Secrets["SECRET_KEY"], s.Secrets["BOOTSTRAP_TOKEN"] = hex.EncodeToString(key), rand.Text()
	web := o.Web
	if web == "" {
		web = FreePort(s.T)
	}
	s.Port = FreePort(s.T)
	s.Client = Client{T: s.T, URL: "http://127.0.0.1:" + web, Brief: o.Program != ""}
	environment := map[string]string{
		"SECRET_KEY": s.Secrets["SECRET_KEY"], "BOOTSTRAP_TOKEN": s.Secrets["BOOTSTRAP_TOKEN"], "APP_URL": s.Client.URL, "PORT": web,
		"TLS_WORKER_PORT": s.Port, "DATA_DIR": s.Dir, "LOCAL_WORKER": strconv.FormatBool(o.LocalWorker), "SCAN_INTERVAL": "1s", "HEARTBEAT_INTERVAL": "1",
	}
	maps.Copy(environment, o.Environment)
	s.environment = environment
	server, problems, _ := config.LoadServer(func(name string) (string, bool) { v, found := environment[name]; return v, found }, nil)
	if len(problems) > 0 {
		s.T.Fatal(config.Explain(problems))
	}
	s.config = allinone.Config{Server: server, Version: "e2e", Log: slog.New(slog.NewTextHandler(s.Log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		WorkerDataDir: filepath.Join(s.Dir, "worker"), WorkerStackDir: filepath.Join(s.Dir, "worker", "stacks")}
}

// Run starts the program, again after Stop, on the same ports and data.
func (s *Server) Run() {
	s.T.Helper()
	if s.path != "" {
		s.runProgram()
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	cfg := s.config
	cfg.Ready = func(allinone.Addresses) { close(ready) }
	go func() { ended <- allinone.Run(ctx, cfg) }()
	s.stop, s.ended = stop, ended
	select {
	case <-ready:
	case err := <-ended:
		s.stop = nil
		stop()
		s.T.Fatal("the server did not start: ", err)
	case <-time.After(startWithin):
		s.T.Fatal("the server did not start in time")
	}
}

// Stop ends the program as SIGTERM would, and waits until it has ended.
func (s *Server) Stop() {
	s.T.Helper()
	if s.stop == nil {
		return
	}
	s.stop()
	s.stop = nil
	select {
	case err := <-s.ended:
		if err != nil {
			s.T.Error("the server ended with", err)
		}
	case <-time.After(stopWithin):
		s.T.Error("the server did not end in time")
	}
}

// FreePort finds a port that nobody else gets; see freeport.
func FreePort(t testing.TB) string {
	t.Helper()
	port, err := freeport.Take()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// keep leaves a text where "go test -artifacts" finds it.
func keep(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name), []byte(text), 0o600); err != nil {
		t.Log(err)
	}
}

// Name is one that no other test or run uses.
func Name() string {
	var b [5]byte
	rand.Read(b[:])
	return "e2e-" + hex.EncodeToString(b[:])
}

// Until waits until a condition holds; where it does not in time, the test ends with what
// the condition said last.
func Until(t testing.TB, within time.Duration, what string, holds func() (bool, string)) {
	t.Helper()
	last := ""
	for end := time.Now().Add(within); time.Now().Before(end); {
		ok, seen := holds()
		if ok {
			return
		}
		last = seen
		pause()
	}
	t.Fatalf("%s: not within %s; last seen: %s", what, within, last)
}

// pause lies between two looks at something that is waited for.
func pause() { <-time.After(25 * time.Millisecond) }

func quoted(v any) string { return fmt.Sprintf("%+v", v) }
