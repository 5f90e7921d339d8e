package disk

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/config"
	"berth/core/coretest"
	"berth/core/store"
	"berth/handlers/api"
	"berth/hub/adapter/sqlite"
	"berth/local/e2e/rig"
	"berth/local/kill"
)

// newSite runs the real program; what it prints goes to another disk than its data.
func newSite(t *testing.T) *kill.Site {
	t.Helper()
	s := kill.New(t)
	s.RunServer()
	s.SetUp()
	return s
}

// account makes a service account, and returns the answer's status and text.
func account(s *kill.Site) (status int, text string) {
	status, err := s.Ask(http.MethodPost, "/api/custom/service-accounts", api.ServiceAccountRequest{Name: rig.Name(), Role: access.RoleViewer}, nil)
	if err != nil {
		text = err.Error()
	}
	return status, text
}

// accounts counts them in the database of a server that does not run.
func accounts(t *testing.T, dir string) int {
	t.Helper()
	db, err := sqlite.Inspect(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var names []string
	err = db.Read(t.Context(), func(tx *store.Tx) (err error) {
		names, err = store.Texts(tx, `SELECT name FROM service_accounts`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// code waits until the server has ended by itself, and returns its exit code.
func code(t *testing.T, s *kill.Site) int {
	t.Helper()
	select {
	case <-s.Server.Ended():
		return s.Server.Code()
	case <-time.After(patience):
		t.Fatalf("the server goes on:\n%s", s.Server.Tail())
		return 0
	}
}

// inject lets a running server's calls on the log of its database fail, until stop.
func inject(t *testing.T, s *kill.Site, what string) (stop func()) {
	t.Helper()
	pid := s.Server.PID()
	cmd := exec.Command("strace", "-f", "-qq", "-o", "/dev/null", "-P", filepath.Join(s.DB(), sqlite.File+"-wal"),
		"-e", "trace=fsync,fdatasync,pwrite64", "-e", "inject="+what, "-p", fmt.Sprint(pid))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rig.Until(t, patience, "strace is attached", func() (bool, string) {
		all, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
		for _, path := range all {
			text, err := os.ReadFile(path)
			if err == nil && strings.Contains(string(text), "TracerPid:\t0\n") {
				return false, string(text)
			}
		}
		return err == nil && len(all) > 0, fmt.Sprint(err)
	})
	stop = func() {
		cmd.Process.Signal(syscall.SIGTERM) // lets the server go
		cmd.Wait()
	}
	t.Cleanup(stop)
	return stop
}

// TestD3TheProgramEndsWhenASyncFails: nobody is told that something is stored that may not be.
func TestD3TheProgramEndsWhenASyncFails(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	inject(t, s, "fsync,fdatasync:error=EIO:when=2")
	stored, refused := 1, 0 // the rig made one
	for s.Server.Alive() && refused == 0 {
		switch status, text := account(s); {
		case status == http.StatusCreated:
			stored++
		case status != 0 && (status != http.StatusServiceUnavailable || !strings.Contains(text, "store.broken")):
			t.Fatalf("answered %s", text)
		default:
			refused++
		}
	}
	if code := code(t, s); code != config.ExitBroken || !strings.Contains(s.Server.Tail(), "could not be written") {
		t.Errorf("the server ended with %d:\n%s", code, s.Server.Tail())
	}
	s.RunServer()
	if status, text := account(s); status != http.StatusCreated {
		t.Errorf("after the next start: %s", text)
	}
	if err := s.Server.Stop(); err != nil {
		t.Fatal(err)
	}
	if now := accounts(t, s.DB()); now < stored+1 || now > stored+1+refused {
		t.Errorf("%d accounts, %d were acknowledged and %d refused", now, stored+1, refused)
	}
}

// TestD2TheProgramGoesOnWhenAWriteHasNoRoom: it says so, stores nothing of it, and goes on.
func TestD2TheProgramGoesOnWhenAWriteHasNoRoom(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	want := 1 // the rig made it
	for _, nth := range []int{1, 2, 4} {
		stop := inject(t, s, fmt.Sprintf("pwrite64:error=ENOSPC:when=%d", nth))
		refused := 0
		for n := 0; n < 30 && refused == 0; n++ {
			switch status, text := account(s); {
			case status == http.StatusCreated:
				want++
			case status == http.StatusServiceUnavailable && strings.Contains(text, "store.disk_full") && strings.Contains(text, "disk is full"):
				refused++
			default:
				t.Fatalf("write %d: answered %d %s\n%s", nth, status, text, s.Server.Tail())
			}
		}
		stop()
		rig.Until(t, patience, "there is room", func() (bool, string) {
			status, text := account(s)
			if status == http.StatusCreated {
				want++
			}
			return status == http.StatusCreated, text
		})
	}
	if err := s.Server.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := accounts(t, s.DB()); got != want {
		t.Errorf("%d accounts are stored, %d were acknowledged", got, want)
	}
}

// TestD5ReadOnly: the disk takes no writes any more. What is stored can be read until somebody has
// something to store; then nobody knows what is on the disk, and the program ends.
func TestD5ReadOnly(t *testing.T) {
	t.Parallel()
	s, disk := kill.New(t), coretest.NewDisk(t, diskSize)
	if err := os.Symlink(disk.Dir, s.DB()); err != nil {
		t.Fatal(err)
	}
	s.RunServer()
	s.SetUp()
	disk.ReadOnly()
	if status, err := s.Ask(http.MethodGet, "/api/custom/service-accounts", nil, nil); status != http.StatusOK {
		t.Errorf("what is read: %v", err)
	}
	if status, text := account(s); status != http.StatusServiceUnavailable || !strings.Contains(text, "store.broken") || !strings.Contains(text, "check the disk below DATA_DIR") {
		t.Errorf("what is written: %s", text)
	}
	if code := code(t, s); code != config.ExitBroken || !strings.Contains(s.Server.Tail(), "Check the disk below DATA_DIR and start again") {
		t.Errorf("the server ended with %d:\n%s", code, s.Server.Tail())
	}
	s.StartServer(kill.Point{})
	if code := code(t, s); code != config.ExitConfig || !strings.Contains(s.Server.Tail(), "read-only file system") {
		t.Errorf("the next start ended with %d:\n%s", code, s.Server.Tail())
	}
}
