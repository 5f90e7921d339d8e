package disk

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/config"
	"berth/hub/adapter/sqlite"
)

// faulty makes system calls on the database's log of writes fail or wait, from the nth on or at the nth.
func faulty(dir, inject string) []string {
	return []string{"strace", "-f", "-qq", "-o", "/dev/null", "-P", filepath.Join(dir, sqlite.File+"-wal"), "-e", "trace=fsync,fdatasync,pwrite64", "-e", "inject=" + inject}
}

// end waits until a writer has ended by itself, and returns its exit code.
func (w *writer) end() int {
	w.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		select {
		case n, open := <-w.acks:
			if !open {
				w.cmd.Wait() // how it ended is in its state
				return w.cmd.ProcessState.ExitCode()
			}
			w.acked = n
		case <-limit.C:
			w.t.Fatalf("the writer goes on after %d", w.acked)
		}
	}
}

// TestD3SyncFails: whoever cannot know what is on the disk ends, and the next start finds what was acknowledged.
func TestD3SyncFails(t *testing.T) {
	t.Parallel()
	for _, nth := range []int{1, 7, 40} {
		dir := t.TempDir()
		w := startWriter(t, "store", dir, faulty(dir, fmt.Sprintf("fsync,fdatasync:error=EIO:when=%d", nth))...)
		if code := w.end(); code != config.ExitBroken || !strings.Contains(w.errors.String(), "broken: store: commit") {
			t.Errorf("sync %d: the writer ended with %d:\n%s", nth, code, w.errors)
		}
		checkStart(t, dir, w.acked)
	}
}

// TestD2NoRoomForTheNthWrite: the transaction is taken back, and the text names the disk.
func TestD2NoRoomForTheNthWrite(t *testing.T) {
	t.Parallel()
	for _, nth := range []int{3, 60, 133} {
		dir := t.TempDir()
		w := startWriter(t, "store", dir, faulty(dir, fmt.Sprintf("pwrite64:error=ENOSPC:when=%d", nth))...)
		if code := w.end(); code != 1 || !strings.Contains(w.errors.String(), "store.disk_full") || !strings.Contains(w.errors.String(), "disk is full") {
			t.Errorf("write %d: the writer ended with %d:\n%s", nth, code, w.errors)
		}
		checkStart(t, dir, w.acked)
	}
}

// checkStart opens a database whose writer ended in trouble; one that was never made has nothing.
func checkStart(t *testing.T, dir string, acked int) {
	t.Helper()
	if acked == 0 {
		return
	}
	if there := rowsIn(t, dir); there < acked {
		t.Errorf("%d rows are there, %d were acknowledged", there, acked)
	}
}

// TestD13SlowDisk: a disk on which each sync takes half a second makes everything slower and nothing fail.
func TestD13SlowDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := startWriter(t, "store", dir, faulty(dir, "fsync,fdatasync:delay_enter=500000")...)
	w.more(6)
	if w.errors.Len() > 0 {
		t.Errorf("it complains:\n%s", w.errors)
	}
}
