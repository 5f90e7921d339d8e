package hub

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/wire"
)

func TestC13ADefectInOneStacksDeploymentStopsOnlyThat(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	s.commit(map[string]string{"bad/compose.yaml": "service web\ndefect\n", "good/compose.yaml": "service web\n"})
	bad := s.add("bad", "bad", w.ID, true)
	good := s.add("good", "good", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(good.ID, stacks.StatusActive)
	d := s.newest(bad.ID, stacks.DeploymentFailed)
	if d.ErrorCode != "deployment.defect" || d.Error == "" {
		t.Errorf("the deployment is %+v", d)
	}
	s.stackIs(bad.ID, stacks.StatusError)
	// Once the cause is gone it is deployed.
	s.commit(map[string]string{"bad/compose.yaml": "service web\n"})
	s.look()
	p.succeed(expect[wire.Command](p))
	s.stackIs(bad.ID, stacks.StatusActive)
}

// faulty panics where the test wants it to.
type faulty struct {
	Store
	repository atomic.Pointer[core.RepositoryID] // whose stacks cannot be read
	accepted   atomic.Bool
	looks      atomic.Int64 // at the repository
}

// StacksOfRepository implements PollStore.
func (f *faulty) StacksOfRepository(ctx context.Context, id core.RepositoryID) ([]stacks.Stack, error) {
	if bad := f.repository.Load(); bad != nil && *bad == id {
		f.looks.Add(1)
		panic("a defect of the look")
	}
	return f.Store.StacksOfRepository(ctx, id)
}

// MarkAccepted implements CommandStore.
func (f *faulty) MarkAccepted(ctx context.Context, worker core.WorkerID, id core.CommandID, attempt int, epoch uint64) error {
	if f.accepted.CompareAndSwap(true, false) {
		panic("a defect of the session")
	}
	return f.Store.MarkAccepted(ctx, worker, id, attempt, epoch)
}

func TestC13ADefectInTheLookAtOneRepositoryStopsOnlyThat(t *testing.T) {
	f := &faulty{}
	s := newStandWith(t, func(o *Options) { f.Store, o.Store, o.Scan = o.Store, f, 10*time.Millisecond })
	w, p := s.online()
	const otherURL = "https://git.example/other.git"
	other, err := s.store.AddRepository(t.Context(), repositories.Repository{ID: core.RepositoryID(core.NewID(core.PrefixRepository, time.Now())),
		Name: "other", URL: otherURL, Branch: "main", CreatedAt: time.Now()}, access.System.Audit("repository.create", "", ""))
	if err != nil {
		t.Fatal(err)
	}
	f.repository.Store(&other.ID)
	s.git.Commit(otherURL, "main", map[string]string{"web/compose.yaml": "service web\n"})
	repository := func() repositories.Repository {
		r, err := s.store.Repository(t.Context(), other.ID)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	s.eventually("the repository says that it was set aside", func() bool {
		s.hub.Nudge()
		return repository().ErrorCode == "repository.defect"
	})
	if n := f.looks.Load(); n != maxPanics {
		t.Errorf("it was looked at %d times before it was set aside", n)
	}
	// The other one goes on being polled; this one is left alone for a while.
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
	s.commit(map[string]string{"web/compose.yaml": "service web\nservice more\n"})
	s.hub.Nudge()
	p.succeed(expect[wire.Command](p))
	s.stackIs(st.ID, stacks.StatusActive)
	if n := f.looks.Load(); n != maxPanics {
		t.Errorf("it was looked at %d times though it was set aside", n)
	}
	// It is looked at again when somebody asks, and works once the cause is gone.
	ask := func() {
		if _, err := s.store.AskSync(t.Context(), other.ID, time.Now(), access.System); err != nil {
			t.Fatal(err)
		}
		s.hub.Nudge()
		s.eventually("the look is done", func() bool { return repository().AskedAt.IsZero() })
	}
	ask()
	if n := f.looks.Load(); n != maxPanics+1 {
		t.Errorf("it was looked at %d times after somebody asked", n)
	}
	f.repository.Store(nil)
	ask()
	if r := repository(); r.ErrorCode != "" || r.Head == "" {
		t.Errorf("the repository is %+v", r)
	}
}

func TestC13AMessageThatRunsIntoADefectEndsOnlyItsLink(t *testing.T) {
	f := &faulty{}
	s := newStandWith(t, func(o *Options) { f.Store, o.Store = o.Store, f })
	w, other := s.enrol("one"), s.enrol("other")
	p, q := s.connect(w), s.connect(other)
	st, cmd := s.sent(w, p)
	f.accepted.Store(true)
	p.send(wire.Accepted{ID: cmd.ID, Attempt: cmd.Attempt})
	p.isOver()
	q.silent()
	p = s.connect(w)
	p.succeed(expect[wire.Command](p))
	s.stackIs(st.ID, stacks.StatusActive)
}

// defective gives values for every stack but one, where it runs into a defect.
type defective struct {
	Variables
	stack atomic.Pointer[core.StackID]
}

// Secrets implements Variables.
func (d *defective) Secrets(ctx context.Context, stack core.StackID, names []string) (map[string]secrets.Value, error) {
	if bad := d.stack.Load(); bad != nil && *bad == stack {
		panic("a defect of a provider")
	}
	return d.Variables.Secrets(ctx, stack, names)
}

func TestC13ACommandThatRunsIntoADefectDoesNotHoldUpTheOthers(t *testing.T) {
	d := &defective{}
	s := newStandWith(t, func(o *Options) { d.Variables, o.Variables = o.Variables, d })
	w := s.enrol("one")
	s.commit(map[string]string{"a/compose.yaml": "service web\n", "b/compose.yaml": "service web\n"})
	bad := s.add("a", "a", w.ID, true)
	s.eventually("the command waits", func() bool { return s.deployments(bad.ID)[0].Revision == 1 })
	d.stack.Store(&bad.ID)
	good := s.add("b", "b", w.ID, true)
	s.eventually("the other command waits", func() bool { return s.deployments(good.ID)[0].Revision == 1 })
	p := s.connect(w)
	p.succeed(expect[wire.Command](p))
	s.stackIs(good.ID, stacks.StatusActive)
	if got := s.newest(bad.ID, stacks.DeploymentFailed); got.ErrorCode != "deployment.defect" {
		t.Errorf("the deployment is %+v", got)
	}
	s.stackIs(bad.ID, stacks.StatusError)
	p.silent()
}

// stubborn cannot queue or observe one stack.
type stubborn struct {
	Store
	stack atomic.Pointer[core.StackID]
}

func (b *stubborn) bad(id core.StackID) bool { bad := b.stack.Load(); return bad != nil && *bad == id }

// QueueAll implements PollStore.
func (b *stubborn) QueueAll(ctx context.Context, asks []stacks.Ask) error {
	for _, ask := range asks {
		if b.bad(ask.Stack) {
			return errBrittle
		}
	}
	return b.Store.QueueAll(ctx, asks)
}

// SaveObserved implements CommandStore.
func (b *stubborn) SaveObserved(ctx context.Context, worker core.WorkerID, seen []stacks.Observation, complete bool, at time.Time) ([]core.StackID, error) {
	for _, o := range seen {
		if b.bad(o.Stack) {
			return nil, errBrittle
		}
	}
	return b.Store.SaveObserved(ctx, worker, seen, complete, at)
}

func TestARowThatCannotBeStoredDoesNotHoldUpTheOthers(t *testing.T) {
	b := &stubborn{}
	s := newStandWith(t, func(o *Options) { b.Store, o.Store = o.Store, b })
	w, p := s.online()
	s.commit(map[string]string{"a/compose.yaml": "service web\n", "b/compose.yaml": "service web\n"})
	bad := s.add("a", "a", w.ID, true)
	p.succeed(expect[wire.Command](p))
	good := s.add("b", "b", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(good.ID, stacks.StatusActive)
	b.stack.Store(&bad.ID)
	stopped := []stacks.ContainerState{{Service: "web", State: "exited", ExitCode: 1}}
	p.send(wire.Observed{Complete: true, Stacks: []wire.StackObserved{{Stack: bad.ID, Containers: stopped}, {Stack: good.ID, Containers: stopped}}})
	if got := s.stackIs(good.ID, stacks.StatusDegraded); !strings.Contains(got.Error, "1") {
		t.Errorf("the reason is %q", got.Error)
	}
	s.commit(map[string]string{"a/x": "1", "b/x": "1"})
	s.look()
	cmd := expect[wire.Command](p)
	if cmd.Deploy.Stack != good.ID {
		t.Errorf("the command is for %s", cmd.Deploy.Stack)
	}
	p.succeed(cmd)
	s.eventually("the repository says that something is wrong", func() bool { return s.repository().ErrorCode != "" })
	// What could not be stored is stored as soon as it can be.
	b.stack.Store(nil)
	s.look()
	p.succeed(expect[wire.Command](p))
	s.stackIs(bad.ID, stacks.StatusActive)
}
