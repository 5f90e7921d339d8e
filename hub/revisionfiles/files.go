// Package revisionfiles owns the files of revisions below STACKS_STORAGE_PATH: the
// rendered Compose file of each revision, and the repository content that it mounts,
// stored once by digest.
//
//	<stack id>/<number>/compose.yaml   rendered, secrets as ${NAME}
//	blobs/<aa>/<sha-256>               one file's bytes
//
// A file is complete and on disk before its name appears, so whoever finds it may trust
// it. The package must not know the store or what a stack is. Start with Files.
package revisionfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"berth/core"
	"berth/core/fault"
)

// maxCompose bounds a rendered Compose file, in bytes.
const maxCompose = 1 << 20

// Files is the storage below one directory.
type Files struct{ dir string }

// Open makes the directory when it is missing. Unavailable "revision.storage" names it.
func Open(dir string) (*Files, error) {
	if err := os.MkdirAll(filepath.Join(dir, "blobs"), 0o700); err != nil {
		return nil, storageFault(err)
	}
	return &Files{dir: dir}, nil
}

// PutBlob stores content under its digest; one that is there already is left alone.
func (f *Files) PutBlob(digest string, content []byte) error {
	sum := sha256.Sum256(content)
	if hex.EncodeToString(sum[:]) != digest {
		return fmt.Errorf("revision files: content does not have digest %s", digest)
	}
	path := f.blobPath(digest)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	return writeDurably(path, content)
}

// OpenBlob opens the content with this digest. NotFound "revision.blob_missing".
func (f *Files) OpenBlob(digest string) (io.ReadCloser, error) {
	if !validDigest(digest) {
		return nil, fault.New(fault.Invalid, "revision.digest", "A digest is 64 hexadecimal characters.")
	}
	file, err := os.Open(f.blobPath(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "revision.blob_missing",
			"The content of a file that this revision mounts is not stored any more. Sync the stack to store it again.").Because(err)
	}
	if err != nil {
		return nil, storageFault(err)
	}
	return file, nil
}

// PutCompose stores the rendered Compose file of a revision. A revision never changes: a
// file left by an attempt that did not end is replaced.
func (f *Files) PutCompose(stack core.StackID, number int, compose []byte) error {
	if len(compose) > maxCompose {
		return fault.New(fault.TooLarge, "revision.too_large", "The rendered Compose file has %d bytes; at most %d are stored.", len(compose), maxCompose)
	}
	return writeDurably(f.composePath(stack, number), compose)
}

// Compose returns the rendered Compose file of a revision. NotFound "revision.compose_missing".
func (f *Files) Compose(stack core.StackID, number int) ([]byte, error) {
	content, err := os.ReadFile(f.composePath(stack, number))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "revision.compose_missing",
			"The rendered Compose file of revision %d is not stored any more. Sync the stack to render it again.", number).Because(err)
	}
	if err != nil {
		return nil, storageFault(err)
	}
	return content, nil
}

// RemoveStack deletes the rendered files of a stack; blobs stay, other revisions may use them.
func (f *Files) RemoveStack(stack core.StackID) error {
	if !core.ValidID(core.PrefixStack, string(stack)) {
		return fmt.Errorf("revision files: %q is no stack", stack)
	}
	return os.RemoveAll(filepath.Join(f.dir, string(stack)))
}

func (f *Files) blobPath(digest string) string {
	return filepath.Join(f.dir, "blobs", digest[:2], digest)
}

func (f *Files) composePath(stack core.StackID, number int) string {
	return filepath.Join(f.dir, string(stack), strconv.Itoa(number), "compose.yaml")
}

func validDigest(digest string) bool {
	_, err := hex.DecodeString(digest)
	return err == nil && len(digest) == 2*sha256.Size
}

// writeDurably puts content at path so that after a crash there is all of it or nothing.
func writeDurably(path string, content []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return storageFault(err)
	}
	temp, err := os.CreateTemp(dir, ".new-*")
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
	return fault.New(fault.Unavailable, "revision.storage",
		"The files of a revision cannot be stored. Check the space and the permissions of STACKS_STORAGE_PATH.").Because(err)
}
