package hub

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/coretest"
	"berth/core/fleet"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/hub/link"
)

// quiet is a hub on a store in which nothing is to be done and every question takes as long
// as it is told. It runs in a bubble of testing/synctest.
type quiet struct {
	Store
	t    *testing.T
	hub  *Hub
	slow time.Duration
	ends context.CancelFunc
	done chan error
}

func newQuiet(t *testing.T, slow time.Duration) *quiet {
	return newQuietOn(t, slow, func(q *quiet) Store { return q })
}

// newQuietOn is newQuiet with something around the store.
func newQuietOn(t *testing.T, slow time.Duration, around func(*quiet) Store) *quiet {
	q := &quiet{t: t, slow: slow, done: make(chan error, 1)}
	q.hub = New(Options{Store: around(q), Fleet: quietFleet{q}, Files: &sweptFiles{}, Snapshots: coretest.Deaf{}, Meter: coretest.Deaf{}, Scan: time.Hour, Heartbeat: 30 * time.Second,
		Version: "test", Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	ctx, cancel := context.WithCancel(context.Background())
	q.ends = cancel
	go func() { q.done <- q.hub.Run(ctx) }()
	return q
}

// stop ends the hub and returns how long that took.
func (q *quiet) stop() time.Duration {
	q.t.Helper()
	started := time.Now()
	q.ends()
	if err := <-q.done; err != nil {
		q.t.Errorf("the hub ended with %v", err)
	}
	return time.Since(started)
}

// serve gives the hub a link and returns the worker's end of it.
func (q *quiet) serve(id core.WorkerID) *link.End {
	here, there := link.Pair()
	go q.hub.Serve(context.Background(), there, id, string(id))
	return here
}

// connect is serve for a worker that reads and has been welcomed.
func (q *quiet) connect(id core.WorkerID) *puppet {
	q.t.Helper()
	here := q.serve(id)
	p := &puppet{t: q.t, end: here, link: link.New(here, link.Options{Side: link.Worker}), messages: make(chan any, 100), over: make(chan struct{})}
	go func() {
		defer close(p.over)
		p.link.Run(context.Background(), func(_ context.Context, msg any) error {
			p.messages <- msg
			return nil
		})
	}()
	p.send(hello(id))
	<-p.messages
	return p
}

func hello(id core.WorkerID) wire.Hello {
	return wire.Hello{Version: "test", Hostname: string(id), Tags: []string{}, OS: "linux", Arch: "amd64", Journal: []wire.JournalEntry{}}
}

// takes waits as long as a question to the store takes.
func (q *quiet) takes(ctx context.Context) error {
	select {
	case <-time.After(q.slow):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *quiet) Repositories(ctx context.Context) ([]repositories.Repository, error) {
	return nil, q.takes(ctx)
}
func (q *quiet) QueueRetries(ctx context.Context) (int, error) { return 0, q.takes(ctx) }
func (q *quiet) QueueHeals(ctx context.Context) (int, error)   { return 0, q.takes(ctx) }
func (q *quiet) OpenDeployments(ctx context.Context) ([]stacks.Deployment, error) {
	return nil, q.takes(ctx)
}
func (q *quiet) WorkersWithQueuedCommands(ctx context.Context) ([]core.WorkerID, error) {
	return nil, q.takes(ctx)
}
func (q *quiet) OldestCommands(ctx context.Context, _ core.WorkerID, _ bool, _ int) ([]stacks.Command, error) {
	return nil, q.takes(ctx)
}
func (q *quiet) OpenCommands(ctx context.Context, _ core.WorkerID) ([]stacks.Command, error) {
	return nil, q.takes(ctx)
}
func (q *quiet) SaveObserved(ctx context.Context, _ core.WorkerID, _ []stacks.Observation, _ bool, _ time.Time) ([]core.StackID, error) {
	return nil, q.takes(ctx)
}
func (q *quiet) Figures(ctx context.Context) (stacks.Figures, error) {
	return stacks.Figures{}, q.takes(ctx)
}
func (q *quiet) JobFigures(ctx context.Context) (jobs.Figures, error) {
	return jobs.Figures{}, q.takes(ctx)
}
func (q *quiet) Size(ctx context.Context) (int64, error)              { return 0, q.takes(ctx) }
func (q *quiet) Prune(ctx context.Context, _ time.Time) (bool, error) { return false, q.takes(ctx) }
func (q *quiet) KeptRevisions(ctx context.Context, _ core.StackID, _, _ int) ([]stacks.KeptRevision, error) {
	return nil, q.takes(ctx)
}
func (q *quiet) Room() bool                             { return true }
func (q *quiet) TakeBackRuns(ctx context.Context) error { return q.takes(ctx) }
func (q *quiet) SetDue(ctx context.Context, _ func(jobs.Job) time.Time) error {
	return q.takes(ctx)
}
func (q *quiet) JobContent(ctx context.Context, _ func(jobs.ConfigFile)) error {
	return q.takes(ctx)
}
func (q *quiet) DueJobs(ctx context.Context, _ time.Time, _ int) ([]jobs.Job, time.Time, error) {
	return nil, time.Time{}, q.takes(ctx)
}
func (q *quiet) WaitingRuns(ctx context.Context, _ time.Time) ([]core.JobID, time.Time, error) {
	return nil, time.Time{}, q.takes(ctx)
}

type quietFleet struct{ q *quiet }

func (f quietFleet) Connected(ctx context.Context, _ core.WorkerID, _ wire.Hello) (uint64, error) {
	return 1, f.q.takes(ctx)
}
func (f quietFleet) WorkerLeft(ctx context.Context, _ core.WorkerID, _ uint64) error {
	return f.q.takes(ctx)
}
func (f quietFleet) AllWorkersLeft(ctx context.Context) error { return f.q.takes(ctx) }
func (f quietFleet) UsableWorkers(ctx context.Context) ([]fleet.Worker, error) {
	return nil, f.q.takes(ctx)
}

// A hub that is told to stop has ended within 8 seconds, whatever its workers do and however
// slow the store is.
func TestO11AStopWithManyLinks(t *testing.T) {
	for name, slow := range map[string]time.Duration{"a quick store": 0, "a store that takes 5 s": 5 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQuiet(t, slow)
				for i := range manySessions {
					id := core.WorkerID(fmt.Sprintf("wrk_%04d", i))
					switch i % 4 {
					case 0: // says nothing at all
						q.serve(id)
					case 1: // says hello, and never reads
						if _, err := sayHello(q.serve(id), id); err != nil {
							t.Fatal(err)
						}
					case 2: // has network trouble
						end, err := sayHello(q.serve(id), id)
						if err != nil {
							t.Fatal(err)
						}
						end.Stall(true)
					default:
						q.connect(id)
					}
				}
				for _, s := range q.some(20) { // there is more to read than any buffer holds
					for s.link.TrySend(wire.BlobChunk{Digest: digestOfNothing, Data: make([]byte, 32<<10)}) {
					}
				}
				synctest.Wait()
				if took := q.stop(); took > 8*time.Second {
					t.Errorf("the stop took %v", took)
				}
				synctest.Wait()
			})
		})
	}
}

const digestOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// some returns at most n of the sessions.
func (q *quiet) some(n int) []*session {
	q.hub.mu.Lock()
	defer q.hub.mu.Unlock()
	var some []*session
	for s := range q.hub.links {
		if len(some) < n {
			some = append(some, s)
		}
	}
	return some
}

func sayHello(end *link.End, id core.WorkerID) (*link.End, error) {
	frame, err := wire.Encode(hello(id))
	if err == nil {
		err = end.WriteFrame(frame)
	}
	return end, err
}

// A store that takes 5 seconds for every question slows everything down, but nothing piles up.
func TestN12ASlowStorePilesNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 40
		q := newQuiet(t, 5*time.Second)
		var all []*puppet
		for i := range workers {
			all = append(all, q.connect(core.WorkerID(fmt.Sprintf("wrk_%04d", i))))
		}
		synctest.Wait()
		before := runtime.NumGoroutine()
		for range 60 {
			for _, p := range all {
				p.link.TrySend(wire.Observed{Complete: true, Stacks: []wire.StackObserved{}})
			}
			q.hub.Nudge()
			<-time.After(time.Second)
		}
		synctest.Wait()
		if after := runtime.NumGoroutine(); after > before+16 {
			t.Errorf("%d goroutines, after a minute %d", before, after)
		}
		if took := q.stop(); took > 8*time.Second {
			t.Errorf("the stop took %v", took)
		}
		for _, p := range all {
			<-p.over
		}
	})
}
