package pgserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const childVariable = "PGSERVER_TEST_CHILD"

// TestMain is also the process that a test starts to see what becomes of its server.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	s, err := Running()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.dir)
	select {} // until it is killed
}

func TestAServerEndsWithItsProcess(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 4096)
	n, err := out.Read(line)
	dir := strings.TrimSpace(string(line[:n]))
	if _, statErr := os.Stat(dir + "/data/postmaster.pid"); err != nil || statErr != nil {
		t.Errorf("it said %q: %v, %v", dir, err, statErr)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return
		}
		if time.Since(began) > starting {
			t.Fatalf("%s is still there", dir)
		}
	}
}

// TestAServerStopsAndStarts with what it has stored, at the same address.
func TestAServerStopsAndStarts(t *testing.T) {
	s := New(t, Options{Durable: true})
	name := s.Database(t, "template0")
	if err := s.Exec(name, `CREATE TABLE a (x TEXT)`); err != nil {
		t.Fatal(err)
	}
	address := s.Address()
	for i, end := range []func(){s.Stop, s.Kill} {
		if err := s.Exec(name, fmt.Sprintf(`INSERT INTO a VALUES ('%d')`, i)); err != nil {
			t.Fatal(err)
		}
		end()
		if _, err := s.Ask(name, `SELECT 'x'`); err == nil {
			t.Error("it answers after its end")
		}
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Ask(name, `SELECT string_agg(x, ' ' ORDER BY x) FROM a`); err != nil || !strings.HasSuffix(got, fmt.Sprint(i)) || s.Address() != address {
			t.Errorf("it holds %q at %s: %v", got, s.Address(), err)
		}
	}
}
