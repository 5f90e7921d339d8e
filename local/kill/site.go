package kill

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/stand/apiclient"
	"berth/local/stand/githost"
)

// Site is one installation. Its directories, ports and keys stay while its processes come
// and go.
type Site struct {
	T         testing.TB
	Dir       string
	Git       *githost.Host
	GitGate   *rig.Gate // in front of Git
	GitURL    string
	Key       string // API key of an administrator's service account; empty before SetUp
	SecretKey string
	Previous  string // SECRET_KEY_PREVIOUS; empty: not set
	Bootstrap string

	Server *Process // nil before the first start
	Worker *Process

	port, workerPort string
	token            string // of the worker
	client           *apiclient.Client
}

// New makes an installation in which nothing runs yet. Whatever it starts ends with the test.
func New(t testing.TB) *Site {
	t.Helper()
	s := &Site{T: t, Dir: t.TempDir(), Git: githost.New(t.TempDir()), SecretKey: NewKey(), Bootstrap: rand.Text(), port: rig.FreePort(t), workerPort: rig.FreePort(t)}
	client, err := apiclient.New(s.URL(), patience, &http.Transport{DisableKeepAlives: true, Proxy: nil})
	if err != nil {
		t.Fatal(err)
	}
	s.client = client
	s.GitGate = rig.GateOf(s.Git)
	git := httptest.NewServer(s.GitGate)
	t.Cleanup(git.Close)
	s.GitURL = git.URL
	t.Cleanup(s.end)
	return s
}

// NewKey makes a SECRET_KEY.
func NewKey() string {
	key := make([]byte, 32)
	rand.Read(key)
	return hex.EncodeToString(key)
}

// end kills what runs, and shows the logs of a test that failed.
func (s *Site) end() {
	for _, p := range []*Process{s.Server, s.Worker} {
		if p != nil {
			if err := p.Kill(); err != nil {
				s.T.Error(err)
			}
		}
	}
	if s.T.Failed() {
		s.T.Log(s.logs())
	}
}

func (s *Site) logs() string {
	text := ""
	for name, p := range map[string]*Process{"server": s.Server, "worker": s.Worker} {
		if p != nil {
			text += fmt.Sprintf("the end of the %s's log:\n%s\n", name, p.Tail())
		}
	}
	return text
}

// URL is where the server answers.
func (s *Site) URL() string { return "http://127.0.0.1:" + s.port }

// DB is the folder of the database.
func (s *Site) DB() string { return filepath.Join(s.Dir, "db_data") }

// WorkerDir is the worker's WORKER_DATA_DIR.
func (s *Site) WorkerDir() string { return filepath.Join(s.Dir, "worker") }

// StartServer starts local, and does not wait until it answers.
func (s *Site) StartServer(at Point) {
	s.T.Helper()
	env := append(environment(s.Dir), "SECRET_KEY="+s.SecretKey, "BOOTSTRAP_TOKEN="+s.Bootstrap, "APP_URL="+s.URL(), "PORT="+s.port, "TLS_WORKER_PORT="+s.workerPort,
		"LOG_LEVEL=warn", "DATA_DIR="+s.Dir, "SCAN_INTERVAL=2s", "HEARTBEAT_INTERVAL=2")
	if s.Previous != "" {
		env = append(env, "SECRET_KEY_PREVIOUS="+s.Previous)
	}
	var err error
	if s.Server, err = Start(Program(s.T, "./local"), env, filepath.Join(s.Dir, "server.log"), at); err != nil {
		s.T.Fatal(err)
	}
}

// StartWorker starts a worker, "./hub/cmd/worker" or "./local/kill/folderworker".
func (s *Site) StartWorker(program string, at Point, more ...string) {
	s.T.Helper()
	env := append(environment(s.Dir), "SERVER_URL=https://127.0.0.1:"+s.workerPort, "WORKER_TOKEN="+s.token, "HOSTNAME=kill", "HEARTBEAT_INTERVAL=2",
		"WORKER_DATA_DIR="+s.WorkerDir(), "WORKER_STACK_DIR="+filepath.Join(s.Dir, "shown"))
	var err error
	if s.Worker, err = Start(Program(s.T, program), append(env, more...), filepath.Join(s.Dir, "worker.log"), at); err != nil {
		s.T.Fatal(err)
	}
}

// RunWorker starts the worker of a host without a point.
func (s *Site) RunWorker(host Host) {
	s.T.Helper()
	program, env := host.Worker()
	s.StartWorker(program, Point{}, env...)
}

// environment is what every program gets.
func environment(home string) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	for _, name := range []string{"DOCKER_HOST", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "DOCKER_API_VERSION"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// Ready waits until the server answers; false when it is gone before.
func (s *Site) Ready() bool {
	s.T.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if _, err := s.client.Ask(context.Background(), http.MethodGet, "/readyz", nil, nil); err == nil {
			return true
		}
		select {
		case <-s.Server.Ended():
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
	s.T.Fatalf("the server does not answer:\n%s", s.Server.Tail())
	return false
}

// RunServer starts the server without a point and waits until it answers. A port that somebody
// took meanwhile is waited for.
func (s *Site) RunServer() {
	s.T.Helper()
	for end := time.Now().Add(patience); ; {
		s.StartServer(Point{})
		if s.Ready() {
			return
		}
		if !strings.Contains(s.Server.Tail(), "in use by another program") || time.Now().After(end) {
			s.T.Fatalf("the server did not start:\n%s", s.Server.Tail())
		}
		<-time.After(500 * time.Millisecond)
	}
}

// SetUp makes the first administrator, the key that everything is asked with, and the worker's token.
func (s *Site) SetUp() {
	s.T.Helper()
	const email = "kill@example.com"
	password := rand.Text()
	s.Must(http.MethodPost, "/api/custom/setup", api.SetupRequest{BootstrapToken: s.Bootstrap, Email: email, Password: password, Name: "Kill"}, nil)
	s.Must(http.MethodPost, "/api/custom/login", api.LoginRequest{Email: email, Password: password}, nil)
	var account api.ServiceAccount
	s.Must(http.MethodPost, "/api/custom/service-accounts", api.ServiceAccountRequest{Name: "kill", Role: access.RoleAdmin}, &account)
	var key api.IssuedKey
	s.Must(http.MethodPost, "/api/custom/service-accounts/"+string(account.ID)+"/keys", api.APIKeyRequest{Name: "kill"}, &key)
	s.Key, s.client.Key, s.client.HTTP.Jar = key.Key, key.Key, nil
	var token api.IssuedWorkerToken
	s.Must(http.MethodPost, "/api/custom/workers/tokens", api.WorkerTokenRequest{}, &token)
	s.token = token.Token
}

// Must asks for what has to work.
func (s *Site) Must(method, path string, body, into any) {
	s.T.Helper()
	if _, err := s.Ask(method, path, body, into); err != nil {
		s.T.Fatalf("%v\n%s", err, s.logs())
	}
}
