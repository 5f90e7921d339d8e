// Package revisionfiles owns the files of revisions below STACKS_STORAGE_PATH: the
// rendered Compose file of each revision, and the repository content that it mounts,
// stored once by digest.
//
//	<stack id>/<number>/compose.yaml   rendered, secrets as ${NAME}
//	blobs/<aa>/<sha-256>               one file's bytes
//
// A file is complete and on disk before its name appears, so whoever finds it may trust
// it. What no revision needs any more is swept, see sweep.go. The package must not know the
// store or what a stack is. With several hubs on one database the same files are in its rows: Shared.
// Start with Files.
package revisionfiles

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"berth/core"
	"berth/core/fault"
)

// maxCompose bounds a rendered Compose file, in bytes.
const maxCompose = 1 << 20

// composeName is the file of a revision that holds its rendered Compose file.
const composeName = "compose.yaml"

var errBlobMissing = fault.New(fault.NotFound, "revision.blob_missing",
	"The content of a file that this revision mounts is not stored any more. Sync the stack to store it again.")

func composeMissing(number int) *fault.Error {
	return fault.New(fault.NotFound, "revision.compose_missing",
		"The rendered Compose file of revision %d is not stored any more. Sync the stack to render it again.", number)
}

func damaged(path string) *fault.Error {
	return fault.New(fault.Unavailable, "revision.damaged",
		"The file %s does not hold what was stored in it: the disk has damaged it. Check the disk, delete the file, and redeploy the stack that mounts it, which stores it again.", path)
}

func tooLarge(compose []byte) error {
	return fault.New(fault.TooLarge, "revision.too_large", "The rendered Compose file has %d bytes; at most %d are stored.", len(compose), maxCompose)
}

// Files is the storage below one directory.
type Files struct {
	dir string

	mu    sync.Mutex
	round int            // number of sweeps that have begun; guarded by mu
	fresh map[string]int // paths that were stored, and in which round; guarded by mu
}

// Open makes the directory when it is missing. Unavailable "revision.storage" names it.
func Open(dir string) (*Files, error) {
	if err := os.MkdirAll(filepath.Join(dir, "blobs"), 0o700); err != nil {
		return nil, storageFault(err)
	}
	return &Files{dir: dir, fresh: map[string]int{}}, nil
}

// PutBlob stores content under its digest; one that is there already is left alone, unless the disk has damaged it.
func (f *Files) PutBlob(_ context.Context, digest string, content []byte) error {
	sum := sha256.Sum256(content)
	if hex.EncodeToString(sum[:]) != digest {
		return fmt.Errorf("revision files: content does not have digest %s", digest)
	}
	path := f.blobPath(digest)
	return f.place(path, func() error {
		if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, content) {
			return nil
		}
		return f.writeDurably(path, content)
	})
}

// OpenBlob opens the content with this digest. NotFound "revision.blob_missing".
func (f *Files) OpenBlob(digest string) (io.ReadCloser, error) {
	if !validDigest(digest) {
		return nil, fault.New(fault.Invalid, "revision.digest", "A digest is 64 hexadecimal characters.")
	}
	file, err := os.Open(f.blobPath(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errBlobMissing.Because(err)
	}
	if err != nil {
		return nil, storageFault(err)
	}
	return file, nil
}

// PutCompose stores the rendered Compose file of a revision. A revision never changes: a
// file left by an attempt that did not end is replaced.
func (f *Files) PutCompose(_ context.Context, stack core.StackID, number int, compose []byte) error {
	if len(compose) > maxCompose {
		return tooLarge(compose)
	}
	path := f.composePath(stack, number)
	return f.place(path, func() error { return f.writeDurably(path, compose) })
}

// Compose returns the rendered Compose file of a revision. NotFound "revision.compose_missing".
func (f *Files) Compose(stack core.StackID, number int) ([]byte, error) {
	content, err := os.ReadFile(f.composePath(stack, number))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, composeMissing(number).Because(err)
	}
	if err != nil {
		return nil, storageFault(err)
	}
	return content, nil
}

// RemoveStack deletes the rendered files of a stack; blobs stay, other revisions may use them.
func (f *Files) RemoveStack(_ context.Context, stack core.StackID) error {
	if !core.ValidID(core.PrefixStack, string(stack)) {
		return fmt.Errorf("revision files: %q is no stack", stack)
	}
	return os.RemoveAll(filepath.Join(f.dir, string(stack)))
}

func (f *Files) blobPath(digest string) string {
	return filepath.Join(f.dir, "blobs", digest[:2], digest)
}

func (f *Files) composePath(stack core.StackID, number int) string {
	return filepath.Join(f.dir, string(stack), strconv.Itoa(number), composeName)
}

func validDigest(digest string) bool {
	_, err := hex.DecodeString(digest)
	return err == nil && len(digest) == 2*sha256.Size
}

// writeDurably puts content at path so that after a crash there is all of it or nothing.
func (f *Files) writeDurably(path string, content []byte) error {
	dir := filepath.Dir(path)
	temp, err := f.createTemp(dir)
	if err != nil {
		return storageFault(err)
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(content)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		return storageFault(err)
	}
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func storageFault(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fault.New(fault.Unavailable, "store.disk_full",
			"The server's disk is full, so the files of a revision cannot be stored. Free some space below STACKS_STORAGE_PATH.").Because(err)
	}
	return fault.New(fault.Unavailable, "revision.storage",
		"The files of a revision cannot be stored. Check the space and the permissions of STACKS_STORAGE_PATH.").Because(err)
}
