package allinone

import (
	"context"
	"errors"
	"fmt"
	"time"

	"berth/core/access"
	"berth/core/backups"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/store"
	"berth/hub/adapter/archive"
	"berth/hub/adapter/sqlite"
	shelf "berth/hub/backups"
	"berth/hub/revisionfiles"
)

// errRestored ends a run of the server so that the next one begins with what was restored.
var errRestored = errors.New("a backup is restored")

// joinBackups makes the use cases of backups. With PostgreSQL they are the database's own, and looked at.
func (p *parts) joinBackups() error {
	limit := int64(p.cfg.Server.BackupUploadMaxMB) << 20
	restart := func() { p.end(errRestored) }
	if p.cfg.shared() {
		p.dumps = &shelf.Server{Archive: store.Archiver{Store: p.store}, Dir: p.cfg.Server.BackupDir, Every: p.cfg.Server.BackupInterval,
			Meter: p.board.Own, Now: p.cfg.Now, Log: p.cfg.Log}
		p.backups = backups.NewDesk(nil, p.store, limit, restart).Seeing(p.dumps)
		return nil
	}
	var err error
	if p.shelf, err = openShelf(p.cfg, p.ring, store.Schema(), p.board.Own, p.backends.Offsite); err != nil {
		return cannotOpen(err)
	}
	p.backups = backups.NewDesk(p.shelf, p.store, limit, restart)
	return nil
}

// openShelf opens the folder of backups for a database of a schema.
func openShelf(cfg Config, ring *seal.Ring, schema int, meter shelf.Meter, offsite func(context.Context) (backups.Offsite, error)) (*shelf.Shelf, error) {
	s := cfg.Server
	files := func(tell func(string, []byte) error) error { return revisionfiles.Each(s.StacksStoragePath, tell) }
	return shelf.Open(shelf.Options{
		Dir: s.BackupDir, Archive: archive.New(s.SecretKey, s.SecretKeyPrevious, ring), Files: files, Version: cfg.Version, Schema: schema,
		Snapshot: func(ctx context.Context, to string) error { return sqlite.Snapshot(ctx, s.DBDataDir, to) },
		Stage:    func() (shelf.Stage, error) { return newStage(cfg) }, Offsite: offsite,
		Trial: func(dir string) (shelf.Stage, error) { return newStage(cfg.within(dir)) }, Rehearsal: s.BackupRehearsal,
		Keep:  backups.Keep{Newest: s.BackupKeep, For: time.Duration(s.BackupKeepDays) * 24 * time.Hour},
		Every: s.BackupInterval, Now: cfg.Now, Meter: meter, Log: cfg.Log,
	})
}

// unmeasured is for a backup that is made before anything is measured.
type unmeasured struct{}

// BackedUp implements shelf.Meter.
func (unmeasured) BackedUp(bool, time.Duration) {}

// KnowBackups implements shelf.Meter.
func (unmeasured) KnowBackups([]backups.Backup, time.Duration) {}

// CopiedAway implements shelf.Meter.
func (unmeasured) CopiedAway(bool) {}

// Rehearsed implements shelf.Meter.
func (unmeasured) Rehearsed(backups.Rehearsal) {}

// KnowOffsite implements shelf.Meter.
func (unmeasured) KnowOffsite(backups.Standing) {}

// beforeUpgrade makes a backup of a database that an older release has left, before its schema is changed. Without one
// nothing is changed: ErrRefused.
func (v *vault) beforeUpgrade(ctx context.Context, cfg Config) error {
	if err := v.db.Current(ctx); fault.CodeOf(err) != "store.older" {
		return nil // it is new or current, or the migration says what is wrong with it
	}
	schema, err := v.db.SchemaThere(ctx)
	if err != nil || schema == 0 {
		return err
	}
	st := store.New(v.db, cfg.Now)
	rows, err := st.KeyRing(ctx)
	if err != nil || len(rows) == 0 { // nothing was ever kept in it
		return err
	}
	ring, _, err := unlock(ctx, cfg, st, rows)
	if err != nil {
		return err
	}
	folder, err := openShelf(cfg, ring, schema, unmeasured{}, nil)
	if err == nil {
		_, err = folder.Make(ctx, backups.BeforeUpgrade)
	}
	if err != nil {
		return fmt.Errorf("%w: the database is an older release's, and no backup of it could be made before it is changed. %s (%w)", ErrRefused, fault.PublicOf(err), err)
	}
	return nil
}

// restoring goes on with a restore that was set out, under the claim and before the database is opened.
func (v *vault) restoring(cfg Config) error {
	swap, err := shelf.Pending(cfg.Server.DBDataDir)
	if err != nil {
		return err
	}
	if swap == nil {
		return sweepStage(cfg)
	}
	back, err := swap.Go()
	if err != nil {
		return fmt.Errorf("put in place what is restored: %w", err)
	}
	if back {
		v.gaveUp = swap
		return nil
	}
	v.swap = swap
	return nil
}

// settleRestore tells what became of a restore, once the server is up: what there was is not needed any more, or it is
// in place again.
func (p *parts) settleRestore(ctx context.Context) error {
	if swap := p.vault.gaveUp; swap != nil {
		name, before, asker := swap.Backup()
		p.cfg.Log.Error("a backup was not restored, and what there was is in place again", "name", name, "why", swap.Why())
		return p.store.RecordEvent(ctx, access.System.Audit("backup.restore_failed", name, fmt.Sprintf("asked for by %s: %s; what there was is in place again, and in %s", asker, swap.Why(), before)))
	}
	swap := p.vault.swap
	if swap == nil {
		return nil
	}
	p.vault.swap = nil
	name, before, asker := swap.Backup()
	if err := p.store.RecordEvent(ctx, access.System.Audit("backup.restored", name, fmt.Sprintf("asked for by %s; what there was before is in %s", asker, before))); err != nil {
		return err
	}
	if err := swap.Done(); err != nil {
		return fmt.Errorf("end a restore: %w", err)
	}
	p.cfg.Log.Info("a backup was restored", "name", name, "what there was", before)
	return nil
}
