package journal

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"berth/core"
	"berth/core/stacks"
	"berth/core/wire"
)

// fakeDisk is a disk in memory that knows what a power cut would leave: only bytes that
// were synced, and renames, which are durable once made.
type fakeDisk struct {
	files map[string]*fakeFile
	steps int // operations so far
	cutAt int // from this operation on everything fails; 0: never
	room  int // bytes that may still be written; negative: unlimited
}

type fakeFile struct {
	disk    *fakeDisk
	synced  []byte
	written []byte
}

var errPowerCut = errors.New("the power is gone")

func newFakeDisk() *fakeDisk { return &fakeDisk{files: map[string]*fakeFile{}, room: -1} }

func (d *fakeDisk) step() error {
	d.steps++
	if d.cutAt > 0 && d.steps >= d.cutAt {
		return errPowerCut
	}
	return nil
}

func (d *fakeDisk) read(path string) ([]byte, error) {
	if f := d.files[path]; f != nil {
		return append([]byte(nil), f.written...), nil
	}
	return nil, os.ErrNotExist
}

func (d *fakeDisk) create(path string) (file, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	f := &fakeFile{disk: d}
	d.files[path] = f
	return f, nil
}

func (d *fakeDisk) appendTo(path string, size int64) (file, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	f := d.files[path]
	f.written = f.written[:size]
	return f, nil
}

func (d *fakeDisk) rename(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	d.files[to] = d.files[from]
	delete(d.files, from)
	return nil
}

func (f *fakeFile) Write(p []byte) (int, error) {
	if err := f.disk.step(); err != nil {
		f.written = append(f.written, p[:len(p)/2]...)
		return len(p) / 2, err
	}
	if f.disk.room >= 0 && len(p) > f.disk.room {
		f.written = append(f.written, p[:f.disk.room]...)
		f.disk.room = 0
		return 0, syscall.ENOSPC
	}
	if f.disk.room >= 0 {
		f.disk.room -= len(p)
	}
	f.written = append(f.written, p...)
	return len(p), nil
}

func (f *fakeFile) Sync() error {
	if err := f.disk.step(); err != nil {
		return err
	}
	f.synced = append([]byte(nil), f.written...)
	return nil
}

func (f *fakeFile) Close() error { return nil }

// reboot returns the disk as it is found after a power cut that kept the first extra
// bytes of what was never synced.
func (d *fakeDisk) reboot(extra int) *fakeDisk {
	after := newFakeDisk()
	for path, f := range d.files {
		keep := min(len(f.synced)+extra, len(f.written))
		content := append([]byte(nil), f.written[:max(keep, 0)]...)
		after.files[path] = &fakeFile{disk: after, synced: content, written: content}
	}
	return after
}

func testKey(n int) Key {
	return Key{core.CommandID("cmd_" + string(rune('a'+n%26)) + string(rune('a'+n/26))), 1}
}

func testEntry(n int) Entry {
	return Entry{Key: testKey(n), Kind: wire.CommandDeploy, Stack: "stk_1", Project: "shop", Revision: n, Digest: "d"}
}

func testResult(n int) wire.Result {
	key := testKey(n)
	return wire.Result{ID: key.ID, Attempt: key.Attempt, Status: wire.ResultSucceeded,
		Phases: []wire.PhaseEvent{{Name: stacks.PhasePull, State: stacks.PhaseSucceeded}}}
}

func mustOpen(t *testing.T, path string) *Journal {
	t.Helper()
	j, recovery, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if recovery.Aside != "" {
		t.Fatalf("the journal was set aside: %+v", recovery)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
