package sqlite

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// ReserveFile is beside the database and holds room for the moment when the disk is full.
const ReserveFile = "berth.reserve"

const (
	reserveSize = 6 << 20 // bytes; thousands of cancels, logins and results
	lowBytes    = 1 << 20 // with less free than this nothing new is begun, also while the reserve is there
	lowInodes   = 64      // the same for files: what is deployed, the mirrors and SQLite make some
	easeBytes   = 2 << 20 // free beyond the reserve before it is made again, so that it does not come and go
)

// reserve is room on the disk that is kept for what must go on when there is no other.
type reserve struct {
	dir string

	mu   sync.Mutex
	held bool // guarded by mu
}

// Room implements store.Ground.
func (r *reserve) Room() bool {
	r.mu.Lock()
	held := r.held
	r.mu.Unlock()
	free, inodes, known := r.free()
	return held && (!known || free >= lowBytes && inodes >= lowInodes)
}

// GiveWay implements store.Ground.
func (r *reserve) GiveWay() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.held {
		return false
	}
	r.held = false
	return os.Remove(r.path()) == nil
}

// make makes the reserve when it is not there and there is room for it; it reports whether it
// is there.
func (r *reserve) make() (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held {
		return true, nil
	}
	if info, err := os.Stat(r.path()); err == nil && info.Size() == reserveSize {
		r.held = true
		return true, nil
	}
	if free, inodes, known := r.free(); known && (free < reserveSize+easeBytes || inodes < lowInodes) {
		return false, nil
	}
	if err := r.write(); err != nil {
		os.Remove(r.path()) // gives back what it took
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			err = nil
		}
		return false, err
	}
	r.held = true
	return true, nil
}

// write takes the blocks. Where a file system cannot promise them they are written, with what
// nothing can compress.
func (r *reserve) write() error {
	f, err := os.OpenFile(r.path()+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = syscall.Fallocate(int(f.Fd()), 0, 0, reserveSize)
	if errors.Is(err, syscall.EOPNOTSUPP) {
		_, err = io.CopyN(f, rand.Reader, reserveSize)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), r.path())
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// free returns what this user may still use of the file system below. Some do not count inodes.
func (r *reserve) free() (bytes, inodes int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(r.dir, &s); err != nil {
		return 0, 0, false
	}
	inodes = int64(s.Ffree)
	if s.Files == 0 {
		inodes = lowInodes
	}
	return int64(s.Bavail) * s.Bsize, inodes, true
}

func (r *reserve) path() string { return filepath.Join(r.dir, ReserveFile) }
