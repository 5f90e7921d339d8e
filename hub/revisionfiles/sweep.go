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
	"berth/core/stacks"
)

// sweepAge is how long a file stays that no revision names: the revision that it was stored for may
// be on its way.
const sweepAge = time.Hour

// newPrefix begins the names of files that are being written.
const newPrefix = ".new-"

// Keep is told each revision that is kept.
type Keep = func(stacks.KeptRevision)

// Sweep removes the files that no revision needs any more. each tells all revisions that are
// kept. What was stored since the sweep before this one began stays, and so does what is
// younger than an hour, so that a deployment that is storing its files right now, on a clock that jumps or
// not, loses none. Others may store and read meanwhile. A stack with a revision that cannot be read keeps
// all its files, and so does everybody the content that is mounted: it may be that revision's.
func (f *Files) Sweep(ctx context.Context, each func(Keep) error) (removed int, err error) {
	f.newRound()
	kept := newKept()
	if err := each(kept.add); err != nil {
		return 0, err
	}
	s := &sweep{f: f, ctx: ctx, kept: kept, before: time.Now().Add(-sweepAge)}
	return s.run()
}

// kept is what stays.
type kept struct {
	stacks map[core.StackID]map[string]bool // folders of revisions
	whole  map[core.StackID]bool            // of which a revision cannot be read
	blobs  map[string]bool                  // digests
}

func newKept() *kept {
	return &kept{stacks: map[core.StackID]map[string]bool{}, whole: map[core.StackID]bool{}, blobs: map[string]bool{}}
}

func (k *kept) add(r stacks.KeptRevision) {
	if k.stacks[r.Stack] == nil {
		k.stacks[r.Stack] = map[string]bool{}
	}
	k.stacks[r.Stack][strconv.Itoa(r.Number)] = true
	if r.Illegible {
		k.whole[r.Stack] = true
	}
	if r.SecretsFile != "" {
		k.blobs[r.SecretsFile] = true
	}
	for _, c := range r.Content {
		for _, file := range c.Files {
			k.blobs[file.Digest] = true
		}
	}
}

// compose reports whether the rendered file of a revision stays.
func (k *kept) compose(stack core.StackID, number string) bool {
	return k.whole[stack] || k.stacks[stack][number]
}

// blob reports whether content stays.
func (k *kept) blob(digest string) bool { return len(k.whole) > 0 || k.blobs[digest] }

// sweep is one pass over the storage.
type sweep struct {
	f       *Files
	ctx     context.Context
	kept    *kept
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
		if !s.kept.compose(id, number) {
			err = errors.Join(err, s.remove(compose))
			s.f.removeEmpty(filepath.Dir(compose))
		}
	}
	if len(s.kept.stacks[id]) == 0 {
		s.f.removeEmpty(dir)
	}
	return err
}

// blobs sweeps one of the folders of content.
func (s *sweep) blobs(dir string) error {
	err := s.leftovers(dir)
	digests, listErr := names(dir)
	for _, digest := range digests {
		if validDigest(digest) && !s.kept.blob(digest) {
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
