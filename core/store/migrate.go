package store

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"berth/core/fault"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the schema: NNNN_name.sql.
type migration struct {
	number   int
	name     string
	sql      string
	checksum string // hex SHA-256 of the file
}

// Migrate brings the database to this program's schema, one transaction a step.
// Conflict "store.newer" when the database is ahead of this program, "store.altered"
// when a step that was applied differs from this program's.
func (db *DB) Migrate(ctx context.Context, now time.Time) error {
	return db.migrate(ctx, migrationFiles, now)
}

func (db *DB) migrate(ctx context.Context, files fs.FS, now time.Time) error {
	steps, err := migrations(files)
	if err != nil {
		return err
	}
	applied, err := db.applied(ctx)
	if err != nil {
		return err
	}
	if len(applied) > len(steps) {
		return newer(len(applied), len(steps))
	}
	for i, step := range steps {
		if i < len(applied) {
			if applied[i] != step.checksum {
				return altered(step)
			}
			continue
		}
		if err := db.apply(ctx, step, now); err != nil {
			return fmt.Errorf("migrate %s: %w", step.name, err)
		}
	}
	return nil
}

// SchemaThere is the number of the schema that the database has; 0: none.
func (db *DB) SchemaThere(ctx context.Context) (int, error) {
	applied, err := db.applied(ctx)
	return len(applied), err
}

// Schema is the number of this program's schema.
func Schema() int {
	steps, err := migrations(migrationFiles)
	if err != nil {
		panic(err) // they are part of the program
	}
	return len(steps)
}

func newer(schema, known int) error {
	return fault.New(fault.Conflict, "store.newer",
		"The database has schema %d, this program knows %d. Start the newer program that made it, or restore a backup from before the upgrade.", schema, known)
}

func altered(step migration) error {
	return fault.New(fault.Conflict, "store.altered",
		"Schema step %s in the database is not the one in this program. The database was made by another build; start that one.", step.name)
}

// Fresh reports whether the database has no schema yet.
func (db *DB) Fresh(ctx context.Context) (fresh bool, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		fresh, err = isFresh(tx)
		return err
	})
	return fresh, err
}

func isFresh(tx *Tx) (bool, error) {
	tables, err := one(tx, nil, scalar[int], tx.dialect.HasTable, "schema_steps")
	return tables == 0, err
}

// applied returns the checksums of the steps in the database, in order; none when it is fresh.
func (db *DB) applied(ctx context.Context) (sums []string, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		sums, err = appliedSteps(tx)
		return err
	})
	return sums, err
}

func appliedSteps(tx *Tx) ([]string, error) {
	fresh, err := isFresh(tx)
	if err != nil || fresh {
		return nil, err
	}
	return many(tx, scalar[string], `SELECT checksum FROM schema_steps ORDER BY number LIMIT 10000`)
}

// apply makes one step, unless another process that started at the same time has made it.
func (db *DB) apply(ctx context.Context, step migration, now time.Time) error {
	return db.urgent(ctx, db.dialect.Altering, db.dialect.Altering, func(tx *Tx) error {
		made, err := appliedSteps(tx)
		if err != nil {
			return err
		}
		if len(made) >= step.number {
			if made[step.number-1] != step.checksum {
				return altered(step)
			}
			return nil
		}
		if step.number == 1 {
			if _, err := tx.exec(db.dialect.Schema(`CREATE TABLE schema_steps (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`)); err != nil {
				return err
			}
		}
		if _, err := tx.tx.ExecContext(ctx, db.dialect.Schema(step.sql)); err != nil {
			return err
		}
		_, err = tx.exec(`INSERT INTO schema_steps (number, name, checksum, applied_at) VALUES (?, ?, ?, ?)`,
			step.number, step.name, step.checksum, micros(now))
		return err
	})
}

// migrations reads the steps and refuses gaps in their numbers.
func migrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	steps := make([]migration, 0, len(names))
	for i, path := range names {
		content, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, "migrations/"), ".sql")
		digits, _, _ := strings.Cut(name, "_")
		number, err := strconv.Atoi(digits)
		if err != nil || number != i+1 {
			return nil, fmt.Errorf("store: migration %s: want number %04d", path, i+1)
		}
		sum := sha256.Sum256(content)
		steps = append(steps, migration{number, name, string(content), hex.EncodeToString(sum[:])})
	}
	return steps, nil
}
