package prometheus

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"berth/local/stand/program"
)

// Program is the variable that names the program of Current.
const Program = "BERTH_REAL_PROMETHEUS"

// within is how long the server may take to start, and whatever it is asked to see, on a machine where
// everything else runs too.
const within = 300 * time.Second

// Server is a running server.
type Server struct {
	URL string

	*program.Program
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
func Start(t testing.TB, path, dir, config string) *Server {
	t.Helper()
	file := filepath.Join(dir, "prometheus.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	for range 5 { // another program may take the port between being asked for and being used
		var s *Server
		if s, err = start(path, file, t.TempDir()); err == nil {
			t.Cleanup(func() {
				s.Stop()
				if t.Failed() {
					t.Logf("what Prometheus said:\n%s", s.Log())
				}
			})
			return s
		}
	}
	t.Fatal(err)
	return nil
}

func start(path, config, dir string) (*Server, error) {
	address, err := program.FreeAddress()
	if err != nil {
		return nil, err
	}
	running, err := program.Start(program.Options{Path: path, Dir: dir,
		Args: []string{"--config.file=" + config, "--storage.tsdb.path=" + filepath.Join(dir, "database"), "--web.listen-address=" + address}})
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + address, Program: running}
	err = s.Eventually(within, func() error {
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
		s.Stop()
		return nil, fmt.Errorf("%w\n%s", err, s.Log())
	}
	return s, nil
}
