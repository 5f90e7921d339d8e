package pgserver

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
)

// Running is the server that all tests of this process share. Nobody may stop it.
var Running = sync.OnceValues(func() (*Server, error) {
	dir, err := os.MkdirTemp("", "berth-postgres-")
	if err != nil {
		return nil, err
	}
	return Open(dir, Options{})
})

// Shared is Running for a test.
func Shared(t testing.TB) *Server {
	t.Helper()
	s, err := Running()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var count atomic.Int64

// URL makes an empty database for the test, on the shared server, and returns its address.
func URL(t testing.TB) string {
	t.Helper()
	return Copy(t, "template0")
}

// Copy makes a database for the test that holds what another one of the shared server holds, to
// which nobody may be connected, and returns its address.
func Copy(t testing.TB, from string) string {
	t.Helper()
	s := Shared(t)
	return s.URL(s.Database(t, from))
}

// Database makes a database on the server until the test has ended, and returns its name.
func (s *Server) Database(t testing.TB, from string) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", count.Add(1))
	if err := s.Exec("postgres", fmt.Sprintf(`CREATE DATABASE %s TEMPLATE %s`, name, from)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.process == nil {
			return
		}
		if err := s.Exec("postgres", fmt.Sprintf(`DROP DATABASE %s WITH (FORCE)`, name)); err != nil {
			t.Error(err)
		}
	})
	return name
}

// New starts a server for this test alone.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "berth-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}
