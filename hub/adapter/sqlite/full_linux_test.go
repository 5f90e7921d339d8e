package sqlite

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"berth/core/fault"
	"berth/core/store"
)

// smallDisk tells the test's own process that it is the one that may mount.
const smallDisk = "BERTH_TEST_SMALL_DISK"

// TestD1FullDisk fills a file system of 8 MiB to the last block and then writes with one
// block more free each time, so that the space runs out at every point of a transaction.
func TestD1FullDisk(t *testing.T) {
	dir := os.Getenv(smallDisk)
	if dir == "" {
		inOwnMounts(t, t.TempDir())
		return
	}
	if err := errors.Join(syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""),
		syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m,mode=0700")); err != nil {
		t.Fatalf("mount a small disk: %v", err)
	}
	broken := 0
	db := openIn(t, dir, func(error) { broken++ })
	if err := db.Migrate(t.Context(), epoch); err != nil {
		t.Fatal(err)
	}
	write(t, db, `INSERT INTO settings (name, value) VALUES ('count', '0')`)
	ballast := fill(t, dir)
	refused := 0
	for free := int64(0); ; free++ {
		err := bulk(t, db)
		checkWhole(t, db, err == nil)
		if err == nil {
			break
		}
		refused++
		if fault.CodeOf(err) != "store.disk_full" || !fault.Is(err, fault.Unavailable) || !strings.Contains(fault.PublicOf(err), "disk is full") {
			t.Fatalf("with %d free blocks: %v", free, err)
		}
		if free > 1000 {
			t.Fatal("it never came through")
		}
		release(t, ballast, 4096)
	}
	if refused < 10 {
		t.Errorf("only %d writes were refused: the disk was not full", refused)
	}
	if broken != 0 {
		t.Errorf("broken was called %d times", broken)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	write(t, db, `UPDATE settings SET value = 'later' WHERE name = 'count'`)
	if got := read(t, db, `PRAGMA integrity_check`); len(got) != 1 || got[0] != "ok" {
		t.Errorf("the database is damaged: %q", got)
	}
}

// inOwnMounts runs the calling test again in a process that has mounts of its own, and, when
// we are not root, a user namespace in which it may mount.
func inOwnMounts(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), smallDisk+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s\nThis test mounts a small tmpfs: run it as root, or where user namespaces are allowed.", err, out)
	}
}

// fill writes a file until nothing more fits.
func fill(t *testing.T, dir string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 4096)
	for {
		if _, err := f.Write(block); errors.Is(err, syscall.ENOSPC) {
			return f.Name()
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// release gives bytes of the ballast back.
func release(t *testing.T, ballast string, bytes int64) {
	t.Helper()
	info, err := os.Stat(ballast)
	if err == nil {
		err = os.Truncate(ballast, info.Size()-bytes)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const bulkRows = 40

// bulk writes rows of about 160 KiB and their number, in one transaction.
func bulk(t *testing.T, db *store.DB) error {
	return db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := store.Exec(tx, `UPDATE settings SET value = ? WHERE name = 'count'`, fmt.Sprint(bulkRows)); err != nil {
			return err
		}
		for i := range bulkRows {
			if _, err := store.Exec(tx, `INSERT INTO settings (name, value) VALUES (?, ?)`, fmt.Sprint("bulk ", i), strings.Repeat("x", 4000)); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkWhole checks that bulk is there whole or not at all, on the writer's and on a reader's word.
func checkWhole(t *testing.T, db *store.DB, there bool) {
	t.Helper()
	rows, count := "0", "0"
	if there {
		rows, count = fmt.Sprint(bulkRows), fmt.Sprint(bulkRows)
	}
	got := read(t, db, `SELECT count(*) FROM settings WHERE name LIKE 'bulk %' UNION ALL SELECT value FROM settings WHERE name = 'count'`)
	if len(got) != 2 || got[0] != rows || got[1] != count {
		t.Fatalf("%s rows and a count of %s are stored, want %s and %s", got[0], got[1], rows, count)
	}
}
