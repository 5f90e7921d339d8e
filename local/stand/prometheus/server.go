package prometheus

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Program is the variable that names the program of Current.
const Program = "BERTH_REAL_PROMETHEUS"

// within is how long the server may take to start, and whatever it is asked to see, on a machine where
// everything else runs too.
const within = 300 * time.Second

// Server is a running server.
type Server struct {
	URL string

	dir   string
	end   func()
	ended chan struct{} // closed when it has ended
}

// Distribution returns the program that a distribution ships.
func Distribution(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Fatal("prometheus is missing: make test unpacks it, or install the package prometheus")
	}
	return program
}

// Current returns the program that was built of the newest module.
func Current(t testing.TB) string {
	t.Helper()
	program := os.Getenv(Program)
	if program == "" {
		t.Fatalf("%s names no program; make test-real builds one and sets it", Program)
	}
	return program
}

// Start starts a program for the test with a configuration. Paths in that are relative to dir.
func Start(t testing.TB, program, dir, config string) *Server {
	t.Helper()
	file := filepath.Join(dir, "prometheus.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	for range 5 { // another program may take the port between being asked for and being used
		var s *Server
		if s, err = start(program, file, t.TempDir()); err == nil {
			t.Cleanup(func() {
				s.end()
				if t.Failed() {
					t.Logf("what Prometheus said:\n%s", s.log())
				}
			})
			return s
		}
	}
	t.Fatal(err)
	return nil
}

func start(program, config, dir string) (*Server, error) {
	address, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + address, dir: dir}
	if err := s.run(program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "database"), "--web.listen-address="+address); err != nil {
		return nil, err
	}
	err = s.eventually(func() error {
		answer, err := client.Get(s.URL + "/-/ready")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("it is not ready: %s", answer.Status)
		}
		return nil
	})
	if err != nil {
		s.end()
		return nil, fmt.Errorf("%w\n%s", err, s.log())
	}
	return s, nil
}

// log is what the server said, if anything.
func (s *Server) log() []byte {
	said, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return said
}

// guard runs the server and ends it when its own input ends; it ends together with the server.
const guard = `"$@" </dev/null 3<&- & server=$!
( read -r _ <&3; kill -9 $server ) & watcher=$!
wait $server
kill $watcher 2>/dev/null
exit 0`

func (s *Server) run(program string, args ...string) error {
	out, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer out.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	cmd := exec.Command("/bin/sh", append([]string{"-c", guard, "sh", program}, args...)...)
	cmd.Dir = s.dir
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = out, out, []*os.File{read}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		write.Close()
		return err
	}
	s.ended = make(chan struct{})
	go func() {
		defer close(s.ended)
		_ = cmd.Wait() // how it ended is in its log
	}()
	s.end = func() {
		write.Close()
		<-s.ended
	}
	return nil
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
