package revisionfiles

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"berth/core"
)

// sweepAge is how long a file stays that no revision names: the revision that it was stored for may
// be on its way.
const sweepAge = time.Hour

// newPrefix begins the names of files that are being written.
const newPrefix = ".new-"

// Keep is told each revision that is kept, with the content that it mounts.
type Keep = func(stack core.StackID, number int, content []core.Content)

// Sweep removes the files that no revision needs any more. each tells all revisions that are
// kept. What was stored since the sweep before this one began stays, and so does what is
// younger than an hour, so that a deployment that is storing its files right now, on a clock that jumps or
// not, loses none. Others may store and read meanwhile.
func (f *Files) Sweep(ctx context.Context, each func(Keep) error) (removed int, err error) {
	f.newRound()
	kept := kept{stacks: map[core.StackID]map[string]bool{}, blobs: map[string]bool{}}
	if err := each(kept.add); err != nil {
		return 0, err
	}
	s := &sweep{f: f, ctx: ctx, kept: kept, before: time.Now().Add(-sweepAge)}
	return s.run()
}

// kept is what stays.
type kept struct {
	stacks map[core.StackID]map[string]bool // folders of revisions
	blobs  map[string]bool                  // digests
}

func (k kept) add(stack core.StackID, number int, content []core.Content) {
	if k.stacks[stack] == nil {
		k.stacks[stack] = map[string]bool{}
	}
	k.stacks[stack][strconv.Itoa(number)] = true
	for _, c := range content {
		for _, file := range c.Files {
			k.blobs[file.Digest] = true
		}
	}
}

// sweep is one pass over the storage.
type sweep struct {
	f       *Files
	ctx     context.Context
	kept    kept
	before  time.Time // what is younger stays
	removed int
}

func (s *sweep) run() (int, error) {
	top, err := names(s.f.dir)
	for _, name := range top {
		if core.ValidID(core.PrefixStack, name) {
			err = errors.Join(err, s.stack(core.StackID(name)))
		}
	}
	folders, blobsErr := names(filepath.Join(s.f.dir, "blobs"))
	err = errors.Join(err, blobsErr)
	for _, folder := range folders {
		err = errors.Join(err, s.blobs(filepath.Join(s.f.dir, "blobs", folder)))
	}
	return s.removed, errors.Join(err, s.ctx.Err())
}

// stack sweeps the folders of one stack's revisions, and its own when nothing is left in it.
func (s *sweep) stack(id core.StackID) error {
	dir := filepath.Join(s.f.dir, string(id))
	numbers, err := names(dir)
	for _, number := range numbers {
		compose := filepath.Join(dir, number, composeName)
		err = errors.Join(err, s.leftovers(filepath.Dir(compose)))
		if !s.kept.stacks[id][number] {
			err = errors.Join(err, s.remove(compose))
			os.Remove(filepath.Dir(compose)) // fails while anything is in it
		}
	}
	if len(s.kept.stacks[id]) == 0 {
		os.Remove(dir)
	}
	return err
}

// blobs sweeps one of the folders of content.
func (s *sweep) blobs(dir string) error {
	err := s.leftovers(dir)
	digests, listErr := names(dir)
	for _, digest := range digests {
		if validDigest(digest) && !s.kept.blobs[digest] {
			err = errors.Join(err, s.remove(filepath.Join(dir, digest)))
		}
	}
	return errors.Join(err, listErr)
}

// leftovers removes what a crash left half written.
func (s *sweep) leftovers(dir string) error {
	all, err := names(dir)
	for _, name := range all {
		if strings.HasPrefix(name, newPrefix) {
			err = errors.Join(err, s.remove(filepath.Join(dir, name)))
		}
	}
	return err
}

// remove removes one file, unless it is young or was stored meanwhile.
func (s *sweep) remove(path string) error {
	if s.ctx.Err() != nil {
		return nil
	}
	gone, err := s.f.removeOld(path, s.before)
	if gone {
		s.removed++
	}
	return err
}

// names lists a folder; one that is not there has nothing.
func names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Name()
	}
	return all, err
}
