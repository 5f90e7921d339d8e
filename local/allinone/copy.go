package allinone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"berth/core/fault"
	"berth/core/store"
	"berth/hub/adapter/postgres"
	"berth/hub/adapter/sqlite"
	"berth/hub/revisionfiles"
)

// CopyDatabase copies the embedded database below DB_DATA_DIR, and the files of revisions below
// STACKS_STORAGE_PATH, into the empty PostgreSQL database of DATABASE_URL, and tells on out what it copied. No
// server may run on either. The source is left as it is, with a mark beside it, so that nobody goes on with it
// by mistake; what fails leaves no row in the target, and no mark.
func CopyDatabase(ctx context.Context, cfg Config, out io.Writer) error {
	cfg = cfg.withDefaults()
	if !cfg.shared() {
		return fmt.Errorf("%w: DATABASE_URL is not set; set it to the address of the empty PostgreSQL database to copy into", ErrRefused)
	}
	dir := cfg.Server.DBDataDir
	if _, err := os.Stat(filepath.Join(dir, sqlite.File)); err != nil {
		return fmt.Errorf("%w: there is no database in %s to copy; set DATA_DIR, or DB_DATA_DIR, to where the server kept it (%w)", ErrRefused, dir, err)
	}
	release, err := sqlite.Claim(ctx, dir)
	if err != nil {
		return cannotOpen(err)
	}
	return errors.Join(copyFrom(ctx, cfg, out), release())
}

// copyFrom copies once nobody else has the source.
func copyFrom(ctx context.Context, cfg Config, out io.Writer) error {
	source, err := sqlite.Inspect(ctx, cfg.Server.DBDataDir)
	if err != nil {
		return cannotOpen(err)
	}
	defer source.Close()
	if err := inspect(ctx, cfg, source); err != nil { // above all, that SECRET_KEY is the one
		return err
	}
	if err := source.Current(ctx); err != nil {
		return notCurrent(err)
	}
	files, err := revisionfiles.Open(cfg.Server.StacksStoragePath)
	if err != nil {
		return err
	}
	target, err := postgres.Open(ctx, cfg.Server.DatabaseURL.Reveal(), postgres.Server())
	if err != nil {
		return cannotOpen(err)
	}
	defer target.Close()
	if err := target.Unused(ctx); err != nil {
		return judged(err)
	}
	if err := target.Migrate(ctx, cfg.Now()); err != nil {
		return judged(err)
	}
	copied, err := store.Copy(ctx, source, target, files.Each)
	if err != nil {
		return judged(err)
	}
	if err := inspect(ctx, cfg, target); err != nil {
		return fmt.Errorf("the copy is complete, but cannot be opened with SECRET_KEY; do not use it: %w", err)
	}
	for _, c := range copied {
		fmt.Fprintf(out, "%-20s %d\n", c.Table, c.Rows)
	}
	if _, err = fmt.Fprintln(out, "All rows were copied, read back and found equal."); err != nil {
		return err
	}
	return leave(cfg, out)
}

// leave marks the source as copied, and says how to go on.
func leave(cfg Config, out io.Writer) error {
	dir := cfg.Server.DBDataDir
	to, err := postgres.Place(cfg.Server.DatabaseURL.Reveal())
	if err != nil {
		return err
	}
	next := fmt.Sprintf("Start the server with DATABASE_URL set, and keep %s until you are sure: the database in it was not changed. A start without DATABASE_URL is refused from now on; %s says so, and whoever removes that file goes back.\n",
		dir, filepath.Join(dir, sqlite.MovedFile))
	if err := sqlite.MarkMoved(dir, to, cfg.Now()); err != nil {
		next = fmt.Sprintf("Start the server with DATABASE_URL set. Beware: %s could not be marked as copied (%v), so a start without DATABASE_URL would go on with the old state there. Move that folder away.\n", dir, err)
	}
	_, err = fmt.Fprint(out, next)
	return err
}

// notCurrent says what to do with a source of another release.
func notCurrent(err error) error {
	if fault.CodeOf(err) == "store.older" {
		return fmt.Errorf("%w: the database is an older release's. Start this release's server on it once, without DATABASE_URL, and stop it again; then copy", ErrRefused)
	}
	return judged(err)
}
