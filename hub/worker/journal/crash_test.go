package journal

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// The power goes at each operation of the disk in turn. Whatever was confirmed before
// must be there afterwards, and nothing that was never asked for.
func TestPowerCutAtEachStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	for cut := 1; ; cut++ {
		d := newFakeDisk()
		d.cutAt = cut
		confirmed, finished := runUntilCut(d, path)
		for _, extra := range []int{0, 1, 7, 40, 1 << 20} {
			checkAfterCut(t, d.reboot(extra), path, confirmed)
		}
		if finished {
			return
		}
	}
}

// runUntilCut does what a worker does and returns what the journal confirmed.
func runUntilCut(d *fakeDisk, path string) (confirmed map[Key]string, finished bool) {
	confirmed = map[Key]string{}
	j, _, err := open(path, d)
	if err != nil {
		return confirmed, false
	}
	for n := range 6 {
		if j.Received(testEntry(n)) != nil {
			return confirmed, false
		}
		confirmed[testKey(n)] = "received"
		if n%2 == 0 {
			if j.Ended(testResult(n)) != nil {
				return confirmed, false
			}
			confirmed[testKey(n)] = "result"
		}
	}
	return confirmed, true
}

func checkAfterCut(t *testing.T, d *fakeDisk, path string, confirmed map[Key]string) {
	t.Helper()
	j, _, err := open(path, d)
	must(t, err)
	for key, want := range confirmed {
		e, found := j.Get(key)
		if !found || (want == "result" && e.Result == nil) {
			t.Fatalf("%s was confirmed as %s and is %+v after the cut", key.ID, want, e)
		}
	}
	if extra := len(j.Entries()) - len(confirmed); extra > 1 {
		t.Fatalf("%d entries more than were confirmed", extra)
	}
}

// A write or fsync that failed once must not poison what comes after.
func TestFailedAppendIsWrittenAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	d := newFakeDisk()
	j, _, err := open(path, d)
	must(t, err)
	must(t, j.Received(testEntry(1)))
	for _, op := range []int{1, 2} { // the write, the sync
		d.steps, d.cutAt = 0, op
		if j.Received(testEntry(2)) == nil {
			t.Fatal("the append was confirmed although the disk failed")
		}
		d.cutAt = 0
		if _, found := j.Get(testKey(2)); found {
			t.Fatal("an append that failed is in the journal")
		}
		must(t, j.Received(testEntry(3)))
		must(t, j.Pruned(testKey(3)))
	}
	must(t, j.Received(testEntry(4)))
	after, _, err := open(path, d.reboot(0))
	must(t, err)
	var keys []Key
	for _, e := range after.Entries() {
		keys = append(keys, e.Key)
	}
	if !slices.Equal(keys, []Key{testKey(1), testKey(4)}) {
		t.Errorf("after the failures the disk holds %v", keys)
	}
}

func TestFullDiskRefusesCommandsAndKeepsResults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	d := newFakeDisk()
	j, _, err := open(path, d)
	must(t, err)
	must(t, j.Received(testEntry(1)))
	d.room = 10
	if err := j.Received(testEntry(2)); !diskFull(err) {
		t.Fatalf("Received on a full disk: %v, want ENOSPC", err)
	}
	// Giving up the reserve is what makes room on a real disk; here it is seen in the file.
	if _, err := os.Stat(path + ".reserve"); err != nil {
		t.Fatal("a new command took the reserve:", err)
	}
	if err := j.Ended(testResult(1)); !diskFull(err) {
		t.Fatalf("Ended: %v", err)
	}
	if _, err := os.Stat(path + ".reserve"); !os.IsNotExist(err) {
		t.Fatal("the reserve was not given up for a result")
	}
	d.room = 4096
	must(t, j.Ended(testResult(1)))
	d.room = 0
	if err := j.Received(testEntry(2)); !diskFull(err) {
		t.Fatalf("Received after the disk is full again: %v", err)
	}
	d.room = -1
	must(t, j.Received(testEntry(2)))
	after, _, err := open(path, d.reboot(0))
	must(t, err)
	if e, _ := after.Get(testKey(1)); e.Result == nil {
		t.Error("the result is not on the disk")
	}
}

func TestFullDiskStillOpensTheJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	d := newFakeDisk()
	j, _, err := open(path, d)
	must(t, err)
	must(t, j.Received(testEntry(1)))
	d.room = 0
	j, _, err = open(path, d)
	must(t, err)
	if len(j.Entries()) != 1 {
		t.Errorf("entries: %+v", j.Entries())
	}
	if err := j.Received(testEntry(2)); err == nil {
		t.Error("a command was taken on a full disk")
	}
}

func TestDiskFull(t *testing.T) {
	for err, want := range map[error]bool{syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EIO: false, nil: false} {
		if diskFull(err) != want {
			t.Errorf("diskFull(%v) = %v", err, !want)
		}
	}
}
