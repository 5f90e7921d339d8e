package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"berth/core/store"
)

// Sizes of the write-ahead log, in bytes, from which more and more is done to shorten it.
const (
	logWorth = 1 << 20  // copied into the database, without disturbing anybody
	logMuch  = 16 << 20 // begun anew: writers wait a moment for readers
	logLimit = 64 << 20 // reads that stand in the way are ended
)

const (
	keepEvery  = time.Second
	longRead   = 10 * time.Second // a read that may be ended when the log has reached logLimit
	warnEvery  = time.Minute
	patience   = 200 // milliseconds for which writers wait for readers
	checkpoint = `PRAGMA wal_checkpoint(%s)`
)

// Keeper looks after the files of an open database: it keeps the write-ahead log short and room
// in reserve for a full disk. Make it with Keep; Run does the work.
type Keeper struct {
	db      *store.DB
	log     *slog.Logger
	path    string // of the write-ahead log
	much    int64  // logMuch and
	limit   int64  // logLimit; tests have less patience
	conn    *sql.DB
	reserve reserve
	roomy   func(bool) // told whether there is room, for the metrics; may be nil

	// Owned by Run.
	warned time.Time
	full   bool
}

// Keep makes the reserve below dir and tells db about it. roomy, when it is not nil, is told again
// and again whether there is room. Faults: Unavailable "store.open".
func Keep(ctx context.Context, db *store.DB, dir string, log *slog.Logger, roomy func(bool)) (*Keeper, error) {
	path := filepath.Join(dir, File)
	conn, err := pool(ctx, "file:"+(&url.URL{Path: path}).EscapedPath()+fmt.Sprintf("?_pragma=busy_timeout(%d)&_pragma=synchronous(FULL)&_pragma=trusted_schema(OFF)", patience), 1)
	if err != nil {
		return nil, openFault(dir, err)
	}
	k := &Keeper{db: db, log: log, path: path + "-wal", much: logMuch, limit: logLimit, conn: conn, reserve: reserve{dir: dir}, roomy: roomy}
	if _, err := k.reserve.make(); err != nil {
		return nil, errors.Join(openFault(dir, err), conn.Close())
	}
	k.tellRoom()
	db.StandOn(&k.reserve)
	return k, nil
}

// Close ends the keeper's own connection, after Run has returned.
func (k *Keeper) Close() error { return k.conn.Close() }

// Run keeps until ctx ends.
func (k *Keeper) Run(ctx context.Context) error {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			k.keep(ctx)
		}
	}
}

func (k *Keeper) keep(ctx context.Context) {
	if _, err := k.reserve.make(); err != nil && k.mayWarn() {
		k.log.Warn("the reserve for a full disk cannot be made", "error", err)
	}
	k.tellRoom()
	k.shorten(ctx)
}

// tellRoom says once when the disk gets full and once when there is room again.
func (k *Keeper) tellRoom() {
	full := !k.reserve.Room()
	switch {
	case full && !k.full:
		k.log.Error("the disk is full: nothing new is begun until there is room. Free some space below DATA_DIR", "folder", k.reserve.dir)
	case !full && k.full:
		k.log.Info("there is room on the disk again", "folder", k.reserve.dir)
	}
	k.full = full
	if k.roomy != nil {
		k.roomy(!full)
	}
}

// shorten does to the write-ahead log what its size asks for.
func (k *Keeper) shorten(ctx context.Context) {
	if k.size() < logWorth {
		return
	}
	k.copy(ctx, "PASSIVE")
	if k.size() < k.much || !k.copy(ctx, "TRUNCATE") || k.size() < k.limit {
		return
	}
	cut := k.db.CutReads(longRead)
	if k.mayWarn() {
		k.log.Warn("the database's log of writes grows because somebody reads for too long; reads of this server that are in the way are ended",
			"bytes", k.size(), "ended", cut)
	}
}

// copy brings the log's content into the database; busy says that somebody was in the way.
func (k *Keeper) copy(ctx context.Context, how string) (busy bool) {
	var logged, copied int
	err := k.conn.QueryRowContext(ctx, fmt.Sprintf(checkpoint, how)).Scan(&busy, &logged, &copied)
	dialect := Dialect()
	switch {
	case err == nil || ctx.Err() != nil || primary(codeBusy)(err):
		return busy || err != nil
	case dialect.Full(err):
		k.reserve.GiveWay()
	case dialect.Broken(err):
		k.db.Break(fmt.Errorf("sqlite: checkpoint: %w", err))
	case k.mayWarn():
		k.log.Warn("the database's log of writes cannot be shortened", "error", err)
	}
	return false
}

// size of the log's file. One that is not there is empty.
func (k *Keeper) size() int64 {
	info, err := os.Stat(k.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// mayWarn keeps a lasting trouble from filling the log.
func (k *Keeper) mayWarn() bool {
	if time.Since(k.warned) < warnEvery {
		return false
	}
	k.warned = time.Now()
	return true
}
