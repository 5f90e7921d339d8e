package coretest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Disk is an ext4 file system of its own on a loop device, for tests of what a real disk does:
// it gets full, runs out of inodes, turns read-only, loses its power. It needs root, or sudo
// that asks for no password.
type Disk struct {
	Dir   string // where it is mounted
	Image string // the file that holds it

	t testing.TB
}

// NewDisk mounts a fresh file system of this many bytes, at least 2 MiB. It is gone when the test has
// ended. options are those of mkfs.ext4.
func NewDisk(t testing.TB, bytes int64, options ...string) *Disk {
	t.Helper()
	d := &Disk{Image: filepath.Join(t.TempDir(), "image"), t: t}
	if err := errors.Join(os.WriteFile(d.Image, nil, 0o600), os.Truncate(d.Image, bytes)); err != nil {
		t.Fatal(err)
	}
	owner := fmt.Sprintf("root_owner=%d:%d", os.Getuid(), os.Getgid())
	d.run("mkfs.ext4", append(append([]string{"-q", "-F", "-m", "0", "-E", owner}, options...), d.Image)...)
	d.mount()
	return d
}

// mount makes the disk's content visible. What is written reaches the image when somebody asks
// for it to be durable, and otherwise not for minutes.
func (d *Disk) mount() {
	d.t.Helper()
	d.Dir = d.t.TempDir()
	d.privileged("mount", "-o", "loop,commit=300", d.Image, d.Dir)
	d.t.Cleanup(func() {
		// What still has a file open there, such as a process that is just ending, lets go of it later.
		if err := d.try("umount", d.Dir); err != nil {
			d.privileged("umount", "--lazy", d.Dir)
		}
	})
}

// Cut returns the disk as it would be after a power cut at this moment. Nothing may write to it
// meanwhile: stop what does.
func (d *Disk) Cut(t testing.TB) *Disk {
	t.Helper()
	after := &Disk{Image: filepath.Join(t.TempDir(), "image"), t: t}
	d.t.Helper()
	from, err := os.Open(d.Image)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.Create(after.Image)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Close()); err != nil {
		t.Fatal(err)
	}
	after.mount()
	return after
}

// ReadOnly takes the right to write from everybody, as a kernel does that met an error: also from
// those who have a file open for that.
func (d *Disk) ReadOnly() { d.privileged("mount", "-o", "remount,abort", d.Dir) }

// Fill writes a file of its own until no block is left, and returns its path. What somebody frees meanwhile stays free.
func (d *Disk) Fill() string {
	d.t.Helper()
	var about syscall.Statfs_t
	if err := syscall.Statfs(d.Dir, &about); err != nil {
		d.t.Fatal(err)
	}
	left := int64(about.Bfree) * about.Bsize
	f, err := os.CreateTemp(d.Dir, "ballast-*")
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 1<<20); len(block) >= 512 && left > 0; {
		n, err := f.Write(block[:min(int64(len(block)), left)])
		left -= int64(n)
		if errors.Is(err, syscall.ENOSPC) {
			block = block[:len(block)/2]
		} else if err != nil {
			d.t.Fatal(err)
		}
	}
	if err := f.Sync(); err != nil { // blocks that were only promised are taken now
		d.t.Fatal(err)
	}
	return f.Name()
}

// UseInodes makes empty files until no inode is left, and returns the folder that holds them.
func (d *Disk) UseInodes() string {
	d.t.Helper()
	dir := filepath.Join(d.Dir, "many")
	if err := os.Mkdir(dir, 0o700); err != nil {
		d.t.Fatal(err)
	}
	for i := 0; ; i++ {
		err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600)
		if errors.Is(err, syscall.ENOSPC) {
			return dir
		}
		if err != nil {
			d.t.Fatal(err)
		}
	}
}

// privileged runs a command with the rights that mounting needs.
func (d *Disk) privileged(name string, args ...string) {
	d.t.Helper()
	if err := d.try(name, args...); err != nil {
		d.t.Fatal(err)
	}
}

func (d *Disk) try(name string, args ...string) error {
	command := append([]string{name}, args...)
	if os.Geteuid() != 0 {
		command = append([]string{"sudo", "-n"}, command...)
	}
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s\nThis test mounts a small disk: run it as root, or where sudo asks for no password, with mkfs.ext4 and loop devices", strings.Join(command, " "), err, out)
	}
	return nil
}

func (d *Disk) run(name string, args ...string) {
	d.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		d.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}
