package content

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path"

	"berth/core"
	"berth/hub/worker/durable"
)

// Want names a blob that the store lacks.
type Want struct {
	Digest string // hex SHA-256
	Size   int64  // bytes, as announced
}

// ErrDamaged says that a blob's bytes are not what its name promises.
var ErrDamaged = errors.New("the content does not match its digest or size")

func blobPath(digest string) string { return path.Join(blobsDir, digest[:2], digest) }

// Hold keeps the blobs of contents from being collected until release is called.
func (s *Store) Hold(contents []core.Content) (release func()) {
	s.hold(contents, 1)
	return func() { s.hold(contents, -1) }
}

func (s *Store) hold(contents []core.Content, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range contents {
		for _, f := range c.Files {
			if s.held[f.Digest] += by; s.held[f.Digest] == 0 {
				delete(s.held, f.Digest)
			}
		}
	}
}

// Missing returns each blob once that is needed to build contents and is not here. The
// caller holds contents.
func (s *Store) Missing(contents []core.Content) []Want {
	var wants []Want
	asked := map[string]bool{}
	for _, c := range contents {
		if s.built(c.Digest) {
			continue
		}
		for _, f := range c.Files {
			if !asked[f.Digest] && !s.hasBlob(f) {
				asked[f.Digest] = true
				wants = append(wants, Want{f.Digest, f.Size})
			}
		}
	}
	return wants
}

func (s *Store) hasBlob(f core.ContentFile) bool {
	stat, err := s.root.Lstat(blobPath(f.Digest))
	return err == nil && stat.Mode().IsRegular() && stat.Size() == f.Size
}

// Blob is a blob on its way into the store. One goroutine owns it.
type Blob struct {
	store *Store
	want  Want
	temp  string
	file  *os.File
	sum   hash.Hash
	size  int64
}

// NewBlob begins to receive a blob. The caller ends it with Commit or Discard.
func (s *Store) NewBlob(want Want) (*Blob, error) {
	temp := durable.Temp(blobsDir)
	f, err := s.root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store content: %w", err)
	}
	return &Blob{store: s, want: want, temp: temp, file: f, sum: sha256.New()}, nil
}

// Append adds the bytes at offset, which must be where the last ones ended.
func (b *Blob) Append(offset int64, data []byte) error {
	if offset != b.size || b.size+int64(len(data)) > b.want.Size {
		return fmt.Errorf("%d bytes at %d of %d: %w", len(data), offset, b.want.Size, ErrDamaged)
	}
	n, err := b.file.Write(data)
	b.sum.Write(data[:n])
	b.size += int64(n)
	if err != nil {
		return fmt.Errorf("store content: %w", err)
	}
	return nil
}

// Commit puts the blob in its place if its bytes are what its digest promises.
func (b *Blob) Commit() error {
	if b.size != b.want.Size || hex.EncodeToString(b.sum.Sum(nil)) != b.want.Digest {
		b.Discard()
		return fmt.Errorf("blob %s: %w", b.want.Digest, ErrDamaged)
	}
	if err := b.place(); err != nil {
		b.Discard()
		return fmt.Errorf("store content: %w", err)
	}
	return nil
}

func (b *Blob) place() error {
	if err := errors.Join(b.file.Chmod(0o444), b.file.Sync(), b.file.Close()); err != nil {
		return err
	}
	if err := b.store.mkdir(path.Join(blobsDir, b.want.Digest[:2])); err != nil {
		return err
	}
	return b.store.root.Rename(b.temp, blobPath(b.want.Digest))
}

// Discard drops what was received. After Commit it changes nothing.
func (b *Blob) Discard() {
	b.file.Close()
	b.store.root.Remove(b.temp)
}
