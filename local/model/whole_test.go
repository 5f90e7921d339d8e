package model

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/coretest"
	"berth/core/fleet"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/core/store"
	"berth/core/wire"
	realhub "berth/hub"
	"berth/hub/adapter/yaml"
	wirelink "berth/hub/link"
	"berth/hub/worker"
)

// whole is the real hub on the real store, and two real workers with journals on a disk, each on
// a machine of its own, with links in memory between them.
type whole struct {
	random   *rand.Rand
	data     *database
	store    *store.Store
	git      *coretest.FakeGit
	opts     realhub.Options
	dir      string
	stack    core.StackID
	workers  [2]fleet.Worker
	machines [2]*machine
	life     sync.WaitGroup

	hubFuse atomic.Int64 // commits until the hub dies; 0: it lives
	hubDead atomic.Bool
	hub     atomic.Pointer[running]
	hosts   [2]*running
	copies  int

	mu    sync.Mutex // guards what follows
	tale  []string
	wrong []string
}

// running is one life of a hub or worker.
type running struct {
	hub    *realhub.Hub
	ctx    context.Context
	kill   context.CancelFunc
	over   chan struct{}
	dead   context.Context // of a worker: what it does from here on has no effect
	strike context.CancelFunc
	dir    string // of a worker's data
	fuse   atomic.Int64
	mu     sync.Mutex
	ends   []*wirelink.End
}

const gitURL = "https://git.example/apps.git"

func newWhole(t *testing.T, seed uint64, data *database, db *store.DB, dir string) *whole {
	v := &whole{random: rand.New(rand.NewPCG(seed, 1)), data: data, git: coretest.NewFakeGit(), dir: dir}
	v.store = store.New(db, time.Now)
	ctx := context.Background()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := v.store.AddRepository(ctx, repositories.Repository{ID: core.RepositoryID(core.NewID(core.PrefixRepository, time.Now())), Name: "apps",
		URL: gitURL, Branch: "main", CreatedAt: time.Now()}, access.System.Audit("repository.create", "", ""))
	must(err)
	for i := range v.workers {
		token := fleet.Token{ID: core.WorkerTokenID(core.NewID(core.PrefixWorkerToken, time.Now())), CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour)}
		must(v.store.AddWorkerToken(ctx, token, []byte("mac"), access.System.Audit("worker_token.create", "", "")))
		v.workers[i], err = v.store.EnrolWorker(ctx, token.ID, func(fleet.Held) (fleet.Enrolment, error) {
			return fleet.Enrolment{First: true, Audit: access.System.Audit("worker.enrol", "", ""), Worker: fleet.Worker{ID: core.WorkerID(core.NewID(core.PrefixWorker, time.Now())),
				TokenID: token.ID, Hostname: fmt.Sprintf("host-%d", i), Tags: []string{}, CreatedAt: time.Now()}}, nil
		})
		must(err)
		v.machines[i] = &machine{id: fmt.Sprintf("engine-%d", i), effects: map[string]bool{}}
	}
	v.push(false)
	st, _, err := v.store.CreateStack(ctx, stacks.Stack{ID: core.StackID(core.NewID(core.PrefixStack, time.Now())), Name: "web", Repository: r.ID, Path: "web",
		Worker: v.workers[0].ID, AutoSync: true}, nil, person)
	must(err)
	v.stack = st.ID
	v.opts = realhub.Options{Store: v.store, Fleet: facts{v.store}, Sources: sources{}, Variables: variables{}, Files: &files{compose: map[string][]byte{}}, Git: v.git,
		Compose: lines{}, Documents: yaml.Rendered{}, Rendered: yaml.Rendered{}, Snapshots: coretest.Deaf{}, Meter: coretest.Deaf{}, Scan: 20 * time.Second,
		Heartbeat: 10 * time.Second, Version: "model", Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	v.data.conn.gate = v.gate
	return v
}

func (v *whole) tell(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tale = append(v.tale, time.Now().Format("04:05.000 ")+fmt.Sprintf(format, args...))
}

func (v *whole) complain(format string, args ...any) {
	v.tell("WRONG: "+format, args...)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.wrong = append(v.wrong, fmt.Sprintf(format, args...))
}

// gate is the hub's end at a commit: once it is dead nothing reaches the database.
func (v *whole) gate(moment string) error {
	if v.hubDead.Load() {
		return context.Canceled
	}
	if moment == "begin" {
		return nil
	}
	if v.hubFuse.Load() > 0 && v.hubFuse.Add(-1) == 0 {
		v.hubDead.Store(true)
		v.tell("the hub dies %s", moment)
		return context.Canceled
	}
	return nil
}

// startHub begins a life of the hub.
func (v *whole) startHub() {
	r := &running{over: make(chan struct{})}
	r.ctx, r.kill = context.WithCancel(context.Background())
	v.hubDead.Store(false)
	r.hub = realhub.New(v.opts)
	v.hub.Store(r)
	v.tell("the hub starts")
	if err := r.hub.Prepare(r.ctx); err != nil {
		v.complain("the hub cannot start: %v", err)
	}
	go func() {
		defer close(r.over)
		r.hub.Run(r.ctx)
	}()
}

// endHub is a crash, if it has not come already: nothing is stored from here on.
func (v *whole) endHub() {
	v.hubFuse.Store(0)
	v.hubDead.Store(true)
	v.tell("the hub is dead")
	for _, r := range v.hosts {
		r.cut()
	}
	v.hub.Load().kill()
	<-v.hub.Load().over
}

func (r *running) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.ends {
		e.Cut()
	}
	r.ends = nil
}

// startWorker begins a life of a worker on a data directory.
func (v *whole) startWorker(i int, dir string) {
	r := &running{over: make(chan struct{}), dir: dir}
	r.ctx, r.kill = context.WithCancel(context.Background())
	r.dead, r.strike = context.WithCancel(context.Background())
	v.hosts[i] = r
	v.tell("worker %d starts", i)
	seed := make([]byte, ed25519.SeedSize)
	seed[0] = byte(i)
	e := &engine{machine: v.machines[i], dead: r.dead, passing: func(moment string) { v.passing(i, r, moment) }}
	w := worker.New(worker.Options{Engine: e, Key: ed25519.NewKeyFromSeed(seed), DataDir: dir, Hostname: v.workers[i].Hostname, Version: "model",
		Heartbeat: 10 * time.Second, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: time.Now,
		Dial: func(context.Context) (wirelink.Conn, wire.Enrolled, error) { return v.dial(i, r) }})
	go func() {
		defer close(r.over)
		if err := w.Run(r.ctx); err != nil {
			v.complain("worker %d cannot run: %v", i, err)
		}
	}()
}

// passing is a moment at which a worker may die: around an effect, around a message.
func (v *whole) passing(i int, r *running, moment string) {
	if r.fuse.Load() > 0 && r.fuse.Add(-1) == 0 {
		v.tell("worker %d dies %s", i, moment)
		v.strike(r)
	}
}

// strike ends what a worker can do: its data is copied as it is, and its engine and links are out
// of reach.
func (v *whole) strike(r *running) {
	r.mu.Lock()
	if r.dead.Err() != nil {
		r.mu.Unlock()
		return
	}
	r.strike()
	v.mu.Lock()
	v.copies++
	next := filepath.Join(v.dir, fmt.Sprintf("data-%d", v.copies))
	v.mu.Unlock()
	copyData(r.dir, next)
	r.dir = next
	r.mu.Unlock()
	r.cut()
}

// endWorker is a crash, if it has not come already.
func (v *whole) endWorker(i int) {
	r := v.hosts[i]
	v.strike(r)
	v.tell("worker %d is dead", i)
	r.kill()
	<-r.over
}

// dial connects a worker with the hub.
func (v *whole) dial(i int, r *running) (wirelink.Conn, wire.Enrolled, error) {
	if r.dead.Err() != nil || v.hubDead.Load() {
		return nil, wire.Enrolled{}, errDead
	}
	here, there := wirelink.Pair()
	r.mu.Lock()
	r.ends = append(r.ends, here)
	r.mu.Unlock()
	h := v.hub.Load().hub
	v.life.Go(func() {
		h.Serve(context.Background(), &spied{End: there, whole: v}, v.workers[i].ID, v.workers[i].Hostname)
	})
	return &frames{End: here, whole: v, host: i, life: r}, wire.Enrolled{WorkerID: v.workers[i].ID, HeartbeatSeconds: 10, Time: time.Now()}, nil
}

// copyData is what a crash leaves of a worker's data.
func copyData(from, to string) {
	err := filepath.WalkDir(from, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return nil // it was removed while we looked
		}
		at := filepath.Join(to, path[len(from):])
		if e.IsDir() {
			return os.MkdirAll(at, 0o700)
		}
		if e.Name() == "lock" {
			return nil
		}
		content, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return os.WriteFile(at, content, 0o600)
	})
	if err != nil {
		panic(err)
	}
}
