package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"

	"berth/core/backups"
	"berth/core/fault"
	"berth/core/seal"
)

// Bounds of what an archive says about itself, in bytes.
const (
	maxHead     = 64 << 10
	maxManifest = 1 << 30
	free        = 64 << 20 // of content that an archive may hold, however small it is
)

// Head reads what an archive is, and no more of it. Faults: Invalid "backup.damaged", Conflict "backup.other_key".
func (a *Archive) Head(from io.Reader) (backups.Head, error) {
	r, err := a.open(from)
	if err != nil {
		return backups.Head{}, err
	}
	return r.head()
}

// Read reads a whole archive and passes its members on. What was passed on may be trusted only when Read returns nil:
// then every byte was authenticated, and the members are those of the manifest. Faults as Head; what keep returns
// comes back as it is.
func (a *Archive) Read(from io.Reader, keep func(member backups.Member, content io.Reader) error) (backups.Head, error) {
	r, err := a.open(from)
	if err != nil {
		return backups.Head{}, err
	}
	head, err := r.head()
	if err != nil {
		return head, err
	}
	return head, r.members(keep)
}

type reader struct {
	tar    *tar.Reader
	packed *gzip.Reader
	plain  *bufio.Reader // what packed reads
	raw    *counter      // bytes of the archive
	sum    int64         // bytes of content so far
}

func (a *Archive) open(from io.Reader) (*reader, error) {
	raw := &counter{from: from}
	plain, err := age.Decrypt(raw, keyring{a.key, a.previous})
	var wrong *seal.WrongKeyError
	switch {
	case errors.As(err, &wrong):
		return nil, fault.New(fault.Conflict, "backup.other_key",
			"The backup was made under another SECRET_KEY: the check value of this server's is %s, the backup's is %s. Start this server once more with that key as SECRET_KEY_PREVIOUS, beside its own SECRET_KEY, and restore it then. Nothing was changed.", wrong.Given, wrong.Stored)
	case err != nil:
		return nil, bad(err)
	}
	buffered := bufio.NewReader(plain) // gzip takes not a byte too much of it
	packed, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, bad(err)
	}
	packed.Multistream(false)
	return &reader{tar: tar.NewReader(packed), packed: packed, plain: buffered, raw: raw}, nil
}

// counter counts what was read.
type counter struct {
	from io.Reader
	n    int64
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += int64(n)
	return n, err
}

// bad is the fault for what is no archive, or no whole one.
func bad(err error) error {
	if fault.CodeOf(err) != "" && !fault.Is(err, fault.Internal) {
		return err
	}
	return backups.Damaged("it breaks off, was changed, or is no backup of Berth").Because(fmt.Errorf("archive: %w", err))
}

func (r *reader) head() (head backups.Head, err error) {
	h, err := r.tar.Next()
	if err != nil {
		return head, bad(err)
	}
	if h.Name != headName || h.Size > maxHead {
		return head, backups.Damaged("it does not begin with its head")
	}
	return head, r.json(&head)
}

func (r *reader) json(into any) error {
	text, err := io.ReadAll(r.tar)
	if err != nil {
		return bad(err)
	}
	if json.Unmarshal(text, into) != nil {
		return backups.Damaged("what it says about itself cannot be read")
	}
	return nil
}

func (r *reader) members(keep func(backups.Member, io.Reader) error) error {
	var found []backups.Member
	for {
		h, err := r.tar.Next()
		if err != nil {
			return bad(err)
		}
		if h.Name == manifestName && h.Typeflag == tar.TypeReg && h.Size <= maxManifest {
			return r.end(found)
		}
		m := backups.Member{Name: h.Name, Size: h.Size}
		if _, fine := backups.RevisionFile(m); !fine || h.Typeflag != tar.TypeReg || (m.Name == backups.Database) != (len(found) == 0) || len(found) == backups.MaxMembers {
			return backups.Damaged("it holds something that has no place in a backup")
		}
		if m.SHA256, err = r.member(m, keep); err != nil {
			return err
		}
		found = append(found, m)
	}
}

// member passes one member on and returns its digest.
func (r *reader) member(m backups.Member, keep func(backups.Member, io.Reader) error) (string, error) {
	sum := sha256.New()
	content := &measured{from: io.TeeReader(r.tar, sum), r: r}
	err := keep(m, content)
	if err == nil {
		_, err = io.Copy(io.Discard, content)
	}
	if content.err != nil { // whatever keep made of it
		return "", bad(content.err)
	}
	return backups.Digest(sum.Sum(nil)), err
}

// measured stops what grows out of proportion to the archive that it comes from.
type measured struct {
	from io.Reader
	r    *reader
	err  error
}

// Read implements io.Reader.
func (m *measured) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	m.r.sum += int64(n)
	if m.r.sum > free+m.r.raw.n*backups.MaxRatio {
		err = backups.Damaged("it would unpack to far more than a backup does")
	}
	if err != nil && err != io.EOF {
		m.err = err
	}
	return n, err
}

// end reads the manifest and what is behind it, which must be nothing.
func (r *reader) end(found []backups.Member) error {
	var manifest backups.Manifest
	if err := r.json(&manifest); err != nil {
		return err
	}
	if _, err := r.tar.Next(); err != io.EOF {
		return bad(errors.Join(errors.New("something follows the manifest"), err))
	}
	rest, err := io.Copy(io.Discard, r.packed) // reads the checksum of gzip
	if err != nil {
		return bad(err)
	}
	if _, more := r.plain.ReadByte(); rest > 0 || more != io.EOF {
		return bad(errors.Join(errors.New("something follows the archive"), more))
	}
	return manifest.Check(found)
}
