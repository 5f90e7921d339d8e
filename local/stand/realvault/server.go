package realvault

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Program is the variable that names the program.
const Program = "BERTH_REAL_VAULT"

// starting is how long the server may take to start, on a machine where everything else runs too.
const starting = 120 * time.Second

// Server is a running server.
type Server struct {
	URL  string
	Root string // the root token

	key   string // that unseals it
	end   func()
	ended chan struct{} // closed when it has ended
}

// guard runs the server and ends it when its own input ends; it ends together with the server.
const guard = `"$@" </dev/null 3<&- & server=$!
( read -r _ <&3; kill -9 $server ) & watcher=$!
wait $server
kill $watcher 2>/dev/null
exit 0`

// Start starts a server for the test.
func Start(t *testing.T) *Server {
	t.Helper()
	program := os.Getenv(Program)
	if program == "" {
		t.Fatalf("%s names no program; make test-real builds one and sets it", Program)
	}
	var err error
	for range 5 { // another program may take the port between being asked for and being used
		var s *Server
		if s, err = start(program, t.TempDir()); err == nil {
			t.Cleanup(s.Stop)
			return s
		}
	}
	t.Fatal(err)
	return nil
}

func start(program, dir string) (*Server, error) {
	address, err := freePort()
	if err != nil {
		return nil, err
	}
	log := filepath.Join(dir, "log")
	s := &Server{URL: "http://" + address}
	if err := s.run(program, log, address); err != nil {
		return nil, err
	}
	if err := s.open(); err != nil {
		s.Stop()
		said, _ := os.ReadFile(log) // what it says beside err, if anything
		return nil, fmt.Errorf("%w\n%s", err, said)
	}
	return s, nil
}

// Stop ends the server at once.
func (s *Server) Stop() {
	if s.end != nil {
		s.end()
		s.end = nil
	}
}

// run starts the program without the variables that it would read.
func (s *Server) run(program, log string, args ...string) error {
	out, err := os.Create(log)
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
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "VAULT_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
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
