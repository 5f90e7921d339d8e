package revisionfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"berth/core"
)

// Each is Files.Each for whoever has not opened the folder.
func Each(dir string, tell func(name string, content []byte) error) error {
	return (&Files{dir: dir}).Each(tell)
}

// Each tells every file with the name that it has in Rows. One whose content is not that of its digest
// is Unavailable "revision.damaged": it would be trusted.
func (f *Files) Each(tell func(name string, content []byte) error) error {
	top, err := names(f.dir)
	if err != nil {
		return err
	}
	for _, stack := range top {
		if !core.ValidID(core.PrefixStack, stack) {
			continue
		}
		numbers, err := names(filepath.Join(f.dir, stack))
		if err != nil {
			return err
		}
		for _, number := range numbers {
			if err := tellFile(filepath.Join(f.dir, stack, number, composeName), stack+"/"+number+"/"+composeName, tell); err != nil {
				return err
			}
		}
	}
	return f.eachBlob(tell)
}

func (f *Files) eachBlob(tell func(name string, content []byte) error) error {
	folders, err := names(filepath.Join(f.dir, "blobs"))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		digests, err := names(filepath.Join(f.dir, "blobs", folder))
		if err != nil {
			return err
		}
		for _, digest := range digests {
			if !validDigest(digest) {
				continue
			}
			if err := tellFile(f.blobPath(digest), blobFolder+digest, func(name string, content []byte) error {
				if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != digest {
					return damaged(f.blobPath(digest))
				}
				return tell(name, content)
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// tellFile tells the file at path, if there is one.
func tellFile(path, name string, tell func(string, []byte) error) error {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return storageFault(err)
	}
	return tell(name, content)
}
