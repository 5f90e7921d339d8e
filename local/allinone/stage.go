package allinone

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"berth/core"
	"berth/core/backups"
	"berth/core/fault"
	"berth/core/store"
	"berth/hub/adapter/sqlite"
	shelf "berth/hub/backups"
	"berth/hub/revisionfiles"
)

// Folders in which a restore is put together: below the database's folder and below that of the files of revisions, so
// that a rename is all that it takes. What comes out of an archive is read in a folder of its own, and never used.
const (
	restoredName = ".restored"
	replacedName = ".replaced"
	rawName      = ".unpacked"
)

// stage puts a restore together. It implements shelf.Stage.
type stage struct {
	cfg   Config
	files *revisionfiles.Files
}

func (c Config) beside(name string) string { return filepath.Join(c.Server.DBDataDir, name) }

// within is the same server with its database and the files of revisions below another folder.
func (c Config) within(dir string) Config {
	c.Server.DBDataDir, c.Server.StacksStoragePath = filepath.Join(dir, "database"), filepath.Join(dir, "files")
	return c
}

// newStage begins; what was left of another is gone.
func newStage(cfg Config) (shelf.Stage, error) {
	s := &stage{cfg: cfg}
	if err := sweepStage(cfg); err != nil {
		return nil, err
	}
	err := errors.Join(os.MkdirAll(cfg.beside(rawName), 0o700), os.MkdirAll(cfg.beside(restoredName), 0o700))
	if err != nil {
		return nil, err
	}
	s.files, err = revisionfiles.Open(filepath.Join(cfg.Server.StacksStoragePath, restoredName))
	return s, err
}

// sweepStage removes what a restore left that did not come to anything.
func sweepStage(cfg Config) error {
	var err error
	for _, dir := range []string{cfg.Server.DBDataDir, cfg.Server.StacksStoragePath} {
		for _, name := range []string{restoredName, replacedName, rawName} {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, name)))
		}
	}
	return err
}

// Keep implements shelf.Stage.
func (s *stage) Keep(member backups.Member, content io.Reader) error {
	if member.Name == backups.Database {
		return s.keepDatabase(content)
	}
	name, _ := backups.RevisionFile(member)
	text, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	if digest, is := strings.CutPrefix(name, "blobs/"); is {
		if err := s.files.PutBlob(context.Background(), digest, text); err != nil {
			return err
		}
		return nil
	}
	parts := strings.Split(name, "/")
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		return err
	}
	return s.files.PutCompose(context.Background(), core.StackID(parts[0]), number, text)
}

func (s *stage) keepDatabase(content io.Reader) error {
	file, err := os.OpenFile(filepath.Join(s.cfg.beside(rawName), sqlite.File), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Sync(), file.Close())
}

// Build implements shelf.Stage. The rows go into a schema that this program makes: nothing else that a database
// may hold, such as a trigger, comes along.
func (s *stage) Build(ctx context.Context) error {
	from, err := sqlite.Open(ctx, s.cfg.beside(rawName), func(error) {})
	if err != nil {
		return notADatabase(err)
	}
	defer from.Close()
	if err := s.readable(ctx, from); err != nil {
		return err
	}
	to, err := sqlite.Open(ctx, s.cfg.beside(restoredName), func(error) {})
	if err != nil {
		return err
	}
	err = to.Migrate(ctx, s.cfg.Now())
	if err == nil {
		err = s.fill(ctx, from, to)
	}
	if err == nil {
		err = store.New(to, s.cfg.Now).AfterRestore(ctx)
	}
	if err == nil {
		err = inspect(ctx, s.cfg, to)
	}
	return errors.Join(err, to.Close())
}

// fill copies the rows. What no table of ours takes is the archive's fault, not that of this machine.
func (s *stage) fill(ctx context.Context, from, to *store.DB) error {
	_, err := store.Copy(ctx, from, to, nil)
	if err != nil && ctx.Err() == nil && fault.Is(err, fault.Internal) {
		return notADatabase(err)
	}
	return err
}

// readable brings what came out of the archive to this program's schema, if it is a database of ours under our key.
func (s *stage) readable(ctx context.Context, from *store.DB) error {
	if fresh, err := from.Fresh(ctx); err != nil || fresh {
		return notADatabase(errors.Join(err, errors.New("it holds no schema")))
	}
	if err := inspect(ctx, s.cfg, from); err != nil {
		if errors.Is(err, ErrRefused) {
			return fault.New(fault.Conflict, "backup.other_key", "The backup's database is sealed under another SECRET_KEY than its archive. Nothing was changed.").Because(err)
		}
		return notADatabase(err)
	}
	if err := from.Migrate(ctx, s.cfg.Now()); err != nil {
		return notADatabase(err)
	}
	if rows, err := store.New(from, s.cfg.Now).KeyRing(ctx); err != nil || len(rows) == 0 { // a server would begin with new keys, and open nothing
		return notADatabase(errors.Join(err, errors.New("it holds no data keys")))
	}
	return nil
}

func notADatabase(err error) error {
	return backups.Damaged("its database cannot be used").Because(err)
}

// Ready implements shelf.Stage.
func (s *stage) Ready(name, before, asker string) error {
	if err := os.RemoveAll(s.cfg.beside(rawName)); err != nil {
		return err
	}
	return shelf.Ready(s.cfg.Server.DBDataDir, name, before, asker, []shelf.Root{
		{Dir: s.cfg.Server.DBDataDir, New: restoredName, Old: replacedName, Names: []string{sqlite.File, sqlite.File + "-wal", sqlite.File + "-shm"}},
		{Dir: s.cfg.Server.StacksStoragePath, New: restoredName, Old: replacedName, Keep: []string{restoredName, replacedName, rawName}},
	})
}

// Drop implements shelf.Stage.
func (s *stage) Drop() {
	if err := sweepStage(s.cfg); err != nil {
		s.cfg.Log.Warn("what was left of a restore cannot be removed; the next one tries again", "error", err)
	}
}
