package store

import (
	"context"

	"berth/core/keys"
	"berth/core/seal"
)

// sealedColumn is a column that holds envelopes.
type sealedColumn struct {
	table  string
	column string
	row    string // primary key
	place  string // names the row in the Place of an envelope
	where  string // which rows hold an envelope
}

// sealedColumns are all that there are. The key check of sealed_settings is sealed by the ring itself, and
// stored with it.
var sealedColumns = []sealedColumn{
	{"credentials", "sealed", "id", "id", "sealed IS NOT NULL"},
	{"variables", "sealed", "id", "id", "sealed IS NOT NULL"},
	{"integrations", "sealed", "slug", "slug", "sealed IS NOT NULL"},
	{"repositories", "sops_age_key", "id", "id", "sops_age_key IS NOT NULL"},
	{"job_runs", "overrides", "id", "fire_id", "overrides IS NOT NULL"},
	{"webhook_secrets", "sealed", "id", "id", "sealed IS NOT NULL"},
	{"outbox", "sealed", "id", "id", "sealed IS NOT NULL"},
	{"second_factors", "sealed", "user_id", "user_id", "sealed IS NOT NULL"},
	{"sealed_settings", "sealed", "name", "name", "name <> '" + checkName + "'"},
}

// Envelopes implements keys.Store.
func (s *Store) Envelopes(ctx context.Context, after keys.Cursor, limit int) (all []keys.Envelope, next keys.Cursor, end bool, err error) {
	for next = after; len(all) == 0; {
		if next.Column >= len(sealedColumns) {
			return nil, next, true, nil
		}
		all, err = read(ctx, s, func(tx *Tx) ([]keys.Envelope, error) { return envelopes(tx, next, limit) })
		if err != nil {
			return nil, next, false, err
		}
		if len(all) < limit {
			next = keys.Cursor{Column: next.Column + 1}
		} else {
			next.Row = all[len(all)-1].Row
		}
	}
	return all, next, next.Column >= len(sealedColumns), nil
}

func envelopes(tx *Tx, after keys.Cursor, limit int) ([]keys.Envelope, error) {
	c := sealedColumns[after.Column]
	return many(tx, func(row scanner) (keys.Envelope, error) {
		e := keys.Envelope{Column: after.Column, Place: seal.Place{Table: c.table, Column: c.column}}
		return e, row.Scan(&e.Row, &e.Place.Row, (*[]byte)(&e.Sealed)) // as it is: what is no envelope is for the caller to say
	}, `SELECT `+c.row+`, `+c.place+`, `+c.column+` FROM `+c.table+` WHERE `+c.row+` > ? AND `+c.where+` ORDER BY `+c.row+` LIMIT ?`, after.Row, limit)
}

// Reseal implements keys.Store.
func (s *Store) Reseal(ctx context.Context, was keys.Envelope, now seal.Sealed) (bool, error) {
	c := sealedColumns[was.Column]
	return write(ctx, s, func(tx *Tx) (bool, error) {
		n, err := tx.exec(`UPDATE `+c.table+` SET `+c.column+` = ? WHERE `+c.row+` = ? AND `+c.column+` = ?`, now, was.Row, []byte(was.Sealed))
		return n == 1, err
	})
}

// lastPass is the setting that holds the last keys.Pass.
const lastPass = "keys.pass"

// LastPass implements keys.Store.
func (s *Store) LastPass(ctx context.Context) (p keys.Pass, err error) {
	_, err = read(ctx, s, func(tx *Tx) ([]struct{}, error) {
		return many(tx, func(row scanner) (struct{}, error) { return struct{}{}, row.Scan(jsonInto{&p}) }, `SELECT value FROM settings WHERE name = ?`, lastPass)
	})
	return p, err
}

// SavePass implements keys.Store.
func (s *Store) SavePass(ctx context.Context, p keys.Pass) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, lastPass, toJSON(p))
		return err
	})
}
