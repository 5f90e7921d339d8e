package coretest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestDiskDoesWhatRealOnesDo(t *testing.T) {
	d := NewDisk(t, 4<<20, "-N", "64")
	keep := func(name string, sync bool) {
		t.Helper()
		f, err := os.Create(filepath.Join(d.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(name); err != nil {
			t.Fatal(err)
		}
		if sync {
			err = f.Sync()
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	keep("durable", true)
	keep("forgotten", false)
	after := d.Cut(t)
	if got, err := os.ReadFile(filepath.Join(after.Dir, "durable")); string(got) != "durable" {
		t.Errorf("what was durable is %q, %v", got, err)
	}
	if got, _ := os.ReadFile(filepath.Join(after.Dir, "forgotten")); len(got) != 0 {
		t.Errorf("what was never durable is there: %q", got)
	}
	ballast := d.Fill()
	if err := os.WriteFile(filepath.Join(d.Dir, "more"), []byte("x"), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk took a file: %v", err)
	}
	if err := errors.Join(os.Remove(ballast), os.Remove(filepath.Join(d.Dir, "more"))); err != nil {
		t.Fatal(err)
	}
	many := d.UseInodes()
	if err := os.WriteFile(filepath.Join(d.Dir, "another"), nil, 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a disk without inodes took a file: %v", err)
	}
	if err := os.RemoveAll(many); err != nil {
		t.Fatal(err)
	}
	d.ReadOnly()
	if err := os.WriteFile(filepath.Join(d.Dir, "last"), nil, 0o600); !errors.Is(err, syscall.EROFS) && !errors.Is(err, syscall.EIO) {
		t.Errorf("a read-only disk took a file: %v", err)
	}
}
