package allinone

import (
	"context"
	"errors"
	"fmt"
	"time"

	"berth/core/access"
	"berth/core/backups"
	"berth/core/store"
	"berth/hub/adapter/archive"
	"berth/hub/adapter/sqlite"
	shelf "berth/hub/backups"
	"berth/hub/revisionfiles"
)

// errRestored ends a run of the server so that the next one begins with what was restored.
var errRestored = errors.New("a backup is restored")

// joinBackups makes the use cases of backups. With PostgreSQL there is no folder of them.
func (p *parts) joinBackups() error {
	limit := int64(p.cfg.Server.BackupUploadMaxMB) << 20
	restart := func() { p.end(errRestored) }
	if p.cfg.shared() {
		p.backups = backups.NewDesk(nil, p.store, limit, restart)
		return nil
	}
	var err error
	if p.shelf, err = p.openShelf(); err != nil {
		return cannotOpen(err)
	}
	p.backups = backups.NewDesk(p.shelf, p.store, limit, restart)
	return nil
}

func (p *parts) openShelf() (*shelf.Shelf, error) {
	s := p.cfg.Server
	files := func(tell func(string, []byte) error) error { return revisionfiles.Each(s.StacksStoragePath, tell) }
	return shelf.Open(shelf.Options{
		Dir: s.BackupDir, Archive: archive.New(s.SecretKey, s.SecretKeyPrevious, p.ring), Files: files, Version: p.cfg.Version, Schema: store.Schema(),
		Snapshot: func(ctx context.Context, to string) error { return sqlite.Snapshot(ctx, s.DBDataDir, to) },
		Stage:    func() (shelf.Stage, error) { return newStage(p.cfg) },
		Keep:     backups.Keep{Newest: s.BackupKeep, For: time.Duration(s.BackupKeepDays) * 24 * time.Hour},
		Every:    s.BackupInterval, Now: p.cfg.Now, Meter: p.board.Own, Log: p.cfg.Log,
	})
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
