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
// server may run on either. The source is left as it is; what fails leaves no row in the target.
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
	_, err = fmt.Fprintf(out, "All rows were copied, read back and found equal. Start the server with DATABASE_URL set, and keep %s, which was not changed, until you are sure.\n", cfg.Server.DBDataDir)
	return err
}

// notCurrent says what to do with a source of another release.
func notCurrent(err error) error {
	if fault.CodeOf(err) == "store.older" {
		return fmt.Errorf("%w: the database is an older release's. Start this release's server on it once, without DATABASE_URL, and stop it again; then copy", ErrRefused)
	}
	return judged(err)
}
