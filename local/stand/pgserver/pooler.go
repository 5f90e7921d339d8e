package pgserver

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"berth/local/stand/freeport"
)

// Pooler is a PgBouncer before a server, which lends each transaction one of a few connections.
type Pooler struct {
	address string // host:port
	process *process
}

// Pool starts one for a test, with at most so many connections to each database.
func (s *Server) Pool(t testing.TB, connections int) *Pooler {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			t.Fatal("pgbouncer is missing: install the package pgbouncer")
		}
	}
	p := &Pooler{}
	if err := p.start(t, s, program, connections); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *Pooler) start(t testing.TB, s *Server, program string, connections int) error {
	port, err := freeport.Take()
	if err != nil {
		return err
	}
	p.address = net.JoinHostPort("127.0.0.1", port)
	dir, err := os.MkdirTemp("", "berth-pgbouncer-")
	if err != nil {
		return err
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := s.configure(dir, port, connections); err != nil {
		return err
	}
	if p.process, err = begin(dir, syscall.SIGTERM, program, filepath.Join(dir, "pgbouncer.ini")); err != nil {
		return err
	}
	t.Cleanup(func() { p.process.end(syscall.SIGTERM) })
	if err := p.process.answers(p.URL("postgres")+"?default_query_exec_mode=exec", dir); err != nil {
		return fmt.Errorf("pgbouncer: %w", err)
	}
	return nil
}

// configure writes what a pooler on a port needs below dir, which it gives away.
func (s *Server) configure(dir, own string, connections int) error {
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return err
	}
	settings := fmt.Sprintf(`[databases]
* = host=%s port=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
unix_socket_dir =
auth_type = scram-sha-256
auth_file = %s/users
pool_mode = transaction
default_pool_size = %d
max_client_conn = 1000
server_login_retry = 1
query_wait_timeout = 15
`, host, port, own, dir, connections)
	for name, content := range map[string]string{"pgbouncer.ini": settings, "users": fmt.Sprintf("%q %q\n", User, Password)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	if os.Geteuid() == 0 {
		return os.Chown(dir, unprivileged, unprivileged)
	}
	return nil
}

// URL is the address of a database by way of the pooler, with user and password.
func (p *Pooler) URL(database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(User, Password), Host: p.address, Path: "/" + database}
	return u.String()
}
