// Package flock keeps what is on disk for one process at a time: by a lock on a file that ends with the
// process, however that ends.
//
// It must not know what the file stands for. Start with Hold.
package flock

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// ErrHeld says that another process holds the lock.
var ErrHeld = errors.New("another process holds the lock")

// Patience is how long Hold waits for a process that is just ending.
const Patience = 3 * time.Second

// Hold makes the file at path when it is missing, and locks it until release is called. The file stays: a lock
// on a file that was removed would keep nobody away.
func Hold(ctx context.Context, path string) (release func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(ctx, f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		// A child between its fork and its exec has the file open as well; closing alone would leave
		// the lock with it.
		return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
	}, nil
}

// lock tries until Patience is over.
func lock(ctx context.Context, f *os.File) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		held := errors.Is(err, syscall.EWOULDBLOCK)
		switch {
		case held && time.Since(began) > Patience:
			return ErrHeld
		case !held:
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
