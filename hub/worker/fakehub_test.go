package worker

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/policy"
	"berth/core/wire"
	"berth/hub/link"
	"berth/hub/worker/journal"
)

// fakeHub is the hub's side of a worker under test: it admits connections, or refuses
// them, and hands each to the test.
type fakeHub struct {
	t     *testing.T
	links chan *hubEnd

	mu      sync.Mutex
	refusal error // of the next dials
	dials   []time.Time
	epoch   uint64
}

func newHub(t *testing.T) *fakeHub { return &fakeHub{t: t, links: make(chan *hubEnd, 100)} }

const hubBeat = 30 // seconds between heartbeats, as the hub wants them

func (h *fakeHub) dial(ctx context.Context) (link.Conn, wire.Enrolled, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dials = append(h.dials, time.Now())
	if h.refusal != nil {
		return nil, wire.Enrolled{}, h.refusal
	}
	a, b := link.Pair()
	h.epoch++
	h.links <- newHubEnd(h.t, b, h.epoch)
	return a, wire.Enrolled{WorkerID: core.WorkerID(id("wrk")), HeartbeatSeconds: hubBeat, Time: time.Now()}, nil
}

func (h *fakeHub) refuse(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refusal = err
}

func (h *fakeHub) dialled() []time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]time.Time(nil), h.dials...)
}

// hubEnd is one link, seen from the hub. It answers heartbeats.
type hubEnd struct {
	t     *testing.T
	end   *link.End
	link  *link.Link
	epoch uint64
	got   chan any
	early []any         // Events that came before the Accepted of their command, for who awaits them next
	over  chan struct{} // closed when the link is over
	err   error         // why; set before over is closed

	changes bool // it takes snapshots of what changed
}

func newHubEnd(t *testing.T, end *link.End, epoch uint64) *hubEnd {
	h := &hubEnd{t: t, end: end, link: link.New(end, link.Options{Side: link.Hub, ReadTimeout: 3 * hubBeat * time.Second}), epoch: epoch,
		got: make(chan any, 100_000), over: make(chan struct{})}
	go func() {
		h.err = h.link.Run(context.Background(), func(ctx context.Context, msg any) error {
			if beat, is := msg.(wire.Heartbeat); is {
				return h.link.Send(ctx, wire.HeartbeatAck{Number: beat.Number})
			}
			h.got <- msg
			return nil
		})
		close(h.over)
	}()
	return h
}

func (h *hubEnd) send(msg any) {
	h.t.Helper()
	if err := h.link.Send(context.Background(), msg); err != nil {
		h.t.Errorf("the hub cannot send %T: %v", msg, err)
	}
}

// await returns the next message of a type for which ok holds, and drops those before it.
func await[T any](h *hubEnd, what string, ok func(T) bool) T {
	h.t.Helper()
	limit := time.NewTimer(30 * time.Minute)
	defer limit.Stop()
	for len(h.early) > 0 {
		msg := h.early[0]
		h.early = h.early[1:]
		if m, is := msg.(T); is && ok(m) {
			return m
		}
	}
	for {
		select {
		case msg := <-h.got:
			if m, is := msg.(T); is && ok(m) {
				return m
			}
		case <-limit.C:
			h.t.Fatalf("the worker did not send %s", what)
		}
	}
}

func any1[T any](T) bool { return true }

// greet says Welcome and settles the worker's journal as do says.
func (h *hubEnd) greet(do func(wire.JournalEntry) wire.Settlement) wire.Hello {
	h.t.Helper()
	hello := await(h, "Hello", any1[wire.Hello])
	welcome := wire.Welcome{Epoch: h.epoch, HeartbeatSeconds: hubBeat, Version: "hub", Changes: h.changes, Settle: []wire.Instruction{}}
	for _, e := range hello.Journal {
		welcome.Settle = append(welcome.Settle, wire.Instruction{ID: e.ID, Attempt: e.Attempt, Do: do(e)})
	}
	h.send(welcome)
	return hello
}

func goOn(wire.JournalEntry) wire.Settlement { return wire.SettleRun }

// accepted awaits the Accepted of a command. The first Events of the command may come before it: they are kept. Its
// Result may not.
func (h *hubEnd) accepted(id core.CommandID) {
	h.t.Helper()
	var early []any
	await(h, "Accepted", func(msg any) bool {
		switch m := msg.(type) {
		case wire.Accepted:
			return m.ID == id
		case wire.Event:
			if m.ID == id {
				early = append(early, m)
			}
		case wire.Result:
			if m.ID == id {
				h.t.Errorf("the result %+v came before its Accepted", m)
			}
		}
		return false
	})
	h.early = append(early, h.early...)
}

func (h *hubEnd) result(id core.CommandID) wire.Result {
	h.t.Helper()
	return await(h, "Result of "+string(id), func(m wire.Result) bool { return m.ID == id })
}

func (h *hubEnd) ack(id core.CommandID, attempt int) {
	h.send(wire.ResultAck{ID: id, Attempt: attempt})
}

// silentFor fails when the worker sends a message of a type for which bad holds within d.
func silentFor[T any](h *hubEnd, d time.Duration, bad func(T) bool) {
	h.t.Helper()
	for _, msg := range h.early {
		if m, is := msg.(T); is && bad(m) {
			h.t.Fatalf("the worker sent %+v", m)
		}
	}
	h.early = nil
	limit := time.NewTimer(d)
	defer limit.Stop()
	for {
		select {
		case msg := <-h.got:
			if m, is := msg.(T); is && bad(m) {
				h.t.Fatalf("the worker sent %+v", m)
			}
		case <-limit.C:
			return
		}
	}
}

// setup is a worker under test with its hub and its engine.
type setup struct {
	t      *testing.T
	hub    *fakeHub
	engine *fakeEngine
	dir    string
	log    *logBook
	now    core.Clock
	limits *policy.Rules // the policy file of the host; nil: there is none
	worker *Worker
	stop   func() time.Duration // ends the worker and tells how long that took
}

func newSetup(t *testing.T) *setup {
	return &setup{t: t, hub: newHub(t), engine: newEngine(), dir: t.TempDir(), log: &logBook{}, now: time.Now}
}

// make makes a worker on the setup's directories.
func (s *setup) make() *Worker {
	s.t.Helper()
	key, err := Identity(filepath.Join(s.dir, "data"))
	if err != nil {
		s.t.Fatal(err)
	}
	return New(Options{
		Dial: s.hub.dial, Engine: s.engine, Key: key, DataDir: filepath.Join(s.dir, "data"), StackDir: filepath.Join(s.dir, "stacks"),
		Hostname: "host-1", Tags: []string{"eu"}, Version: "test", Heartbeat: 10 * time.Second, Log: slog.New(slog.NewTextHandler(s.log, nil)), Now: s.now, Limits: s.limits,
	})
}

// start begins a worker.
func (s *setup) start() *setup {
	s.t.Helper()
	w := s.make()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	s.worker = w
	var once sync.Once
	s.stop = func() (took time.Duration) {
		once.Do(func() {
			began := time.Now()
			cancel()
			if err := <-done; err != nil {
				s.t.Errorf("Run: %v", err)
			}
			took = time.Since(began)
		})
		return took
	}
	return s
}

// link returns the next connection that the worker makes.
func (s *setup) link() *hubEnd {
	s.t.Helper()
	limit := time.NewTimer(30 * time.Minute)
	defer limit.Stop()
	select {
	case h := <-s.hub.links:
		return h
	case <-limit.C:
		s.t.Fatal("the worker did not connect")
		return nil
	}
}

// greeted returns the next connection, in service.
func (s *setup) greeted() *hubEnd {
	s.t.Helper()
	h := s.link()
	h.greet(goOn)
	return h
}

// files returns every file below the setup's directory with its content.
func (s *setup) files() map[string]string {
	s.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(s.dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		files[name] = string(data)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}

// journal reads the journal of a worker that is not running.
func (s *setup) journal() []journal.Entry {
	s.t.Helper()
	j, _, err := journal.Open(filepath.Join(s.dir, "data", "journal"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer j.Close()
	return j.Entries()
}

// logBook keeps what the worker logs.
type logBook struct {
	mu   sync.Mutex
	text []byte
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	return len(p), nil
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

var counter struct {
	mu sync.Mutex
	n  int64
}

// id returns a fresh identifier.
func id(prefix string) string {
	counter.mu.Lock()
	defer counter.mu.Unlock()
	counter.n++
	return core.NewID(prefix, time.UnixMilli(counter.n))
}

// deployOf returns a command that deploys a revision.
func deployOf(h *hubEnd, stack core.StackID, revision int, change ...func(*wire.Deploy)) wire.Command {
	d := &wire.Deploy{
		Stack: stack, Deployment: core.DeploymentID(id("dep")), Project: "p-" + string(stack[len(stack)-6:]), Revision: revision,
		Commit: core.Commit(fmt.Sprintf("%040x", revision)), Compose: []byte("services: {}\n"), Content: []core.Content{},
		Secrets: map[string]string{}, RemoveOrphans: true, HealthSeconds: 60, StableSeconds: 1.5,
	}
	for _, edit := range change {
		edit(d)
	}
	return wire.Command{ID: core.CommandID(id("cmd")), Attempt: 1, Epoch: h.epoch, Seconds: 600, Kind: wire.CommandDeploy, Deploy: d}
}

func teardownOf(h *hubEnd, d *wire.Deploy, volumes bool) wire.Command {
	return wire.Command{ID: core.CommandID(id("cmd")), Attempt: 1, Epoch: h.epoch, Seconds: 600, Kind: wire.CommandTeardown,
		Teardown: &wire.Teardown{Stack: d.Stack, Project: d.Project, Volumes: volumes}}
}

func newStack() core.StackID { return core.StackID(id("stk")) }
