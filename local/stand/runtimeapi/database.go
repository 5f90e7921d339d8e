package runtimeapi

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"berth/core/seal"
	"berth/core/store"
	"berth/hub/adapter/postgres"
)

// Prepare makes of an empty PostgreSQL database what a hub makes of it when it starts: the
// schema, and keys under the text of a SECRET_KEY.
func Prepare(ctx context.Context, address, secretKey string) (err error) {
	key, err := seal.ParseSecretKey(secretKey)
	if err != nil {
		return err
	}
	db, err := postgres.Open(ctx, address, postgres.Server())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Migrate(ctx, time.Now()); err != nil {
		return err
	}
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		return err
	}
	rows, err := ring.Wrap(key)
	if err != nil {
		return err
	}
	return store.New(db, time.Now).AddKeyRing(ctx, rows, ring.SealCheck())
}
