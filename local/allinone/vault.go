package allinone

import (
	"context"
	"errors"
	"fmt"
	"time"

	"berth/core/fault"
	"berth/core/seal"
	"berth/core/store"
	"berth/hub/adapter/git"
	"berth/hub/adapter/postgres"
	"berth/hub/adapter/sqlite"
	shelf "berth/hub/backups"
)

// vault is the open database with its keys. What looks after the database's files is there for
// SQLite alone: with PostgreSQL that is the server's business.
type vault struct {
	db     *store.DB
	store  *store.Store
	ring   *seal.Ring
	keeper *sqlite.Keeper // nil with PostgreSQL
	claims []func() error // each gives a folder to another server

	swap   *shelf.Swap // a restore that is in place and was not seen to work yet; nil: none
	gaveUp *shelf.Swap // one that came to nothing; nil: none
}

// close closes what is open; it is called once, after everything that uses the database has ended.
func (v *vault) close() (err error) {
	if v.keeper != nil {
		err = v.keeper.Close()
	}
	if v.db != nil {
		err = errors.Join(err, v.db.Close())
	}
	for _, release := range v.claims {
		err = errors.Join(err, release())
	}
	return err
}

// claim takes the folders that no two servers may have, for this process alone.
func (v *vault) claim(ctx context.Context, cfg Config) error {
	takes := []func() (func() error, error){
		func() (func() error, error) { return sqlite.Claim(ctx, cfg.Server.DBDataDir) },
		func() (func() error, error) { return git.Claim(ctx, cfg.Server.ReposWorkspace) },
	}
	if cfg.shared() {
		if err := postgres.Check(cfg.Server.DatabaseURL.Reveal()); err != nil {
			return cannotOpen(err) // before anything is written
		}
		takes = takes[1:]
	}
	for _, take := range takes {
		release, err := take()
		if err != nil {
			return cannotOpen(err)
		}
		v.claims = append(v.claims, release)
	}
	return nil
}

// run looks after the database's files until ctx ends.
func (v *vault) run(ctx context.Context) error {
	if v.keeper != nil {
		return v.keeper.Run(ctx)
	}
	<-ctx.Done()
	return nil
}

// openVault opens the database and its keys. A wrong SECRET_KEY and damage are found by reading only: the
// database stays as it is, byte for byte.
func openVault(ctx context.Context, cfg Config, roomy func(bool)) (*vault, error) {
	v, err := openOnce(ctx, cfg, roomy)
	if err == nil || v.swap == nil || ctx.Err() != nil {
		return v, err
	}
	cfg.Log.Error("what was restored cannot be opened", "error", err)
	if err := v.swap.Back(fault.PublicOf(err)); err != nil {
		return nil, fmt.Errorf("put back what there was before a restore: %w", err)
	}
	undone := v.swap
	v, err = openOnce(ctx, cfg, roomy)
	v.gaveUp = undone
	return v, err
}

// openOnce is openVault without a second try. With an error, all is closed again.
func openOnce(ctx context.Context, cfg Config, roomy func(bool)) (*vault, error) {
	v := &vault{}
	open := v.openFiles
	if cfg.shared() {
		open = v.openServer
	}
	err := v.claim(ctx, cfg)
	if err == nil {
		err = open(ctx, cfg, roomy)
	}
	if err == nil {
		before := v.beforeUpgrade
		if cfg.shared() {
			before = v.beside
		}
		err = before(ctx, cfg)
	}
	if err == nil {
		err = v.db.Migrate(ctx, cfg.Now())
	}
	if err == nil {
		v.store = store.New(v.db, cfg.Now)
		v.store.KeepAudit(time.Duration(cfg.Server.AuditKeepDays) * 24 * time.Hour)
		v.ring, err = openRing(ctx, cfg, v.store)
	}
	if err != nil {
		return v, errors.Join(judged(err), v.close())
	}
	return v, nil
}

// openFiles opens the embedded SQLite, for this process alone.
func (v *vault) openFiles(ctx context.Context, cfg Config, roomy func(bool)) (err error) {
	dir := cfg.Server.DBDataDir
	if err := sqlite.Unmoved(dir); err != nil {
		return cannotOpen(err)
	}
	if err := v.restoring(cfg); err != nil {
		return err
	}
	if err := inspectFiles(ctx, cfg); err != nil {
		return err
	}
	if v.db, err = sqlite.Open(ctx, dir, cfg.broken); err != nil {
		return cannotOpen(err)
	}
	if v.keeper, err = sqlite.Keep(ctx, v.db, dir, cfg.Log, roomy); err != nil {
		return cannotOpen(err)
	}
	return nil
}

// A database server may start at the same time as this program, and a little later.
const (
	serverWait  = time.Minute
	serverPause = time.Second
)

// openServer opens the PostgreSQL database of DATABASE_URL, which other processes may use too.
func (v *vault) openServer(ctx context.Context, cfg Config, _ func(bool)) (err error) {
	tick := time.NewTicker(serverPause)
	defer tick.Stop()
	for began, told := time.Now(), false; ; {
		v.db, err = postgres.Open(ctx, cfg.Server.DatabaseURL.Reveal(), postgres.Server())
		if fault.CodeOf(err) != "store.away" || time.Since(began) > serverWait {
			break
		}
		if !told {
			cfg.Log.Warn("the database server does not answer yet; waiting for it", "error", err, "for", serverWait)
			told = true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	if err != nil {
		return cannotOpen(err)
	}
	return inspect(ctx, cfg, v.db)
}

// cannotOpen marks as a refusal what a person must put right before the next start, and as ErrAway
// what may be right by then.
func cannotOpen(err error) error {
	if !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.Conflict) {
		return err
	}
	mark := ErrRefused
	if fault.CodeOf(err) == "store.away" {
		mark = ErrAway
	}
	if cause := errors.Unwrap(err); cause != nil {
		return fmt.Errorf("%w: %s (%w)", mark, fault.PublicOf(err), cause)
	}
	return fmt.Errorf("%w: %s", mark, fault.PublicOf(err))
}

// judged marks what an open database said before anything began to work on it: that this
// program, or its user, cannot use it.
func judged(err error) error {
	code := fault.CodeOf(err)
	if fault.Is(err, fault.Conflict) || code == "store.unsuitable" || code == "store.away" {
		return cannotOpen(err)
	}
	return err
}

// inspectFiles checks the files of an existing database, and the key against it, without writing to them.
func inspectFiles(ctx context.Context, cfg Config) error {
	db, err := sqlite.Inspect(ctx, cfg.Server.DBDataDir)
	if err != nil || db == nil {
		return cannotOpen(err)
	}
	defer db.Close()
	return inspect(ctx, cfg, db)
}

// inspect checks a database, and the key against it, without writing to it.
func inspect(ctx context.Context, cfg Config, db *store.DB) error {
	if err := db.Check(ctx); err != nil {
		return err
	}
	fresh, err := db.Fresh(ctx)
	if err != nil || fresh {
		return err
	}
	st := store.New(db, cfg.Now)
	rows, err := st.KeyRing(ctx)
	if err != nil || len(rows) == 0 {
		return err
	}
	_, _, err = unlock(ctx, cfg, st, rows)
	return err
}
