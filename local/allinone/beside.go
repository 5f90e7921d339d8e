package allinone

import (
	"context"
	"errors"
	"fmt"
	"time"

	"berth/core/fault"
	"berth/core/hubs"
	"berth/core/store"
)

// ErrOccupied marks errors for which the process ends with config.ExitAway: hubs of another release work on the database.
// Nothing was changed, and whoever starts it may try again by itself: it begins once they have gone.
var ErrOccupied = errors.New("not started yet")

// A hub that died, or was killed to be replaced, is taken to be there until its lease has ended.
const (
	hubsWait  = hubs.LeaseTime + 2*time.Second
	hubsPause = 500 * time.Millisecond
)

// hubsSchema is the first schema in which hubs say that they are there.
const hubsSchema = 5

// beside waits until no hub of another release works on the database, and none at all when its schema is to be changed.
func (v *vault) beside(ctx context.Context, cfg Config) error {
	tick := time.NewTicker(hubsPause)
	defer tick.Stop()
	for began, told := time.Now(), false; ; {
		err := v.mayStart(ctx, cfg)
		if fault.CodeOf(err) != "hub.release" {
			return err
		}
		if time.Since(began) > hubsWait {
			return fmt.Errorf("%w: %s", ErrOccupied, fault.PublicOf(err))
		}
		if !told {
			cfg.Log.Warn("waiting for hubs to go", "why", fault.PublicOf(err), "for", hubsWait)
			told = true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// mayStart says whether this program may start on the database as it is now. Conflict "hub.release".
func (v *vault) mayStart(ctx context.Context, cfg Config) error {
	schema, err := v.db.SchemaThere(ctx)
	if err != nil || schema < hubsSchema || schema > store.Schema() { // a newer one is refused by Migrate
		return err
	}
	all, err := store.New(v.db, cfg.Now).Hubs(ctx)
	if fault.CodeOf(err) == "hub.away" {
		return nil
	}
	if err != nil {
		return err
	}
	if err := hubs.Beside(hubs.Hub{Version: cfg.Version}, all); err != nil || schema == store.Schema() {
		return err
	}
	return fault.New(fault.Conflict, "hub.release", "The hub at %s, which is release %s, works on this database, whose schema %d this program, release %s, is to change to %d. Stop every hub first, then start this one.",
		all[0].URL, all[0].Version, schema, cfg.Version, store.Schema())
}
