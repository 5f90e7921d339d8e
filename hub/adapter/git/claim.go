package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"berth/core/fault"
	"berth/hub/flock"
)

// lockFile is beside the mirrors; whoever holds the lock on it has them alone.
const lockFile = "berth.lock"

// Claim takes the folder of mirrors for this process, until release is called or the process ends: one that
// opens it removes what it takes for left over, which may be what another one is fetching. The folder is made
// when it is missing. Faults: Conflict "git.workspace_in_use", Unavailable "git.workspace".
func Claim(ctx context.Context, dir string) (release func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, noWorkspace(dir, err)
	}
	release, err = flock.Hold(ctx, filepath.Join(dir, lockFile))
	switch {
	case err == nil:
		return release, nil
	case errors.Is(err, flock.ErrHeld):
		return nil, fault.New(fault.Conflict, "git.workspace_in_use",
			"Another server is running with the Git mirrors in %s. Stop that one first, or give this one a DATA_DIR, or REPOS_WORKSPACE, of its own; nothing was changed.", dir)
	case ctx.Err() != nil:
		return nil, err
	}
	return nil, noWorkspace(dir, err)
}
