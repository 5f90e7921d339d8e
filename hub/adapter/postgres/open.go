package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"berth/core/fault"
	"berth/core/store"
)

// Options say how many connections a process may hold, and for how long it keeps those that it does
// not use.
type Options struct {
	Name    string        // as the server lists the connections
	Writers int           // writes at a time
	Readers int           // reads at a time, beside the writes
	Idle    time.Duration // an unused connection is closed after this
}

// Server is for a process that lives long.
func Server() Options {
	return Options{Name: "berth", Writers: 6, Readers: 10, Idle: 5 * time.Minute}
}

// Function is for an instance on a function host, which answers one request at a time, is one of many,
// and is stopped between requests: what it holds for long is dead when it wakes up.
func Function() Options {
	return Options{Name: "berth-function", Writers: 1, Readers: 1, Idle: 30 * time.Second}
}

// longestLife is when a connection is replaced, so that servers behind one name share the load.
const longestLife = 30 * time.Minute

// Check judges an address by itself and connects to nothing; faults are those of Open for it.
func Check(address string) error {
	_, err := parse(address, Server())
	return err
}

// Place names the database at an address for people, without user and password. Faults are those of Check.
func Place(address string) (string, error) {
	cfg, err := parse(address, Server())
	if err != nil {
		return "", err
	}
	return where(*cfg), nil
}

// Open connects to the database at address, a URL as DATABASE_URL holds it, and checks that it can
// hold Berth's data. It changes nothing. Faults, all Unavailable: "store.address", "store.away",
// "store.unsuitable". None of them holds the password.
func Open(ctx context.Context, address string, o Options) (*store.DB, error) {
	cfg, err := parse(address, o)
	if err != nil {
		return nil, err
	}
	c := newConnector(*cfg)
	writer, readers := c.pool(o.Writers, o.Idle), c.pool(o.Readers, o.Idle)
	if err := suitable(ctx, readers, c.where); err != nil {
		readers.Close()
		writer.Close()
		return nil, err
	}
	return store.NewDB(writer, readers, dialect(c.where), nil), nil
}

func (c *connector) pool(size int, idle time.Duration) *sql.DB {
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	db.SetConnMaxIdleTime(idle)
	db.SetConnMaxLifetime(longestLife)
	return db
}

// oldest is the first major version of the server that is supported.
const oldest = 13

// suitable refuses a server that is too old, and a database whose text is not UTF-8.
func suitable(ctx context.Context, db *sql.DB, where string) error {
	var encoding, version string
	var number int
	err := db.QueryRowContext(ctx, `SELECT current_setting('server_encoding'), current_setting('server_version'), current_setting('server_version_num')::bigint`).
		Scan(&encoding, &version, &number)
	if err != nil {
		if f := meaning(where, err); f != nil {
			return f.Because(fmt.Errorf("open postgres: %w", err))
		}
		return fmt.Errorf("open postgres: %w", err)
	}
	if number < oldest*10000 {
		return fault.New(fault.Unavailable, "store.unsuitable", "%s is PostgreSQL %s; Berth needs %d or newer. Upgrade the server.", where, version, oldest)
	}
	if encoding != "UTF8" {
		return fault.New(fault.Unavailable, "store.unsuitable", "%s has the encoding %s, which cannot hold every text. Make a database with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.", where, encoding)
	}
	return nil
}
