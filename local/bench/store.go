package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/core/store"
	"berth/hub/adapter/postgres"
	"berth/hub/adapter/sqlite"
	"berth/local/stand/pgserver"
)

// storeTime is how long each figure of a database is measured in one turn.
const storeTime = 2 * time.Second

// storeWays are how rows are committed: lines of a log, which is what is stored most.
var storeWays = []struct {
	name    string
	writers int
	rows    int // in one commit
}{
	{"single commits/s, one writer", 1, 1},
	{"single commits/s, eight writers", 8, 1},
	{"rows/s in groups of 100", 1, 100},
}

// measureStore compares the databases: each way in turns, several times, and the medians of it.
func measureStore(ctx context.Context, b *bench) (figures []figure, err error) {
	embedded, err := sqlite.Open(ctx, filepath.Join(b.dir, "store"), nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, embedded.Close()) }()
	dir, err := os.MkdirTemp("", "bench-postgres-") // the server runs as another user, who may not enter the bench's
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	server, err := pgserver.Open(dir, pgserver.Options{Durable: true})
	if err != nil {
		return nil, err
	}
	defer server.Kill()
	if err := server.Exec("postgres", `CREATE DATABASE bench TEMPLATE template0`); err != nil {
		return nil, err
	}
	remote, err := postgres.Open(ctx, server.TCP("bench"), postgres.Server())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remote.Close()) }()
	logs := make([]*storedLog, 2)
	for i, db := range []*store.DB{embedded, remote} {
		if logs[i], err = newStoredLog(ctx, db); err != nil {
			return nil, err
		}
	}
	for _, way := range storeWays {
		rates := make([][]float64, len(logs))
		for range 3 {
			for i, l := range logs {
				rate, err := l.rate(ctx, way.writers, way.rows)
				if err != nil {
					return nil, err
				}
				rates[i] = append(rates[i], rate)
			}
		}
		figures = append(figures, figure{name: way.name, result: fmt.Sprintf("SQLite %.0f, PostgreSQL %.0f", median(rates[0]), median(rates[1]))})
	}
	return figures, nil
}

// storedLog is the log of one deployment in a database.
type storedLog struct {
	store      *store.Store
	deployment core.DeploymentID

	mu   sync.Mutex
	last uint64 // number of the last line; guarded by mu
}

func newStoredLog(ctx context.Context, db *store.DB) (*storedLog, error) {
	now := time.Now()
	if err := db.Migrate(ctx, now); err != nil {
		return nil, err
	}
	l := &storedLog{store: store.New(db, time.Now)}
	r := repositories.Repository{ID: core.RepositoryID(core.NewID(core.PrefixRepository, now)), Name: "bench", URL: "https://git.example/bench", CreatedAt: now}
	if _, err := l.store.AddRepository(ctx, r, access.System.Audit("repository.create", string(r.ID), "")); err != nil {
		return nil, err
	}
	st := stacks.Stack{ID: core.StackID(core.NewID(core.PrefixStack, now)), Name: "bench", Repository: r.ID}
	_, d, err := l.store.CreateStack(ctx, st, &stacks.Ask{Stack: st.ID, Trigger: stacks.TriggerManual, Actor: "bench"}, access.System)
	if err == nil {
		l.deployment = d.ID
	}
	return l, err
}

// lines makes the next lines of the log.
func (l *storedLog) lines(n int) []stacks.LogLine {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := make([]stacks.LogLine, n)
	for i := range lines {
		l.last++
		lines[i] = stacks.LogLine{Deployment: l.deployment, Number: l.last, At: time.Now(), Text: "pulling the image of web: layer 3 of 7, 41 MB of 120 MB\n"}
	}
	return lines
}

// rate returns how many rows are committed in a second.
func (l *storedLog) rate(ctx context.Context, writers, rows int) (float64, error) {
	var all sync.WaitGroup
	counts, errs := make([]int, writers), make([]error, writers)
	began := time.Now()
	for i := range writers {
		all.Go(func() {
			for time.Since(began) < storeTime && errs[i] == nil {
				errs[i] = l.store.SaveProgress(ctx, nil, l.lines(rows))
				counts[i] += rows
			}
		})
	}
	all.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / time.Since(began).Seconds(), errors.Join(errs...)
}
