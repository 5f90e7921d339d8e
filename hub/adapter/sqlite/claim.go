package sqlite

import (
	"context"

	"berth/core/fault"
	"berth/hub/flock"
)

// Claim takes the database below dir for this process, until release is called or the process
// ends, however it ends. The directory is made when it is missing. Faults: Conflict "store.in_use"
// when another server has it, Unavailable "store.open".
func Claim(ctx context.Context, dir string) (release func() error, err error) {
	return flock.Folder(ctx, dir, fault.New(fault.Conflict, "store.in_use",
		"Another server is running on the database in %s. Stop that one first, or give this one a DATA_DIR of its own; nothing was changed.", dir),
		openFault)
}
