package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/core/store"
	"berth/handlers/api"
	"berth/hub/adapter/sqlite"
)

// What the server knows whose backup is made.
const (
	backupStacks      = 1000
	backupDeployments = 100 // of each stack
	backupLines       = 10  // of each deployment's log
)

// measureBackup backs up a server of many stacks and deployments, with and without requests at the same time, and restores it.
func measureBackup(ctx context.Context, b *bench) (figures []figure, err error) {
	s, err := b.newSite("bench-backup")
	if err != nil {
		return nil, err
	}
	env := []string{"SCAN_INTERVAL=1h", "BACKUP_INTERVAL=0s", "BACKUP_REHEARSAL_INTERVAL=0s"}
	srv, _, err := b.startLocal(ctx, s, env...)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(srv.setUp(ctx), srv.stop()); err != nil {
		return nil, err
	}
	b.say("storing %d stacks of %d deployments each", backupStacks, backupDeployments)
	if err := fillHistory(ctx, s); err != nil {
		return nil, err
	}
	key := srv.client.Key
	if srv, _, err = b.startLocal(ctx, s, env...); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	srv.client.Key = key
	return srv.backedUp(ctx, b.runs)
}

// fillHistory stores the stacks, and deployments that ended long ago.
func fillHistory(ctx context.Context, s site) (err error) {
	db, err := sqlite.Open(ctx, s.database(), nil)
	if err != nil {
		return err
	}
	kept, now := store.New(db, time.Now), time.Now()
	r := repositories.Repository{ID: core.RepositoryID(core.NewID(core.PrefixRepository, now)), Name: "bench", URL: "https://git.example/bench", CreatedAt: now}
	_, err = kept.AddRepository(ctx, r, access.System.Audit("repository.create", string(r.ID), ""))
	for i := 0; err == nil && i < backupStacks; i++ {
		st := stacks.Stack{ID: core.StackID(core.NewID(core.PrefixStack, now)), Name: fmt.Sprintf("stack-%d", i), Repository: r.ID}
		_, _, err = kept.CreateStack(ctx, st, &stacks.Ask{Stack: st.ID, Trigger: stacks.TriggerManual, Actor: "bench"}, access.System)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	raw, err := sql.Open("sqlite", filepath.Join(s.database(), sqlite.File))
	if err != nil {
		return err
	}
	raw.SetMaxOpenConns(1)
	return errors.Join(repeatDeployments(ctx, raw, now), raw.Close())
}

// repeatDeployments ends the one deployment of each stack, and stores more that are like it.
func repeatDeployments(ctx context.Context, raw *sql.DB, now time.Time) error {
	var columns string
	if err := raw.QueryRowContext(ctx, `SELECT group_concat(name) FROM pragma_table_info('deployments') WHERE name <> 'id'`).Scan(&columns); err != nil {
		return err
	}
	if _, err := raw.ExecContext(ctx, `UPDATE deployments SET state = 'succeeded', started_at = queued_at, finished_at = queued_at`); err != nil {
		return err
	}
	firsts, err := raw.QueryContext(ctx, `SELECT id FROM deployments`)
	if err != nil {
		return err
	}
	var ids []string
	for firsts.Next() {
		var id string
		if err := firsts.Scan(&id); err != nil {
			return err
		}
		ids = append(ids, id)
	}
	tx, err := raw.BeginTx(ctx, nil)
	if err != nil {
		return errors.Join(firsts.Err(), err)
	}
	line := strings.Repeat("pulling the image of web: layer 3 of 7 ", 2)
	for _, first := range ids {
		for n := range backupDeployments {
			id := first
			if n > 0 {
				id = core.NewID(core.PrefixDeployment, now)
				_, err = tx.ExecContext(ctx, `INSERT INTO deployments (id,`+columns+`) SELECT ?,`+columns+` FROM deployments WHERE id = ?`, id, first)
			}
			if err == nil {
				_, err = tx.ExecContext(ctx, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < ?) INSERT INTO deployment_log (deployment_id, number, at, text) SELECT ?, i, 1, ? || i FROM n`,
					backupLines, id, line+id)
			}
			if err != nil {
				return errors.Join(err, tx.Rollback())
			}
		}
	}
	return tx.Commit()
}

// latency is how long requests took that came one after the other.
type latency struct{ reads, writes []time.Duration }

func (l *latency) show() string {
	return fmt.Sprintf("list of stacks p50 %s, p99 %s; a variable changed p50 %s, p99 %s",
		ms(percentile(l.reads, 50)), ms(percentile(l.reads, 99)), ms(percentile(l.writes, 50)), ms(percentile(l.writes, 99)))
}

// ask asks until done is closed, one reading and one changing request in turns.
func (s *server) askUntil(ctx context.Context, variable string, done <-chan struct{}, l *latency) error {
	for n := 0; ; n++ {
		select {
		case <-done:
			return nil
		default:
		}
		began := time.Now()
		if err := call(ctx, s.client, http.MethodGet, "/api/custom/stacks?limit=50", nil, nil); err != nil {
			return err
		}
		l.reads = append(l.reads, time.Since(began))
		value := fmt.Sprint(n)
		began = time.Now()
		if err := call(ctx, s.client, http.MethodPatch, "/api/custom/variables/"+variable, api.UpdateVariableRequest{Value: &value}, nil); err != nil {
			return err
		}
		l.writes = append(l.writes, time.Since(began))
		if err := pause(ctx, 25*time.Millisecond); err != nil {
			return err
		}
	}
}

// backedUp measures backups, and what they do to requests, and a restore.
func (s *server) backedUp(ctx context.Context, runs int) ([]figure, error) {
	v, err := post[struct{ ID string }](ctx, s.client, "/api/custom/variables", api.CreateVariableRequest{Scope: "global", Name: "BENCH", Value: "x"})
	if err != nil {
		return nil, err
	}
	var took []time.Duration
	var last api.BackupAnswer
	var with, without latency
	for range min(runs, 5) {
		done, asked := make(chan struct{}), make(chan error, 1)
		go func() { asked <- s.askUntil(ctx, v.ID, done, &with) }()
		began := time.Now()
		last, err = post[api.BackupAnswer](ctx, s.client, "/api/custom/backups", nil)
		took = append(took, time.Since(began))
		close(done)
		if err = errors.Join(err, <-asked); err != nil {
			return nil, err
		}
		calm := make(chan struct{})
		timer := time.AfterFunc(took[len(took)-1], func() { close(calm) })
		err = s.askUntil(ctx, v.ID, calm, &without)
		timer.Stop()
		if err != nil {
			return nil, err
		}
	}
	began := time.Now()
	if _, err := post[api.RestoringAnswer](ctx, s.client, "/api/custom/backups/"+last.Name+"/restore", nil); err != nil {
		return nil, err
	}
	prepared := time.Since(began)
	if err := until(ctx, 5*time.Minute, 5*time.Millisecond, "the restored server", func(ctx context.Context) (bool, error) {
		all, err := get[struct {
			Items []struct {
				Action string `json:"action"`
			} `json:"items"`
		}](ctx, s.client, "/api/custom/audit-events?limit=5")
		for _, e := range all.Items {
			if err == nil && e.Action == "backup.restored" {
				return true, nil
			}
		}
		return false, s.alive()
	}); err != nil {
		return nil, err
	}
	return []figure{
		{name: fmt.Sprintf("backup of %d stacks with %d deployments and %d lines of logs", backupStacks, backupStacks*backupDeployments, backupStacks*backupDeployments*backupLines), result: spread(took)},
		{name: "  size of the archive", result: fmt.Sprintf("%.1f MB", float64(last.Size)/1e6)},
		{name: "  restore: read whole, fresh database, backup of the present", result: ms(prepared)},
		{name: "  restore: until the server is up with it", result: ms(time.Since(began))},
		{note: "  without a backup: " + without.show()},
		{note: "  while a backup is made: " + with.show()},
	}, nil
}
