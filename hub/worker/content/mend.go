package content

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"berth/core"
	"berth/hub/worker/durable"
)

// Mend looks at every byte of contents that is here already, and finds what is not as it
// was announced: a crash, a failing disk or a hand may have changed it. Missing then asks for it again,
// and Build lays it out anew and puts it in the place of what is damaged. That stays until then: another
// stack's container may mount it, and could not be started without it. It returns the sources of the
// contents that are damaged. The caller holds contents.
//
// A container that mounts a damaged content keeps what it has until it is started again.
func (s *Store) Mend(ctx context.Context, contents []core.Content) (damaged []string, err error) {
	s.mending.Lock()
	defer s.mending.Unlock()
	for _, c := range contents {
		found, err := s.mend(ctx, c)
		if err != nil {
			return damaged, fmt.Errorf("look at the content of %s: %w", c.Source, err)
		}
		if found {
			damaged = append(damaged, c.Source)
		}
	}
	return damaged, nil
}

func (s *Store) mend(ctx context.Context, c core.Content) (damaged bool, err error) {
	dir := path.Join(contentDir, c.Digest)
	if _, err := s.root.Lstat(dir); err == nil {
		if s.intact(ctx, dir, c) {
			s.mark(c.Digest, false)
			return false, nil
		}
		damaged = true
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s.mark(c.Digest, damaged)
	for _, f := range c.Files {
		if s.hasBlob(f) && !s.sound(ctx, blobPath(f.Digest), f) {
			if err := errors.Join(ctx.Err(), s.root.Remove(blobPath(f.Digest))); err != nil {
				return damaged, err
			}
		}
	}
	return damaged, nil
}

// intact reports whether a folder holds the files of c, all of them as announced, and nothing else.
func (s *Store) intact(ctx context.Context, dir string, c core.Content) bool {
	expected := map[string]bool{dir: true}
	for _, f := range c.Files {
		name := path.Join(dir, f.Path)
		if !s.sound(ctx, name, f) {
			return false
		}
		for ; !expected[name]; name = path.Dir(name) {
			expected[name] = true
		}
	}
	found := 0
	err := fs.WalkDir(s.root.FS(), dir, func(name string, _ fs.DirEntry, err error) error {
		if err == nil && !expected[name] {
			err = ErrDamaged
		}
		found++
		return err
	})
	return err == nil && found == len(expected)
}

// sound reports whether the file at name has the bytes and the mode that f announces.
func (s *Store) sound(ctx context.Context, name string, f core.ContentFile) bool {
	stat, err := s.root.Lstat(name)
	if err != nil || ctx.Err() != nil || !stat.Mode().IsRegular() || stat.Size() != f.Size {
		return false
	}
	if laidOut := path.Dir(path.Dir(name)) != blobsDir; laidOut && stat.Mode().Perm() != modeOf(f) {
		return false
	}
	file, err := s.root.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return err == nil && hex.EncodeToString(sum.Sum(nil)) == f.Digest
}

// modeOf is the mode of a file that is laid out.
func modeOf(f core.ContentFile) fs.FileMode {
	if f.Executable {
		return 0o555
	}
	return 0o444
}

// mark notes whether what stands in a content's place is damaged.
func (s *Store) mark(digest string, damaged bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if damaged {
		s.damaged[digest] = true
	} else {
		delete(s.damaged, digest)
	}
}

func (s *Store) isDamaged(digest string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.damaged[digest]
}

// replace puts a sound copy in the place of a damaged content, unless another command has.
func (s *Store) replace(digest, sound string) error {
	s.mending.Lock()
	defer s.mending.Unlock()
	dir, aside := path.Join(contentDir, digest), durable.Temp(contentDir)
	if s.built(digest) {
		return s.root.RemoveAll(sound)
	}
	if err := s.root.Rename(dir, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.root.Rename(sound, dir); err != nil {
		back := s.root.Rename(aside, dir)
		return errors.Join(err, back)
	}
	s.mark(digest, false)
	return s.root.RemoveAll(aside)
}

// removeWhole removes a folder so that a crash leaves it as it was, or not at all.
func (s *Store) removeWhole(name string) error {
	aside := durable.Temp(contentDir)
	if err := s.root.Rename(name, aside); err != nil {
		return err
	}
	return s.root.RemoveAll(aside)
}
