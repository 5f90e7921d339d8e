package sqlite

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
)

// Snapshot writes the database below dir, as it is at one moment, to a new file, compact and without a log, and
// checks it. Whoever uses the database goes on meanwhile; nothing of theirs waits.
func Snapshot(ctx context.Context, dir, to string) error {
	db, err := unused("file:"+(&url.URL{Path: filepath.Join(dir, File)}).EscapedPath()+"?mode=ro&_pragma=busy_timeout(10000)", 1)
	if err != nil {
		return openFault(dir, err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `VACUUM INTO ?`, to); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return checkFile(ctx, to)
}

// checkFile looks for damage in a database that nobody uses.
func checkFile(ctx context.Context, path string) error {
	db, err := unused("file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=ro&immutable=1&_pragma=trusted_schema(OFF)", 1)
	if err != nil {
		return err
	}
	defer db.Close()
	var said string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&said); err != nil {
		return fmt.Errorf("check the copy of the database: %w", err)
	}
	if said != "ok" {
		return fmt.Errorf("the copy of the database is damaged: %s", said)
	}
	return nil
}
