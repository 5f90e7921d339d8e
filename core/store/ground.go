package store

import (
	"context"

	"berth/core/fault"
)

// Ground is the disk below a database, as its adapter knows it.
type Ground interface {
	// Room reports whether there is room to begin something new.
	Room() bool
	// GiveWay frees what was kept for a full disk, so that what goes on can still be stored; it
	// reports whether there was something to free.
	GiveWay() bool
}

// errNoRoom refuses what would begin something on a full disk.
var errNoRoom = fault.New(fault.Unavailable, "store.disk_full",
	"The server's disk is full, so nothing new is begun; what runs goes on. Free some space below DATA_DIR and try again; nothing was changed.")

// StandOn tells the database what it stands on. It is called before the first transaction; without
// it every disk is taken to have room until a write fails.
func (db *DB) StandOn(g Ground) { db.ground = g }

// Room reports whether there is room to begin something new.
func (db *DB) Room() bool { return db.ground == nil || db.ground.Room() }

// WriteNew is Write for what begins something: it is refused while the disk is full, so that
// what little room there is goes to what is under way, to people who clean up, and to results.
// Unavailable "store.disk_full".
func (db *DB) WriteNew(ctx context.Context, fn func(*Tx) error) error {
	if !db.Room() {
		return errNoRoom
	}
	err := db.attempt(ctx, db.dialect.Writing, db.dialect.Repeating, fn)
	if err != nil && db.dialect.Full(err) {
		db.giveWay()
		return errNoRoom.Because(err)
	}
	return err
}

// giveWay makes room for writes that must not wait.
func (db *DB) giveWay() bool { return db.ground != nil && db.ground.GiveWay() }

// Room reports whether there is room on the disk to begin something new.
func (s *Store) Room() bool { return s.db.Room() }

// writeNew is write for what begins something.
func writeNew[T any](ctx context.Context, s *Store, fn func(*Tx) (T, error)) (T, error) {
	var v T
	err := s.db.WriteNew(ctx, func(tx *Tx) (err error) {
		v, err = fn(tx)
		return err
	})
	return v, err
}
