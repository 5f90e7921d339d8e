package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// disk is where the journal lies. Tests hand in one that fails.
type disk interface {
	// read returns the whole file at path.
	read(path string) ([]byte, error)
	// create opens an empty file for writing at path, in place of what was there.
	create(path string) (file, error)
	// appendTo opens the file at path for appending after its first size bytes.
	appendTo(path string, size int64) (file, error)
	// rename moves a file over another and makes the move durable.
	rename(from, to string) error
}

// file is an open file of the journal.
type file interface {
	io.Writer
	Sync() error
	Close() error
}

// osDisk is the real one.
type osDisk struct{}

func (osDisk) read(path string) ([]byte, error) { return os.ReadFile(path) }

func (osDisk) create(path string) (file, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
}

func (osDisk) appendTo(path string, size int64) (file, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(size); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.Seek(size, io.SeekStart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (osDisk) rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// reserveSize is the disk space that is kept for results, in bytes.
const reserveSize = 128 << 10

// keepReserve makes sure that the reserve exists. Without room for it there is none for
// another command either.
func keepReserve(path string) error {
	if stat, err := os.Stat(path); err == nil && stat.Size() == reserveSize {
		return nil
	}
	if err := os.WriteFile(path, make([]byte, reserveSize), 0o600); err != nil {
		os.Remove(path)
		return fmt.Errorf("reserve disk space for results: %w", err)
	}
	return nil
}

// giveReserve frees the reserve when err says that the disk is full, and reports
// whether that made room.
func giveReserve(path string, err error) bool {
	return diskFull(err) && os.Remove(path) == nil
}

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// setAside keeps a copy of a damaged journal for a person to look at.
func setAside(path string, data []byte) (string, error) {
	aside := path + ".damaged"
	if err := os.WriteFile(aside, data, 0o600); err != nil {
		return "", fmt.Errorf("keep a copy of the damaged journal: %w", err)
	}
	return aside, nil
}
