package store

import (
	"context"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
)

// maxWorkers bounds what is read of the fleet at once.
const maxWorkers = 20_000

var errWorkerMissing = fault.New(fault.NotFound, "worker.not_found", "There is no such worker.")

const workerColumns = `id, token_id, hostname, tags, version, os, arch, engine, runs, epoch, revoked, connected_at, left_at, created_at, host_policy,
	(SELECT count(*) FROM stacks WHERE stacks.worker_id = workers.id),
	` + namesake + `, ` + heardColumns

// namesake is whether another worker has the same host name.
const namesake = `EXISTS (SELECT 1 FROM workers AS other WHERE other.hostname = workers.hostname AND other.id <> workers.id)`

func scanWorker(row scanner) (fleet.Worker, error) {
	var w fleet.Worker
	var epoch, connected, left, created, until int64
	err := row.Scan(&w.ID, &w.TokenID, &w.Hostname, jsonInto{&w.Tags}, &w.Version, &w.OS, &w.Arch, &w.Engine, &w.Runs, &epoch, &w.Revoked,
		&connected, &left, &created, jsonInto{&w.Host}, &w.Stacks, &w.Namesake, &w.Online, &w.Unheard, &until)
	w.Epoch = uint64(epoch)
	w.ConnectedAt, w.LeftAt, w.CreatedAt = fromMicros(connected), fromMicros(left), fromMicros(created)
	if w.Unheard {
		w.UnheardSince = lastWord(until)
	}
	return w, err
}

// Worker implements fleet.Store.
func (s *Store) Worker(ctx context.Context, id core.WorkerID) (fleet.Worker, error) {
	return read(ctx, s, func(tx *Tx) (fleet.Worker, error) { return workerByID(tx, id) })
}

func workerByID(tx *Tx, id core.WorkerID) (fleet.Worker, error) {
	return one(tx, errWorkerMissing, scanWorker, tx.timed(`SELECT `+workerColumns+` FROM workers WHERE id = ?`), id)
}

// Workers implements fleet.Store.
func (s *Store) Workers(ctx context.Context, f fleet.Filter, ask core.Page) (core.List[fleet.Worker], error) {
	where, args := []string{"id > ?"}, []any{ask.After}
	if f.Revoked != nil {
		where, args = append(where, "revoked = ?"), append(args, number(*f.Revoked))
	}
	if f.Online != nil {
		where, args = append(where, isOnline+" = (? = 1)"), append(args, number(*f.Online))
	}
	if f.Tag != "" { // a tag's characters need no escape in JSON, and _ is escaped for LIKE
		where, args = append(where, `tags LIKE ? ESCAPE '\'`), append(args, `%"`+strings.ReplaceAll(f.Tag, "_", `\_`)+`"%`)
	}
	if f.Search != "" {
		where, args = append(where, `replace(lower(hostname), ?, '') <> lower(hostname)`), append(args, strings.ToLower(f.Search))
	}
	query := `SELECT ` + workerColumns + ` FROM workers WHERE ` + strings.Join(where, " AND ") + ` ORDER BY id LIMIT ?`
	return read(ctx, s, func(tx *Tx) (core.List[fleet.Worker], error) {
		items, err := many(tx, scanWorker, tx.timed(query), append(args, ask.Limit+1)...)
		return page(items, ask, func(w fleet.Worker) string { return string(w.ID) }), err
	})
}

// number is how a truth value stands in a column.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// UsableWorkers returns every worker that is not revoked, in order of age: what
// fleet.Place chooses from, and what a hub knows at its start.
func (s *Store) UsableWorkers(ctx context.Context) ([]fleet.Worker, error) {
	return read(ctx, s, func(tx *Tx) ([]fleet.Worker, error) {
		return many(tx, scanWorker, tx.timed(`SELECT `+workerColumns+` FROM workers WHERE revoked = 0 ORDER BY id LIMIT ?`), maxWorkers)
	})
}
