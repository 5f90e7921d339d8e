package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"berth/core/fault"
)

// LockFile is beside the database; whoever holds the lock on it has the database alone.
const LockFile = "berth.lock"

// claimTime is how long Claim waits for a server that is just ending.
const claimTime = 3 * time.Second

// Claim takes the database below dir for this process, until release is called or the process
// ends, however it ends. The directory is made when it is missing. Faults: Conflict "store.in_use"
// when another server has it, Unavailable "store.open".
func Claim(ctx context.Context, dir string) (release func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, openFault(dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, LockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, openFault(dir, err)
	}
	err = lock(ctx, f)
	switch {
	case err == nil:
		return f.Close, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = fault.New(fault.Conflict, "store.in_use",
			"Another server is running on the database in %s. Stop that one first, or give this one a DATA_DIR of its own; nothing was changed.", dir)
	case ctx.Err() == nil:
		err = openFault(dir, err)
	}
	f.Close()
	return nil, err
}

// lock tries until claimTime is over.
func lock(ctx context.Context, f *os.File) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) || time.Since(began) > claimTime {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
