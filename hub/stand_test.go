package hub

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/store"
	"berth/core/variables"
	"berth/core/wire"
	"berth/hub/adapter/sqlite"
	"berth/hub/adapter/yaml"
	"berth/hub/link"
	"berth/hub/revisionfiles"
)

// patience is how long anything is waited for.
const patience = 60 * time.Second

const repositoryURL = "https://git.example/apps.git"

// stand is a hub on a real store, with a Git host and a Compose reader in memory.
type stand struct {
	t        *testing.T
	dir      string // of the database
	store    *store.Store
	ring     *seal.Ring
	git      *coretest.FakeGit
	hub      *Hub
	desk     *stacks.Desk
	mu       sync.Mutex
	secrets  map[string]secrets.Value // guarded by mu
	missing  []string                 // names of secrets that runs need and that are not there
	slow     chan struct{}            // guarded by mu; not nil: values are given once it is closed
	slowRuns chan struct{}            // guarded by mu; not nil: runs see their variables once it is closed
	repo     core.RepositoryID
	ahead    atomic.Int64 // nanoseconds by which the hub's clock is ahead
	stop     func()
}

func (s *stand) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

func newStand(t *testing.T) *stand { return newStandThatScans(t, time.Hour) }

// newStandThatScans polls by itself, where newStand's hub looks only when asked.
func newStandThatScans(t *testing.T, scan time.Duration) *stand {
	t.Helper()
	return newStandWith(t, func(o *Options) { o.Scan = scan })
}

// newStandWith lets change set what the hub is made of.
func newStandWith(t *testing.T, change func(*Options)) *stand {
	t.Helper()
	dir := t.TempDir()
	db, err := sqlite.Open(t.Context(), dir, func(err error) { t.Errorf("the database broke: %v", err) })
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Migrate(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	files, err := revisionfiles.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stand{t: t, dir: dir, git: coretest.NewFakeGit(), secrets: map[string]secrets.Value{}}
	s.store = store.New(db, s.now)
	if s.ring, err = seal.NewRing(rand.Reader); err != nil {
		t.Fatal(err)
	}
	opts := Options{
		Store: s.store, Fleet: standFleet{s.store}, Sources: standSources{}, Variables: s, Seals: s.ring, Files: files, Git: s.git,
		Compose: lineCompose{}, Documents: yaml.Reader{}, Rendered: yaml.Rendered{}, Snapshots: coretest.Deaf{}, Meter: coretest.Deaf{},
		Scan: time.Hour, Heartbeat: time.Minute, Version: "test", Now: s.now, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	change(&opts)
	s.hub = New(opts)
	s.desk = stacks.NewDesk(s.store, s.hub, time.Now)
	r, err := s.store.AddRepository(t.Context(), repositories.Repository{ID: core.RepositoryID(core.NewID(core.PrefixRepository, time.Now())),
		Name: "apps", URL: repositoryURL, Branch: "main", CreatedAt: time.Now()}, access.System.Audit("repository.create", "", ""))
	if err != nil {
		t.Fatal(err)
	}
	s.repo = r.ID
	s.start()
	t.Cleanup(func() {
		s.stop()
		db.Close()
	})
	// There is nothing to see yet; from here on the hub looks when the test wants it to.
	s.eventually("the hub has looked once", func() bool { return s.repository().ErrorCode != "" })
	return s
}

// start runs the hub until stop is called.
func (s *stand) start() {
	ctx, cancel := context.WithCancel(context.Background())
	if err := s.hub.Prepare(ctx); err != nil {
		s.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.hub.Run(ctx) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Errorf("the hub ended with %v", err)
		}
	})
}

// restart ends the hub and runs a new one on the same store; what happens in between.
func (s *stand) restart(between ...func()) {
	s.stop()
	for _, what := range between {
		what()
	}
	s.hub = New(s.hub.opts)
	s.desk = stacks.NewDesk(s.store, s.hub, time.Now)
	s.start()
}

// watchWrites returns a function that reports whether anything was written since the last call.
func (s *stand) watchWrites() func() bool {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.dir, sqlite.File))
	if err != nil {
		s.t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // the pragma tells what other connections wrote since this one looked
	s.t.Cleanup(func() { db.Close() })
	last := -1
	return func() bool {
		var version int
		if err := db.QueryRow("PRAGMA data_version").Scan(&version); err != nil {
			s.t.Fatal(err)
		}
		changed := version != last
		last = version
		return changed
	}
}

// commit puts files on the branch.
func (s *stand) commit(files map[string]string) core.Commit {
	return s.git.Commit(repositoryURL, "main", files)
}

// look asks for a look at the repository, as a person or a webhook does.
func (s *stand) look() {
	s.t.Helper()
	if _, err := s.store.AskSync(s.t.Context(), s.repo, time.Now(), access.System); err != nil {
		s.t.Fatal(err)
	}
	s.hub.Nudge()
}

// add adds a stack on a worker.
func (s *stand) add(name, folder string, worker core.WorkerID, auto bool) stacks.Stack {
	s.t.Helper()
	st, _, err := s.desk.Create(s.t.Context(), stacks.Draft{Name: name, Repository: s.repo, Path: folder, Worker: worker, AutoSync: auto}, access.System)
	if err != nil {
		s.t.Fatal(err)
	}
	return st
}

// enrol registers a worker without connecting it.
func (s *stand) enrol(hostname string, tags ...string) fleet.Worker {
	s.t.Helper()
	token := fleet.Token{ID: core.WorkerTokenID(core.NewID(core.PrefixWorkerToken, time.Now())), CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour)}
	if err := s.store.AddWorkerToken(s.t.Context(), token, []byte("mac"), access.System.Audit("worker_token.create", "", "")); err != nil {
		s.t.Fatal(err)
	}
	w, err := s.store.EnrolWorker(s.t.Context(), token.ID, func(fleet.Held) (fleet.Enrolment, error) {
		return fleet.Enrolment{Worker: fleet.Worker{ID: core.WorkerID(core.NewID(core.PrefixWorker, time.Now())), TokenID: token.ID, Hostname: hostname,
			Tags: tags, Version: "test", OS: "linux", Arch: "amd64", CreatedAt: time.Now()}, First: true, Audit: access.System.Audit("worker.enrol", "", "")}, nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return w
}

// eventually waits until holds is true; what says what was waited for.
func (s *stand) eventually(what string, holds func() bool) {
	s.t.Helper()
	deadline, ticker := time.Now().Add(patience), time.NewTicker(5*time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		if time.Now().After(deadline) {
			s.t.Fatalf("did not come true within %v: %s", patience, what)
		}
		<-ticker.C
	}
}

// stackIs waits for a stack's status.
func (s *stand) stackIs(id core.StackID, status stacks.Status) stacks.Stack {
	s.t.Helper()
	var st stacks.Stack
	defer func() {
		if s.t.Failed() && st.Status != status {
			s.t.Logf("the stack is %+v, its deployments are %+v", st, s.deployments(id))
		}
	}()
	s.eventually(fmt.Sprintf("stack %s is %s", id, status), func() bool {
		var err error
		if st, err = s.store.Stack(s.t.Context(), id); err != nil {
			s.t.Fatal(err)
		}
		return st.Status == status
	})
	return st
}

// deployments returns a stack's deployments, newest first.
func (s *stand) deployments(id core.StackID) []stacks.Deployment {
	s.t.Helper()
	list, err := s.store.Deployments(s.t.Context(), stacks.DeploymentFilter{Stack: id}, core.Page{Limit: 100})
	if err != nil {
		s.t.Fatal(err)
	}
	return list.Items
}

// log returns a deployment's whole log.
func (s *stand) log(id core.DeploymentID) string {
	s.t.Helper()
	lines, err := s.store.DeploymentLog(s.t.Context(), id, 0, 10_000)
	if err != nil {
		s.t.Fatal(err)
	}
	var text strings.Builder
	for i, l := range lines {
		if l.Number != uint64(i+1) {
			s.t.Errorf("piece %d of the log has number %d", i+1, l.Number)
		}
		text.WriteString(l.Text)
	}
	return text.String()
}

// secret sets a variable; an empty value takes it away.
func (s *stand) secret(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets[name] = secrets.NewValue(value)
	if value == "" {
		delete(s.secrets, name)
	}
}

// holdSecrets keeps values from being given until release is called.
func (s *stand) holdSecrets() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slow := make(chan struct{})
	s.slow = slow
	return sync.OnceFunc(func() { close(slow) })
}

// ForRendering implements Variables.
func (s *stand) ForRendering(context.Context, core.StackID) ([]core.ComposeVariable, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []core.ComposeVariable
	for name := range s.secrets {
		all = append(all, core.ComposeVariable{Name: name, Secret: true})
	}
	return all, nil
}

// Secrets implements Variables.
func (s *stand) Secrets(ctx context.Context, _ core.StackID, names []string) (map[string]secrets.Value, error) {
	s.mu.Lock()
	slow, all := s.slow, maps.Clone(s.secrets)
	s.mu.Unlock()
	if slow != nil {
		select {
		case <-slow:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	values := map[string]secrets.Value{}
	for _, name := range names {
		v, found := all[name]
		if !found {
			return nil, fault.New(fault.Unavailable, "secret.unresolved", "internal does not give %s", name)
		}
		values[name] = v
	}
	return values, nil
}

// Known implements Variables.
func (s *stand) Known(_ context.Context, _ core.StackID, names []string) (map[string]secrets.Value, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := maps.Clone(s.secrets)
	maps.DeleteFunc(known, func(name string, _ secrets.Value) bool { return !slices.Contains(names, name) })
	return known, nil
}

// Prints implements Variables.
func (s *stand) Prints(_ context.Context, asked map[core.StackID][]string) (map[core.StackID]map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	prints := map[core.StackID]map[string]string{}
	for stack, names := range asked {
		prints[stack] = map[string]string{}
		for _, name := range names {
			if v, found := s.secrets[name]; found {
				prints[stack][name] = s.Fingerprint(name, v)
			}
		}
	}
	return prints, nil
}

// ForRun implements Variables: every secret reaches every run, and what was given for it besides.
func (s *stand) ForRun(ctx context.Context, _ core.JobID, given map[string]string) (variables.Seen, error) {
	s.mu.Lock()
	names, slow := slices.Collect(maps.Keys(s.secrets)), s.slowRuns
	s.mu.Unlock()
	if slow != nil {
		<-slow
	}
	values, err := s.Secrets(ctx, "", append(names, s.missing...))
	return variables.Seen{Plain: maps.Clone(given), Secrets: values}, err
}

// Fingerprint implements Variables.
func (s *stand) Fingerprint(name string, v secrets.Value) string {
	sum := sha256.Sum256([]byte(name + v.Reveal()))
	return hex.EncodeToString(sum[:])
}

type standFleet struct{ *store.Store }

// Connected implements Fleet.
func (f standFleet) Connected(ctx context.Context, id core.WorkerID, hello wire.Hello) (uint64, error) {
	return f.WorkerConnected(ctx, id, fleet.Facts{Hostname: hello.Hostname, Tags: hello.Tags, Version: hello.Version, OS: hello.OS, Arch: hello.Arch, Engine: hello.Engine, Runs: hello.Runs})
}

type standSources struct{}

// Source implements Sources.
func (standSources) Source(_ context.Context, r repositories.Repository) (core.GitSource, error) {
	return core.GitSource{Repository: r.ID, URL: r.URL, Branch: r.Branch, Tag: r.Tag, Semver: r.Semver}, nil
}

// lineCompose reads a "Compose file" of lines: "service NAME", "secret NAME", "mount FILE", "defect".
type lineCompose struct{}

// Read implements core.ComposeReader.
func (lineCompose) Read(ctx context.Context, src core.ComposeSource, blob func(string, []byte) error) (core.ComposeProject, error) {
	text, err := src.Tree.Read(ctx, path.Join(src.Dir, "compose.yaml"), 1<<20)
	if err != nil {
		return core.ComposeProject{}, fault.New(fault.NotFound, "compose.file_missing", "%s has no Compose file.", src.Dir)
	}
	p := core.ComposeProject{YAML: text}
	for line := range strings.Lines(string(text)) {
		kind, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch kind {
		case "service":
			p.Services = append(p.Services, core.ComposeService{Name: name, Image: "image"})
		case "secret":
			p.Services[len(p.Services)-1].Variables = append(p.Services[len(p.Services)-1].Variables, name)
		case "defect":
			panic("a defect of the renderer")
		case "mount":
			content, err := src.Tree.Read(ctx, path.Join(src.Dir, name), 1<<20)
			if err != nil {
				return p, err
			}
			sum := sha256.Sum256(content)
			digest := hex.EncodeToString(sum[:])
			if err := blob(digest, content); err != nil {
				return p, err
			}
			p.Content = append(p.Content, core.Content{Digest: digest, Source: name, Files: []core.ContentFile{{Path: path.Base(name), Digest: digest, Size: int64(len(content))}}})
		}
	}
	return p, nil
}

// puppet is the worker's end of a link, moved by the test.
type puppet struct {
	t        *testing.T
	link     *link.Link
	end      *link.End
	welcome  wire.Welcome
	messages chan any
	early    []any // messages that came before an awaited acknowledgement
	over     chan struct{}
}

// connect links a worker to the hub and exchanges greetings.
func (s *stand) connect(w fleet.Worker, journal ...wire.JournalEntry) *puppet {
	s.t.Helper()
	return s.connectAs(w, wire.Hello{Journal: journal, Engine: "of-" + w.Hostname})
}

// connectAs is connect with a greeting of the test's own.
func (s *stand) connectAs(w fleet.Worker, hello wire.Hello) *puppet {
	s.t.Helper()
	here, there := link.Pair()
	p := &puppet{t: s.t, end: here, link: link.New(here, link.Options{Side: link.Worker}), messages: make(chan any, 100), over: make(chan struct{})}
	served := make(chan struct{})
	hub := s.hub
	go func() {
		defer close(served)
		hub.Serve(context.Background(), there, w.ID, w.Hostname)
	}()
	go func() {
		defer close(p.over)
		p.link.Run(context.Background(), func(_ context.Context, msg any) error {
			p.messages <- msg
			return nil
		})
	}()
	s.t.Cleanup(func() {
		p.leave()
		<-served
	})
	hello.Version, hello.Hostname, hello.OS, hello.Arch = "test", w.Hostname, "linux", "amd64"
	hello.Tags, hello.Journal = append([]string{}, w.Tags...), append([]wire.JournalEntry{}, hello.Journal...)
	p.send(hello)
	p.welcome = expect[wire.Welcome](p)
	return p
}

// online registers a worker and connects it.
func (s *stand) online() (fleet.Worker, *puppet) {
	s.t.Helper()
	w := s.enrol("one")
	return w, s.connect(w)
}

// sent adds a stack whose first deployment has been sent to a worker.
func (s *stand) sent(w fleet.Worker, p *puppet) (stacks.Stack, wire.Command) {
	s.t.Helper()
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st := s.add("web", "web", w.ID, true)
	return st, expect[wire.Command](p)
}

// leave cuts the link, as a power failure does.
func (p *puppet) leave() {
	p.end.Cut()
	<-p.over
}

func (p *puppet) send(msg any) {
	p.t.Helper()
	if err := p.link.Send(p.t.Context(), msg); err != nil {
		p.t.Fatalf("send %T: %v", msg, err)
	}
}

// expect returns the next message, which must be a T. Commands may overtake the acknowledgement
// of a result: they stay for when they are expected.
func expect[T any](p *puppet) T {
	p.t.Helper()
	var want T
	_, acknowledgement := any(want).(wire.ResultAck)
	for {
		var msg any
		if len(p.early) > 0 && !acknowledgement {
			msg, p.early = p.early[0], p.early[1:]
		} else {
			msg = p.received()
		}
		if m, ok := msg.(T); ok {
			return m
		}
		if _, command := msg.(wire.Command); !acknowledgement || !command {
			p.t.Fatalf("the hub sent %#v, want a %T", msg, want)
		}
		p.early = append(p.early, msg)
	}
}

// received returns the next message that the hub has sent.
func (p *puppet) received() any {
	p.t.Helper()
	select {
	case msg := <-p.messages:
		return msg
	case <-p.over:
		p.t.Fatal("the link is over")
	case <-time.After(patience):
		p.t.Fatalf("the hub sent nothing for %v", patience)
	}
	panic("unreachable")
}

// isOver waits until the hub has ended the link.
func (p *puppet) isOver() {
	p.t.Helper()
	for {
		select {
		case <-p.messages: // what was on its way
		case <-p.over:
			return
		case <-time.After(patience):
			p.t.Fatal("the hub keeps the link")
		}
	}
}

// fail does what a worker does that cannot put a revision in place.
func (p *puppet) fail(cmd wire.Command) {
	p.t.Helper()
	p.send(resultOf(cmd, wire.ResultFailed))
	if ack := expect[wire.ResultAck](p); ack.ID != cmd.ID {
		p.t.Fatalf("acknowledged %s, want %s", ack.ID, cmd.ID)
	}
}

// silent fails when the hub sends anything before it answers a heartbeat.
func (p *puppet) silent() {
	p.t.Helper()
	p.send(wire.Heartbeat{Number: 7})
	expect[wire.HeartbeatAck](p)
}

// succeed does what a worker does that puts a revision in place.
func (p *puppet) succeed(cmd wire.Command) {
	p.t.Helper()
	p.send(wire.Accepted{ID: cmd.ID, Attempt: cmd.Attempt})
	p.send(wire.Event{ID: cmd.ID, Attempt: cmd.Attempt, Number: 1, Log: "web: started\n", Phase: &wire.PhaseEvent{Name: stacks.PhaseApply, State: stacks.PhaseRunning}})
	if err := p.link.Flush(p.t.Context()); err != nil { // results overtake events
		p.t.Fatal(err)
	}
	p.send(resultOf(cmd, wire.ResultSucceeded))
	if ack := expect[wire.ResultAck](p); ack.ID != cmd.ID {
		p.t.Fatalf("acknowledged %s, want %s", ack.ID, cmd.ID)
	}
}

// resultOf is a result with one healthy container of each compose service.
func resultOf(cmd wire.Command, status wire.ResultStatus) wire.Result {
	r := wire.Result{ID: cmd.ID, Attempt: cmd.Attempt, Status: status, Phases: []wire.PhaseEvent{{Name: stacks.PhaseApply, State: stacks.PhaseSucceeded, DurationMS: 5}}}
	if cmd.Deploy != nil {
		r.Observed = &wire.StackObserved{Stack: cmd.Deploy.Stack, Revision: cmd.Deploy.Revision, Containers: []stacks.ContainerState{}}
		for _, name := range servicesOf(cmd) {
			r.Observed.Containers = append(r.Observed.Containers, stacks.ContainerState{Service: name, Container: name + "-1", ContainerID: "abc",
				Image: "image", State: "running", StartedAt: time.Now().UTC().Truncate(time.Second), Revision: cmd.Deploy.Revision})
		}
	}
	if status != wire.ResultSucceeded {
		r.Code, r.Error = "engine.unhealthy", "web exited with code 3"
	}
	return r
}

// servicesOf returns the compose services of a command as lineCompose reads them; those of
// another reader have one, web.
func servicesOf(cmd wire.Command) (names []string) {
	for line := range strings.Lines(string(cmd.Deploy.Compose)) {
		if kind, name, _ := strings.Cut(strings.TrimSpace(line), " "); kind == "service" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return []string{"web"}
	}
	return names
}

var errUnreachable = fault.New(fault.Unavailable, "git.unreachable", "The Git host does not answer.")

func (s *stand) repository() repositories.Repository {
	s.t.Helper()
	r, err := s.store.Repository(s.t.Context(), s.repo)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}
