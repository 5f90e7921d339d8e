// Package durable owns the one way in which a worker replaces a small file: whole or
// not at all, whatever happens meanwhile. It knows nothing of what the files mean.
package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// TempPrefix begins the names of files that are being written. What carries it after a
// crash belongs to nobody.
const TempPrefix = ".new-"

// Temp returns a fresh name for something that will be moved into dir.
func Temp(dir string) string { return path.Join(dir, TempPrefix+rand.Text()) }

// IsTemp reports whether name was made by Temp.
func IsTemp(name string) bool { return strings.HasPrefix(path.Base(name), TempPrefix) }

// Write replaces the file name below root by data. After a crash the old or the new
// content is there; once Write has returned nil, the new one is.
func Write(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	temp := Temp(path.Dir(name))
	err := writeTemp(root, temp, data, mode)
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		root.Remove(temp)
		return fmt.Errorf("write %s: %w", name, err)
	}
	return SyncDir(root, path.Dir(name))
}

func writeTemp(root *os.Root, temp string, data []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode) // whatever the umask took away
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// SyncDir makes what was created, renamed or removed in a folder durable.
func SyncDir(root *os.Root, dir string) error {
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// RemoveTemps deletes what a crash left half written in dir. A folder that does not
// exist holds nothing.
func RemoveTemps(root *os.Root, dir string) error {
	entries, err := fs.ReadDir(root.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if IsTemp(entry.Name()) {
			err = errors.Join(err, root.RemoveAll(path.Join(dir, entry.Name())))
		}
	}
	return err
}
