package realgitea

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/local/stand/program"
)

// Program is the variable that names the program. Its templates are in the folder beside it whose name has .files behind.
const Program = "BERTH_REAL_GITEA"

// starting is how long the server may take to start, on a machine where everything else runs too.
const starting = 180 * time.Second

// TokenLife is how long tokens of OAuth are good.
const TokenLife = 30 * time.Second

// Owner is the one account, an administrator's.
const Owner = "owner"

// Server is a running Gitea.
type Server struct {
	URL      string
	SSH      string // host:port
	Password string // of Owner

	*program.Program
	t    testing.TB
	path string
	dir  string
}

// Start starts a server for the test.
func Start(t testing.TB) *Server {
	t.Helper()
	path := os.Getenv(Program)
	if path == "" {
		t.Fatalf("%s names no program; make test-real builds one and sets it", Program)
	}
	var err error
	for range 5 { // another program may take a port between being asked for and being used
		s := &Server{t: t, path: path, dir: t.TempDir(), Password: "a pass:word@/" + rand.Text()}
		if err = s.start(); err == nil {
			t.Cleanup(s.Stop)
			return s
		}
	}
	t.Fatal(err)
	return nil
}

func (s *Server) start() error {
	address, err := program.FreeAddress()
	if err != nil {
		return err
	}
	if s.SSH, err = program.FreeAddress(); err != nil {
		return err
	}
	s.URL = "http://" + address
	if err := s.configure(address); err != nil {
		return err
	}
	if s.Program, err = program.Start(program.Options{Path: s.path, Args: s.arguments("web"), Dir: s.dir, Env: s.environment()}); err != nil {
		return err
	}
	if err := s.open(); err != nil {
		s.Stop()
		return fmt.Errorf("%w\n%s", err, s.Log())
	}
	return nil
}

func (s *Server) settings() string { return filepath.Join(s.dir, "app.ini") }

func (s *Server) arguments(more ...string) []string {
	return append([]string{"--config", s.settings(), "--work-path", s.dir}, more...)
}

// environment is what Gitea and its git see: nothing of the machine's or the person's.
func (s *Server) environment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1"}
}

// configure writes the server's settings.
func (s *Server) configure(address string) error {
	who, err := user.Current()
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	_, sshPort, err := net.SplitHostPort(s.SSH)
	if err != nil {
		return err
	}
	values := strings.NewReplacer("{user}", who.Username, "{files}", s.path+".files", "{host}", host, "{port}", port, "{ssh}", sshPort, "{dir}", s.dir,
		"{secret}", rand.Text(), "{life}", fmt.Sprint(int(TokenLife.Seconds())))
	return os.WriteFile(s.settings(), []byte(values.Replace(settings)), 0o600)
}

// settings are those of a small installation. Tests may run as root, which Gitea wants to be told.
const settings = `RUN_USER = {user}
RUN_MODE = prod
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true

[server]
STATIC_ROOT_PATH = {files}
HTTP_ADDR = {host}
HTTP_PORT = {port}
DOMAIN = {host}
ROOT_URL = http://{host}:{port}/
START_SSH_SERVER = true
BUILTIN_SSH_SERVER_USER = git
SSH_LISTEN_HOST = {host}
SSH_LISTEN_PORT = {ssh}
SSH_PORT = {ssh}
SSH_DOMAIN = {host}
OFFLINE_MODE = true

[database]
DB_TYPE = sqlite3
PATH = {dir}/gitea.db

[security]
INSTALL_LOCK = true
SECRET_KEY = {secret}
PASSWORD_HASH_ALGO = pbkdf2_v2
ALLOWED_HOST_LIST = loopback

[oauth2]
ACCESS_TOKEN_EXPIRATION_TIME = {life}
INVALIDATE_REFRESH_TOKENS = true

[service]
DISABLE_REGISTRATION = true

[log]
LEVEL = Warn

[actions]
ENABLED = false

[indexer]
ISSUE_INDEXER_TYPE = db
`

// open waits until the server answers and makes its account.
func (s *Server) open() error {
	err := s.Eventually(starting, func() error {
		answer, err := http.Get(s.URL + "/api/healthz")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("it is not well: %s", answer.Status)
		}
		return nil
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), starting)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.path, s.arguments("admin", "user", "create", "--username", Owner, "--password", s.Password, "--email", Owner+"@example.com",
		"--admin", "--must-change-password=false")...)
	cmd.Env = s.environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make the account: %w\n%s", err, out)
	}
	return nil
}
