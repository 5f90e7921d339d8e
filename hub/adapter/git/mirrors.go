package git

import (
	"os"
	"strings"

	"berth/core"
)

// mirrorSuffix ends the names of mirrors' folders.
const mirrorSuffix = ".git"

// Mirrors returns the repositories of which there is a mirror on disk, in order. Those that nobody
// has any more, say since a crash, can be given to Forget.
func (r *Remote) Mirrors() ([]core.RepositoryID, error) {
	entries, err := os.ReadDir(r.root)
	if err != nil {
		return nil, noWorkspace(r.root, err)
	}
	var all []core.RepositoryID
	for _, e := range entries {
		name, is := strings.CutSuffix(e.Name(), mirrorSuffix)
		if is && core.ValidID(core.PrefixRepository, name) {
			all = append(all, core.RepositoryID(name))
		}
	}
	return all, nil
}
