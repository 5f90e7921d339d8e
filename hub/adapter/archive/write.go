package archive

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"filippo.io/age"

	"berth/core/backups"
	"berth/core/seal"
)

const (
	headName     = "head.json"
	manifestName = "manifest.json"
)

// Archive writes archives under a SECRET_KEY and a key ring, and reads those of that key, and of the one before it.
type Archive struct {
	key, previous seal.SecretKey
	ring          *seal.Ring
}

// New returns an Archive; previous may be zero.
func New(key, previous seal.SecretKey, ring *seal.Ring) *Archive {
	return &Archive{key: key, previous: previous, ring: ring}
}

// Adder takes a member: size bytes of content.
type Adder = func(name string, size int64, content io.Reader) error

// Write writes an archive. fill gives it the members, the database first.
func (a *Archive) Write(to io.Writer, head backups.Head, fill func(Adder) error) (err error) {
	sealed, err := age.Encrypt(to, sealer{a.key, a.ring})
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	packed, err := gzip.NewWriterLevel(sealed, gzip.BestSpeed)
	if err != nil {
		return err
	}
	w := writer{tar: tar.NewWriter(packed), at: head.MadeAt}
	err = w.json(headName, head)
	if err == nil {
		err = fill(w.add)
	}
	if err == nil {
		err = w.json(manifestName, w.manifest)
	}
	if err != nil {
		return err // nothing is closed, so that what there is can never be taken for whole
	}
	return errors.Join(w.tar.Close(), packed.Close(), sealed.Close())
}

type writer struct {
	tar      *tar.Writer
	at       time.Time
	manifest backups.Manifest
}

func (w *writer) add(name string, size int64, content io.Reader) error {
	if err := w.begin(name, size); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w.tar, sum), io.LimitReader(content, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	w.manifest.Members = append(w.manifest.Members, backups.Member{Name: name, Size: size, SHA256: backups.Digest(sum.Sum(nil))})
	return nil
}

func (w *writer) json(name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := w.begin(name, int64(len(text))); err != nil {
		return err
	}
	_, err = w.tar.Write(text)
	return err
}

func (w *writer) begin(name string, size int64) error {
	return w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: w.at, Format: tar.FormatPAX})
}
