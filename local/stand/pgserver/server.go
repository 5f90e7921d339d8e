package pgserver

import (
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"berth/local/stand/freeport"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx", for what a server is asked before a test begins
)

// Who owns the server's databases, as which tests connect.
const (
	User     = "berth"
	Password = "a password for tests: s3cr3t?" // asked for over TCP alone
)

// Options are what a server is to be like.
type Options struct {
	Durable  bool              // fsync as in earnest; otherwise what the kernel has is taken for written
	Address  string            // where it listens beside its socket; "" for 127.0.0.1
	Settings map[string]string // of postgresql.conf, such as max_connections
	Files    map[string]string // written into the data folder beside that: certificates
}

// Server is a running, or stopped, server with a data folder of its own.
type Server struct {
	dir     string
	address string // host:port
	options Options
	process *process // nil while it is stopped
}

// unprivileged is whom the server runs as when the tests are run by root, for whom it refuses to run.
const unprivileged = 65534 // nobody

// starting is how long the server may take to start, on a machine where everything else runs too.
const starting = 120 * time.Second

// Open makes a data folder below dir, which it gives away, and starts a server on it.
func Open(dir string, o Options) (*Server, error) {
	if o.Address == "" {
		o.Address = "127.0.0.1"
	}
	s := &Server{dir: dir, options: o}
	if err := s.make(); err != nil {
		return nil, err
	}
	port, err := freeport.Take()
	if err != nil {
		return nil, err
	}
	s.address = net.JoinHostPort(o.Address, port)
	if err := s.Start(); err != nil {
		return nil, err
	}
	return s, nil
}

// make makes the data folder.
func (s *Server) make() error {
	secret := filepath.Join(s.dir, "password")
	if err := os.WriteFile(secret, []byte(Password), 0o644); err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(s.dir, unprivileged, unprivileged); err != nil {
			return err
		}
	}
	initdb, err := find("initdb")
	if err != nil {
		return err
	}
	cmd := exec.Command(initdb, "-D", s.data(), "-U", User, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions",
		"--auth-local=trust", "--auth-host=scram-sha-256", "--pwfile="+secret)
	lower(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	for name, content := range s.options.Files {
		path := filepath.Join(s.data(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return err
		}
		if os.Geteuid() == 0 {
			if err := os.Chown(path, unprivileged, unprivileged); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Start starts the server again, on the same port, and returns when it takes connections.
func (s *Server) Start() error {
	postgres, err := find("postgres")
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return err
	}
	settings := map[string]string{"listen_addresses": host, "port": port, "unix_socket_directories": s.dir,
		"max_connections": "200", "shared_buffers": "32MB", "fsync": onOff(s.options.Durable), "synchronous_commit": onOff(s.options.Durable),
		"full_page_writes": onOff(s.options.Durable), "log_min_messages": "warning"}
	for name, value := range s.options.Settings {
		settings[name] = value
	}
	args := []string{"-D", s.data()}
	for name, value := range settings {
		args = append(args, "-c", name+"="+value)
	}
	if s.process, err = begin(s.dir, syscall.SIGQUIT, postgres, args...); err != nil {
		return err
	}
	if err := s.process.answers(s.URL("postgres"), s.dir); err != nil {
		s.Kill()
		return fmt.Errorf("postgres: %w", err)
	}
	return nil
}

// Stop stops the server as its owner would: what is under way is broken off and told so.
func (s *Server) Stop() { s.end(syscall.SIGINT) }

// Kill ends the server at once, as a loss of power would end its processes.
func (s *Server) Kill() { s.end(syscall.SIGQUIT) }

func (s *Server) end(how syscall.Signal) {
	if s.process != nil {
		s.process.end(how)
		s.process = nil
	}
}

// URL is the address of a database by way of the server's socket, where no password is asked for.
func (s *Server) URL(database string) string {
	_, port, _ := net.SplitHostPort(s.address)
	u := url.URL{Scheme: "postgres", User: url.User(User), Path: "/" + database, RawQuery: url.Values{"host": {s.dir}, "port": {port}}.Encode()}
	return u.String()
}

// TCP is the address of a database over TCP, with user and password.
func (s *Server) TCP(database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(User, Password), Host: s.address, Path: "/" + database}
	return u.String()
}

// Address is host:port where the server listens.
func (s *Server) Address() string { return s.address }

// Exec runs statements on a database of the server.
func (s *Server) Exec(database string, statements ...string) error {
	db, err := sql.Open("pgx", s.URL(database))
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// Ask returns the first column of the first row of a query on a database of the server, as text.
func (s *Server) Ask(database, query string) (answer string, err error) {
	db, err := sql.Open("pgx", s.URL(database))
	if err != nil {
		return "", err
	}
	defer db.Close()
	return answer, db.QueryRow(query).Scan(&answer)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// find returns a program of the newest server that is installed.
func find(program string) (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + program)
	if err == nil && len(found) > 0 {
		return slices.MaxFunc(found, func(a, b string) int { return major(a) - major(b) }), nil
	}
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	return "", fmt.Errorf("%s is missing: install the package postgresql", program)
}

func major(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // another name counts as old
	return n
}
