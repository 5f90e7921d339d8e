package content

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"berth/core"
	"berth/hub/worker/durable"
)

// Build makes each of contents complete on the disk. Every blob must be here; the
// caller holds contents. What exists already is left as it is, unless Mend has found it damaged.
func (s *Store) Build(ctx context.Context, contents []core.Content) error {
	fresh := false
	for _, c := range contents {
		if s.built(c.Digest) {
			continue
		}
		if err := s.build(ctx, c); err != nil {
			return fmt.Errorf("lay out %s: %w", c.Source, err)
		}
		fresh = true
	}
	if !fresh {
		return nil
	}
	return durable.SyncDir(s.root, contentDir)
}

// built reports whether a content is in its place and not known to be damaged.
func (s *Store) built(digest string) bool {
	if s.isDamaged(digest) {
		return false
	}
	stat, err := s.root.Lstat(path.Join(contentDir, digest))
	return err == nil && stat.IsDir()
}

func (s *Store) build(ctx context.Context, c core.Content) error {
	temp := durable.Temp(contentDir)
	err := s.fill(ctx, temp, c)
	if err == nil {
		err = s.settle(temp, c.Digest)
	}
	if err == nil {
		return nil
	}
	err = errors.Join(err, s.root.RemoveAll(temp))
	if s.built(c.Digest) {
		return nil // another command built the same one at the same time
	}
	return err
}

// settle moves a content that is laid out to where it counts.
func (s *Store) settle(temp, digest string) error {
	if s.isDamaged(digest) {
		return s.replace(digest, temp)
	}
	return s.root.Rename(temp, path.Join(contentDir, digest))
}

func (s *Store) fill(ctx context.Context, dir string, c core.Content) error {
	if err := s.mkdir(dir); err != nil {
		return err
	}
	made := map[string]bool{".": true}
	for _, f := range c.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !fs.ValidPath(f.Path) || f.Path == "." {
			return fmt.Errorf("the path %q leaves its folder", f.Path)
		}
		if err := s.mkdirs(dir, path.Dir(f.Path), made); err != nil {
			return err
		}
		if err := s.placeFile(path.Join(dir, f.Path), f); err != nil {
			return err
		}
	}
	for sub := range made { // before the rename that makes all of it count
		if err := durable.SyncDir(s.root, path.Join(dir, sub)); err != nil {
			return err
		}
	}
	return nil
}

// mkdirs makes the folders of sub below dir, one by one, so that each gets its mode.
func (s *Store) mkdirs(dir, sub string, made map[string]bool) error {
	if made[sub] {
		return nil
	}
	if err := s.mkdirs(dir, path.Dir(sub), made); err != nil {
		return err
	}
	made[sub] = true
	return s.mkdir(path.Join(dir, sub))
}

// placeFile links the blob, or copies it where its mode differs or links do not exist.
func (s *Store) placeFile(name string, f core.ContentFile) error {
	if f.Executable {
		return s.copyBlob(name, f.Digest, modeOf(f))
	}
	err := s.root.Link(blobPath(f.Digest), name)
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.copyBlob(name, f.Digest, modeOf(f))
}

func (s *Store) copyBlob(name, digest string, mode fs.FileMode) error {
	from, err := s.root.Open(blobPath(digest))
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := s.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err == nil {
		err = errors.Join(to.Chmod(mode), to.Sync())
	}
	return errors.Join(err, to.Close())
}
