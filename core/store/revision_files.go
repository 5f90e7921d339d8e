package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"berth/core/fault"
)

var errFileMissing = fault.New(fault.NotFound, "revision.file_missing", "There is no such file of a revision.")

// filePart bounds one row of a file, in bytes.
const filePart = 512 << 10

// PutRevisionFile stores a file under its name. Without replace one that is there stays, and counts as
// stored now: nobody takes it for old.
func (s *Store) PutRevisionFile(ctx context.Context, name string, content []byte, replace bool) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		if replace {
			if _, err := tx.exec(`DELETE FROM revision_files WHERE name = ?`, name); err != nil {
				return err
			}
		}
		return putFile(tx, name, content)
	})
}

// putFile stores a file unless there is one of this name; that one counts as stored now.
func putFile(tx *Tx, name string, content []byte) error {
	now, err := tx.clock()
	if err != nil {
		return err
	}
	there, err := tx.exec(`UPDATE revision_files SET stored_at = ? WHERE name = ?`, now, name)
	if err != nil || there > 0 {
		return err
	}
	for part := 0; part == 0 || len(content) > 0; part++ {
		piece := content[:min(len(content), filePart)]
		content = content[len(piece):]
		if _, err := tx.exec(`INSERT INTO revision_files (name, part, content, stored_at) VALUES (?, ?, ?, ?)`, name, part, append([]byte{}, piece...), now); err != nil {
			return err
		}
	}
	return nil
}

// RevisionFile returns the whole of a file that has at most this many bytes, as it was at one moment.
// NotFound "revision.file_missing".
func (s *Store) RevisionFile(ctx context.Context, name string, most int) ([]byte, error) {
	return read(ctx, s, func(tx *Tx) ([]byte, error) {
		all, err := many(tx, scalar[[]byte], `SELECT content FROM revision_files WHERE name = ? ORDER BY part LIMIT ?`, name, most/filePart+1)
		content := slices.Concat(all...)
		switch {
		case err == nil && len(all) == 0:
			err = errFileMissing
		case len(content) > most:
			err = fmt.Errorf("the file %s has more than %d bytes", name, most)
		}
		return content, err
	})
}

// RevisionFilePart returns one part of a file, numbered from 0, and whether another follows. NotFound
// "revision.file_missing".
func (s *Store) RevisionFilePart(ctx context.Context, name string, part int) (content []byte, more bool, err error) {
	content, err = read(ctx, s, func(tx *Tx) ([]byte, error) {
		return one(tx, errFileMissing, func(row scanner) (content []byte, _ error) {
			var last int
			err := row.Scan(&content, &last)
			more = part < last
			return content, err
		}, `SELECT content, (SELECT max(part) FROM revision_files WHERE name = f.name) FROM revision_files f WHERE name = ? AND part = ?`, name, part)
	})
	return content, more, err
}

// RevisionFiles lists the names of files that come after one of them, in order.
func (s *Store) RevisionFiles(ctx context.Context, after string, limit int) ([]string, error) {
	return read(ctx, s, func(tx *Tx) ([]string, error) {
		return many(tx, scalar[string], `SELECT name FROM revision_files WHERE name > ? AND part = 0 ORDER BY name LIMIT ?`, after, limit)
	})
}

// DropRevisionFile deletes a file that was stored longer ago than this; gone reports whether it was.
func (s *Store) DropRevisionFile(ctx context.Context, name string, longer time.Duration) (gone bool, err error) {
	return write(ctx, s, func(tx *Tx) (bool, error) {
		now, err := tx.clock()
		if err != nil {
			return false, err
		}
		n, err := tx.exec(`DELETE FROM revision_files WHERE name = ? AND stored_at < ?`, name, now-longer.Microseconds())
		return n > 0, err
	})
}

// DropRevisionFiles deletes every file whose name begins with this.
func (s *Store) DropRevisionFiles(ctx context.Context, prefix string) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`DELETE FROM revision_files WHERE name > ? AND name < ?`, prefix, prefix+"~") // names are plain ASCII below that
		return err
	})
}
