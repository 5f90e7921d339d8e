package revisionfiles

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"berth/core"
	"berth/core/fault"
)

// Rows keeps files in a database that several hubs share.
type Rows interface {
	// PutRevisionFile stores a file. Without replace one that is there stays, and is young again.
	PutRevisionFile(ctx context.Context, name string, content []byte, replace bool) error
	// RevisionFile returns the whole of a file of at most so many bytes, as it was at one moment; NotFound when there is none.
	RevisionFile(ctx context.Context, name string, most int) ([]byte, error)
	// RevisionFilePart returns a part, from 0, and whether another follows; NotFound when there is none.
	RevisionFilePart(ctx context.Context, name string, part int) (content []byte, more bool, err error)
	// RevisionFiles lists names after one of them, in order.
	RevisionFiles(ctx context.Context, after string, limit int) ([]string, error)
	// DropRevisionFile deletes a file unless it was stored within this time.
	DropRevisionFile(ctx context.Context, name string, longer time.Duration) (gone bool, err error)
	// DropRevisionFiles deletes the files whose names begin so.
	DropRevisionFiles(ctx context.Context, prefix string) error
}

// Shared is what Files is, in a database: names are the paths that Files has.
type Shared struct{ rows Rows }

// InDatabase keeps files in rows.
func InDatabase(rows Rows) *Shared { return &Shared{rows} }

// patience is how long one of the database's answers may take.
const patience = 30 * time.Second

func within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, patience)
}

const blobFolder = "blobs/"

func composeOf(stack core.StackID, number int) string {
	return path.Join(string(stack), strconv.Itoa(number), composeName)
}

// PutBlob stores content under its digest; one that is there already is left alone.
func (s *Shared) PutBlob(ctx context.Context, digest string, content []byte) error {
	sum := sha256.Sum256(content)
	if hex.EncodeToString(sum[:]) != digest {
		return fmt.Errorf("revision files: content does not have digest %s", digest)
	}
	ctx, cancel := within(ctx)
	defer cancel()
	return s.rows.PutRevisionFile(ctx, blobFolder+digest, content, false)
}

// OpenBlob opens the content with this digest. NotFound "revision.blob_missing".
func (s *Shared) OpenBlob(digest string) (io.ReadCloser, error) {
	if !validDigest(digest) {
		return nil, fault.New(fault.Invalid, "revision.digest", "A digest is 64 hexadecimal characters.")
	}
	r := &parts{rows: s.rows, name: blobFolder + digest}
	if err := r.fetch(); err != nil {
		return nil, err
	}
	return r, nil
}

// parts reads content part by part. What has the same digest is the same, so one that is stored anew
// meanwhile does no harm; one that is gone is an error, and never the end.
type parts struct {
	rows Rows
	name string
	part int // the next one
	have []byte
	more bool
}

func (p *parts) fetch() (err error) {
	ctx, cancel := within(context.Background())
	defer cancel()
	p.have, p.more, err = p.rows.RevisionFilePart(ctx, p.name, p.part)
	if fault.Is(err, fault.NotFound) {
		return errBlobMissing.Because(err)
	}
	p.part++
	return err
}

// Read implements io.Reader.
func (p *parts) Read(to []byte) (int, error) {
	for len(p.have) == 0 {
		if !p.more {
			return 0, io.EOF
		}
		if err := p.fetch(); err != nil {
			return 0, err
		}
	}
	n := copy(to, p.have)
	p.have = p.have[n:]
	return n, nil
}

// Close implements io.Closer.
func (p *parts) Close() error { return nil }

// PutCompose stores the rendered Compose file of a revision, in place of one of an attempt that did not end.
func (s *Shared) PutCompose(ctx context.Context, stack core.StackID, number int, compose []byte) error {
	if len(compose) > maxCompose {
		return tooLarge(compose)
	}
	ctx, cancel := within(ctx)
	defer cancel()
	return s.rows.PutRevisionFile(ctx, composeOf(stack, number), compose, true)
}

// Compose returns the rendered Compose file of a revision, whole even while it is replaced. NotFound
// "revision.compose_missing".
func (s *Shared) Compose(stack core.StackID, number int) ([]byte, error) {
	ctx, cancel := within(context.Background())
	defer cancel()
	compose, err := s.rows.RevisionFile(ctx, composeOf(stack, number), maxCompose)
	if fault.Is(err, fault.NotFound) {
		return nil, composeMissing(number).Because(err)
	}
	return compose, err
}

// RemoveStack deletes the rendered files of a stack; blobs stay, other revisions may use them.
func (s *Shared) RemoveStack(ctx context.Context, stack core.StackID) error {
	if !core.ValidID(core.PrefixStack, string(stack)) {
		return fmt.Errorf("revision files: %q is no stack", stack)
	}
	ctx, cancel := within(ctx)
	defer cancel()
	return s.rows.DropRevisionFiles(ctx, string(stack)+"/")
}

// sweepNames is how many names are read at once.
const sweepNames = 500

// Sweep removes the files that no revision needs any more and that were not stored within the last
// hour, by the database's clock: a revision that is on its way may need those.
func (s *Shared) Sweep(ctx context.Context, each func(Keep) error) (removed int, err error) {
	kept := newKept()
	if err := each(kept.add); err != nil {
		return 0, err
	}
	for after := ""; ; {
		names, listErr := s.rows.RevisionFiles(ctx, after, sweepNames)
		if listErr != nil {
			return removed, errors.Join(err, listErr)
		}
		for _, name := range names {
			after = name
			if kept.needs(name) {
				continue
			}
			gone, dropErr := s.rows.DropRevisionFile(ctx, name, sweepAge)
			if gone {
				removed++
			}
			err = errors.Join(err, dropErr)
		}
		if len(names) < sweepNames || ctx.Err() != nil {
			return removed, errors.Join(err, ctx.Err())
		}
	}
}

// needs reports whether a revision needs the file of this name.
func (k *kept) needs(name string) bool {
	if digest, ok := strings.CutPrefix(name, blobFolder); ok {
		return k.blob(digest)
	}
	stack, rest, _ := strings.Cut(name, "/")
	number, _, _ := strings.Cut(rest, "/")
	return k.compose(core.StackID(stack), number)
}
