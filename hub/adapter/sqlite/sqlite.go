// Package sqlite opens the embedded database: modernc.org/sqlite behind core/store's DB.
//
// It owns the pragmas and the reading of the driver's errors; it must not know any
// table. Start with Open.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"berth/core/fault"
	"berth/core/store"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// File is the database's name in DB_DATA_DIR.
const File = "berth.db"

// pragmas for every connection. synchronous=FULL because NORMAL loses acknowledged
// commits on power loss; secure_delete so that a replaced envelope is gone.
// The log of writes is emptied by the Keeper before a commit would do it, and its file gets short again.
const pragmas = "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)" +
	"&_pragma=trusted_schema(OFF)&_pragma=secure_delete(ON)&_pragma=temp_store(MEMORY)&_pragma=wal_autocheckpoint(2000)&_pragma=journal_size_limit(4194304)"

const codeBusy = lib.SQLITE_BUSY

// readers bounds the pool of reading connections.
const readers = 8

// Open opens, or makes, the database below dir: one writer connection whose transactions
// take the write lock at once, and a pool of readers that cannot write. broken is
// called when a commit fails in a way that leaves the state on disk unknown.
// Faults: Unavailable "store.open" naming dir.
func Open(ctx context.Context, dir string, broken func(error)) (*store.DB, error) {
	if err := makePrivate(dir); err != nil {
		return nil, openFault(dir, err)
	}
	path := "file:" + (&url.URL{Path: filepath.Join(dir, File)}).EscapedPath() + "?" + pragmas
	writer, err := pool(ctx, path+"&_txlock=immediate", 1)
	if err != nil {
		return nil, openFault(dir, err)
	}
	read, err := pool(ctx, path+"&_pragma=query_only(ON)", readers)
	if err != nil {
		writer.Close()
		return nil, openFault(dir, err)
	}
	return store.NewDB(writer, read, Dialect(), broken), nil
}

// makePrivate makes the directory and the database's file, and gives all of its files to their
// owner alone. SQLite makes the log and its index with the mode that the file has.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(dir, File)
	made, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		return made.Close()
	}
	if !errors.Is(err, os.ErrExist) {
		return err
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Chmod(name, 0o600); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Inspect opens an existing database for reading only, so that it can be checked before
// anything is written. Every file stays as it is, byte for byte, and none is added, also when
// a writer was killed and rows are in the write-ahead log alone. It takes no locks: nobody
// else may have the database open. A nil DB and nil error mean that there is none yet.
func Inspect(ctx context.Context, dir string) (*store.DB, error) {
	path := filepath.Join(dir, File)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	db, err := unused("file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=ro&_pragma=query_only(ON)&"+traceless(path), 1)
	if err != nil {
		return nil, openFault(dir, err)
	}
	if err := ping(ctx, db); err != nil && !Dialect().Damaged(err) { // Check names the damage
		db.Close()
		return nil, openFault(dir, err)
	}
	return store.NewDB(db, db, Dialect(), nil), nil
}

// traceless says how to read a database such that SQLite makes no files beside it. Without a
// log the file is all there is. A log is read with an index in memory, which SQLite
// does for whoever has the database alone; locks that do nothing grant that.
func traceless(path string) string {
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
		return "immutable=1"
	}
	return "vfs=unix-none&_pragma=locking_mode(EXCLUSIVE)"
}

func pool(ctx context.Context, dsn string, size int) (*sql.DB, error) {
	db, err := unused(dsn, size)
	if err != nil {
		return nil, err
	}
	if err := ping(ctx, db); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// unused makes a pool that has connected to nothing yet.
func unused(dsn string, size int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// openTime is how long a database may be busy when it is opened. While somebody else brings it
// back after a crash, or makes a backup, SQLite does not wait by itself.
const openTime = 30 * time.Second

// ping connects; a busy database is tried again.
func ping(ctx context.Context, db *sql.DB) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; {
		err := db.PingContext(ctx)
		if !primary(codeBusy)(err) || time.Since(began) > openTime {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func openFault(dir string, err error) error {
	return fault.New(fault.Unavailable, "store.open",
		"The database in %s cannot be opened. Check that the directory exists on a local disk and that this user may write there.", dir).
		Because(fmt.Errorf("open sqlite: %w", err))
}

// Dialect is how SQLite speaks.
func Dialect() store.Dialect {
	same := func(s string) string { return s }
	return store.Dialect{
		Name:        "sqlite",
		HasTable:    `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?`,
		Tables:      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name LIMIT 1000`,
		Schema:      same,
		Clock:       `CAST(unixepoch('subsec') * 1000000 AS INTEGER)`,
		Placeholder: same,
		Duplicate:   code(lib.SQLITE_CONSTRAINT_UNIQUE, lib.SQLITE_CONSTRAINT_PRIMARYKEY),
		Retry:       func(error) bool { return false },
		Full: func(err error) bool {
			// The log's index in shared memory could not grow: that is a full disk too.
			return primary(lib.SQLITE_FULL)(err) || code(lib.SQLITE_IOERR_SHMSIZE)(err) || strings.Contains(err.Error(), "no space left on device")
		},
		Broken: primary(lib.SQLITE_IOERR, lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB),
		Damaged: func(err error) bool {
			return primary(lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB)(err) || strings.Contains(err.Error(), "unsupported file format")
		},
		ReadOnly: primary(lib.SQLITE_READONLY),
		Size:     `SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`,
		Check:    `PRAGMA quick_check(5)`,
	}
}

// code matches extended result codes.
func code(codes ...int) func(error) bool {
	return func(err error) bool {
		var e *driver.Error
		if !errors.As(err, &e) {
			return false
		}
		for _, c := range codes {
			if e.Code() == c {
				return true
			}
		}
		return false
	}
}

// primary matches primary result codes, whatever the extension.
func primary(codes ...int) func(error) bool {
	return func(err error) bool {
		var e *driver.Error
		if !errors.As(err, &e) {
			return false
		}
		for _, c := range codes {
			if e.Code()&0xff == c {
				return true
			}
		}
		return false
	}
}
