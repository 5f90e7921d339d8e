package git

import (
	"context"

	"berth/core/fault"
	"berth/hub/flock"
)

// Claim takes the folder of mirrors for this process, until release is called or the process ends: one that
// opens it removes what it takes for left over, which may be what another one is fetching. The folder is made
// when it is missing. Faults: Conflict "git.workspace_in_use", Unavailable "git.workspace".
func Claim(ctx context.Context, dir string) (release func() error, err error) {
	return flock.Folder(ctx, dir, fault.New(fault.Conflict, "git.workspace_in_use",
		"Another server is running with the Git mirrors in %s. Stop that one first, or give this one a DATA_DIR, or REPOS_WORKSPACE, of its own; nothing was changed.", dir),
		noWorkspace)
}
