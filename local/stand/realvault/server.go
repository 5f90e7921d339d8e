package realvault

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"berth/local/stand/program"
)

// Program is the variable that names the program.
const Program = "BERTH_REAL_VAULT"

// starting is how long the server may take to start, on a machine where everything else runs too.
const starting = 120 * time.Second

// Server is a running server.
type Server struct {
	URL  string
	Root string // the root token

	*program.Program
	key string // that unseals it
}

// Start starts a server for the test.
func Start(t *testing.T) *Server {
	t.Helper()
	path := os.Getenv(Program)
	if path == "" {
		t.Fatalf("%s names no program; make test-real builds one and sets it", Program)
	}
	var err error
	for range 5 { // another program may take the port between being asked for and being used
		var s *Server
		if s, err = start(path, t.TempDir()); err == nil {
			t.Cleanup(s.Stop)
			return s
		}
	}
	t.Fatal(err)
	return nil
}

func start(path, dir string) (*Server, error) {
	address, err := program.FreeAddress()
	if err != nil {
		return nil, err
	}
	options := program.Options{Path: path, Args: []string{address}, Dir: dir, Env: []string{}}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "VAULT_") { // those it would read
			options.Env = append(options.Env, variable)
		}
	}
	running, err := program.Start(options)
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + address, Program: running}
	if err := s.open(); err != nil {
		s.Stop()
		return nil, fmt.Errorf("%w\n%s", err, s.Log())
	}
	return s, nil
}
