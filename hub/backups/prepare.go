package backups

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"berth/core/backups"
	"berth/core/fault"
)

// Stage is where what is restored is put together before anything of the present is touched.
type Stage interface {
	// Keep takes one member of the archive.
	Keep(member backups.Member, content io.Reader) error
	// Build makes of the members a database of this program's schema, with the rows of the archive's alone. Faults:
	// Invalid "backup.damaged", Conflict "backup.other_key".
	Build(ctx context.Context) error
	// Ready sets all of it out for the next start.
	Ready(name, before, asker string) error
	// Drop forgets it.
	Drop()
}

// Prepare implements backups.Shelf.
func (s *Shelf) Prepare(ctx context.Context, name, asker string, note func() error) (before backups.Backup, err error) {
	if _, err := s.Fetch(ctx, name); err != nil {
		return before, err
	}
	leave, err := s.enter()
	if err != nil {
		return before, err
	}
	defer leave()
	file, err := s.open(name)
	if err != nil {
		return before, err
	}
	defer file.Close()
	if _, err := s.judge(file); err != nil {
		return before, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return before, s.storage(err)
	}
	stage, err := s.o.Stage()
	if err != nil {
		return before, s.unready(err)
	}
	defer func() {
		if err != nil {
			stage.Drop()
		}
	}()
	if _, err := s.o.Archive.Read(file, stage.Keep); err != nil {
		return before, s.unready(err)
	}
	if err := stage.Build(ctx); err != nil {
		return before, s.unready(err)
	}
	if before, err = s.make(ctx, backups.BeforeRestore); err != nil {
		return before, err
	}
	if err := note(); err != nil {
		return before, err
	}
	if err := stage.Ready(name, before.Name, asker); err != nil {
		return before, s.unready(err)
	}
	s.o.Log.Warn("a backup is restored: the server begins anew with it", "name", name, "what there was", before.Name)
	return before, nil
}

// unready is the fault for a restore that was not begun.
func (s *Shelf) unready(err error) error {
	if !fault.Is(err, fault.Internal) {
		return err
	}
	if full(err) {
		return fault.New(fault.Unavailable, "backup.disk_full", "The disk of %s has no room for what is restored, which takes as much as two databases. Free some space and try again. Nothing was changed.", s.folder(err)).Because(err)
	}
	return fault.New(fault.Unavailable, "backup.not_restored", "The backup was not restored: something of it could not be put in place. The server's log says what. Nothing was changed.").Because(err)
}

// folder is the one of ours in which something went wrong: that of backups, or the one below which the restore is put together.
func (s *Shelf) folder(err error) string {
	var at *fs.PathError
	if !errors.As(err, &at) || strings.HasPrefix(at.Path, s.o.Dir+string(filepath.Separator)) {
		return s.o.Dir
	}
	for part := range strings.SplitSeq(at.Path, string(filepath.Separator)) {
		if strings.HasPrefix(part, ".") && len(part) > 2 { // what begins so is ours, and gone by now
			before, _, _ := strings.Cut(at.Path, string(filepath.Separator)+part)
			return before
		}
	}
	return filepath.Dir(at.Path)
}
