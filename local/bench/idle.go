package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"berth/hub/adapter/sqlite"
)

const (
	idleStacks = 1000
	idleGoal   = 1.0 // percent of one core
	settling   = 20 * time.Second
	idleTime   = time.Minute
)

// measureIdle watches a server that has nothing to do for many stacks.
func measureIdle(ctx context.Context, b *bench) (figures []figure, err error) {
	f, err := b.startFleet(ctx, "bench-idle", idleStacks)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	b.say("settling for %v, then watching for %v", settling, idleTime)
	if err := pause(ctx, settling); err != nil {
		return nil, err
	}
	db, err := watchDatabase(ctx, f.site.database())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	before, err := f.look(ctx, db)
	if err != nil {
		return nil, err
	}
	if err := pause(ctx, idleTime); err != nil {
		return nil, err
	}
	after, err := f.look(ctx, db)
	if err != nil {
		return nil, err
	}
	return idleFigures(before, after), nil
}

// moment is what is known of a server at one time.
type moment struct {
	at       time.Time
	used     time.Duration // processor time
	memory   memory
	version  int64 // of the database: another one when anything was committed
	rows     int64
	requests int64 // to the Git host
}

func (f *fleet) look(ctx context.Context, db *database) (m moment, err error) {
	m.at, m.requests = time.Now(), f.b.git.requests.Load()
	if m.used, err = processorTime(f.pid()); err != nil {
		return m, err
	}
	if m.memory, err = memoryOf(f.pid()); err != nil {
		return m, err
	}
	m.version, m.rows, err = db.state(ctx)
	return m, err
}

func idleFigures(before, after moment) []figure {
	percent := 100 * float64(after.used-before.used) / float64(after.at.Sub(before.at))
	written := "nothing was committed"
	if before.version != after.version {
		written = fmt.Sprintf("something was committed, and there are %+d rows", after.rows-before.rows)
	}
	return []figure{
		{name: fmt.Sprintf("%d stacks in sync: processor time", idleStacks), result: fmt.Sprintf("%.2f %% of a core", percent),
			goal: fmt.Sprintf("under %g %%", idleGoal), met: percent < idleGoal},
		{name: fmt.Sprintf("  database, in %.0f s", after.at.Sub(before.at).Seconds()), result: written, goal: "no row per tick", met: before.version == after.version},
		{name: "  requests to the Git host", result: fmt.Sprint(after.requests - before.requests)},
		{name: "  memory of the server", result: after.memory.String()},
	}
}

// database reads a server's database beside it.
type database struct {
	pool *sql.DB
	conn *sql.Conn // one, because the version is seen from a connection
}

func watchDatabase(ctx context.Context, dir string) (*database, error) {
	path := (&url.URL{Path: filepath.Join(dir, sqlite.File)}).EscapedPath()
	pool, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_pragma=query_only(ON)&_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return &database{pool, conn}, nil
}

// state returns the number that every commit of another connection changes, and the
// rows of all tables.
func (d *database) state(ctx context.Context) (version, rows int64, err error) {
	tables, err := d.tables(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, name := range tables {
		n := int64(0)
		if err := d.conn.QueryRowContext(ctx, `SELECT count(*) FROM "`+name+`"`).Scan(&n); err != nil {
			return 0, 0, err
		}
		rows += n
	}
	err = d.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	return version, rows, err
}

func (d *database) tables(ctx context.Context) ([]string, error) {
	found, err := d.conn.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name LIMIT 1000`)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var names []string
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, found.Err()
}

func (d *database) close() error { return errors.Join(d.conn.Close(), d.pool.Close()) }
