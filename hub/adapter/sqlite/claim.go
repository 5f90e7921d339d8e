package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"berth/core/fault"
	"berth/hub/flock"
)

// LockFile is beside the database; whoever holds the lock on it has the database alone.
const LockFile = "berth.lock"

// Claim takes the database below dir for this process, until release is called or the process
// ends, however it ends. The directory is made when it is missing. Faults: Conflict "store.in_use"
// when another server has it, Unavailable "store.open".
func Claim(ctx context.Context, dir string) (release func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, openFault(dir, err)
	}
	release, err = flock.Hold(ctx, filepath.Join(dir, LockFile))
	switch {
	case err == nil:
		return release, nil
	case errors.Is(err, flock.ErrHeld):
		return nil, fault.New(fault.Conflict, "store.in_use",
			"Another server is running on the database in %s. Stop that one first, or give this one a DATA_DIR of its own; nothing was changed.", dir)
	case ctx.Err() != nil:
		return nil, err
	}
	return nil, openFault(dir, err)
}
