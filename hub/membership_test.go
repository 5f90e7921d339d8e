package hub

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/hubs"
	"berth/core/stacks"
	"berth/core/store"
	"berth/core/wire"
)

// among is the hubs of a test that tell each other things without a network.
type among struct {
	*store.Store
	mu  sync.Mutex
	all []*Hub // guarded by mu
}

func (a *among) each(do func(*Hub)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, h := range a.all {
		do(h)
	}
}

// Wake implements Peers.
func (a *among) Wake(_ context.Context, id core.WorkerID) { a.each(func(h *Hub) { h.Wake(id) }) }

// Arrived implements Peers.
func (a *among) Arrived(_ context.Context, tags []string) { a.each(func(h *Hub) { h.Arrived(tags) }) }

// RunEnded implements Peers.
func (a *among) RunEnded(context.Context) { a.each((*Hub).RunEnded) }

// newStandOfTwo is a stand with a hub that leads and another one beside it, which end when the test does.
func newStandOfTwo(t *testing.T) (s *stand, other *Hub) {
	t.Helper()
	a := &among{}
	s = newStandWith(t, func(o *Options) {
		a.Store = o.Store.(*store.Store)
		o.Peers, o.Self = a, hubs.Hub{URL: "https://127.0.0.1:1", Version: "test"}
	})
	other = New(s.hub.opts)
	a.mu.Lock()
	a.all = []*Hub{s.hub, other}
	a.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- other.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the other hub ended with %v", err)
		}
	})
	s.eventually("both hubs are there", func() bool {
		all, err := s.store.Hubs(t.Context())
		return err == nil && len(all) == 2
	})
	return s, other
}

func (h *Hub) leads() bool {
	_, lead := h.members.now()
	return lead != nil
}

func TestACommandReachesTheHubThatHoldsTheLink(t *testing.T) {
	s, other := newStandOfTwo(t)
	w := s.enrol("one")
	leader := s.hub
	s.hub = other
	p := s.connect(w)
	s.hub = leader
	if !leader.leads() || other.leads() {
		t.Fatalf("the first leads: %t, the other: %t", leader.leads(), other.leads())
	}
	st, cmd := s.sent(w, p)
	p.succeed(cmd)
	s.stackIs(st.ID, stacks.StatusActive)
	d := s.deployments(st.ID)[0]
	if log := s.log(d.ID); d.State != stacks.DeploymentSucceeded || !strings.Contains(log, "dispatch: ") || !strings.Contains(log, "web: started") {
		t.Errorf("deployment %s, log %q", d.State, log)
	}
	for _, phase := range d.Phases {
		if phase.State != stacks.PhaseSucceeded && phase.State != stacks.PhaseSkipped {
			t.Errorf("phase %s is %s", phase.Name, phase.State)
		}
	}
}

func TestADeploymentThatWaitsForAWorkerGoesOnWhereverItComes(t *testing.T) {
	s, other := newStandOfTwo(t)
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st := s.add("web", "web", "", true)
	s.eventually("the deployment waits", func() bool {
		all := s.deployments(st.ID)
		return len(all) == 1 && s.hub.parked(all[0].ID)
	})
	w := s.enrol("one")
	leader := s.hub
	s.hub = other
	p := s.connect(w)
	s.hub = leader
	expect[wire.Command](p)
}

func TestACancelReachesTheHubThatHoldsTheLink(t *testing.T) {
	s, other := newStandOfTwo(t)
	w := s.enrol("one")
	leader := s.hub
	s.hub = other
	p := s.connect(w)
	s.hub = leader
	st, cmd := s.sent(w, p)
	p.send(wire.Accepted{ID: cmd.ID, Attempt: cmd.Attempt})
	if _, err := s.desk.Cancel(t.Context(), s.deployments(st.ID)[0].ID, access.System); err != nil {
		t.Fatal(err)
	}
	if cancel := expect[wire.Cancel](p); cancel.ID != cmd.ID {
		t.Errorf("cancelled %s, want %s", cancel.ID, cmd.ID)
	}
}

func TestAHubThatIsNotHeardOfIsReplacedAndComesBack(t *testing.T) {
	s, other := newStandOfTwo(t)
	w := s.enrol("one")
	p := s.connect(w) // with the one that leads
	st, cmd := s.sent(w, p)
	p.send(wire.Accepted{ID: cmd.ID, Attempt: cmd.Attempt})
	was, _ := s.hub.members.now()
	id := hubs.Writer(was)

	s.spoil(`UPDATE hubs SET lease_until = 1 WHERE id = ?`, string(id))
	s.spoil(`UPDATE leases SET lease_until = 1 WHERE holder = ?`, string(id))
	if _, err := s.store.ExpireHubs(t.Context()); err != nil { // or the other one was faster
		t.Fatal(err)
	}
	if err := s.store.MarkAccepted(was, w.ID, cmd.ID, cmd.Attempt, cmd.Epoch); !errors.Is(err, hubs.ErrLost) {
		t.Errorf("it writes on: %v", err)
	}
	s.eventually("the other one leads", other.leads)
	p.isOver()
	s.eventually("it is back under another name", func() bool {
		all, err := s.store.Hubs(t.Context())
		return err == nil && len(all) == 2 && all[0].ID != id && all[1].ID != id
	})
	if s.hub.leads() {
		t.Error("two lead")
	}

	leader := s.hub
	s.hub = other
	again := s.connect(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalReceived})
	s.hub = leader
	if settle := again.welcome.Settle; len(settle) != 1 || settle[0].Do != wire.SettleRun {
		t.Errorf("settled %+v", settle)
	}
	redelivered := expect[wire.Command](again)
	if redelivered.ID != cmd.ID || redelivered.Epoch <= cmd.Epoch {
		t.Errorf("redelivered %+v", redelivered)
	}
	again.succeed(redelivered)
	s.stackIs(st.ID, stacks.StatusActive)
}

func TestAHubThatEndsHandsOverAtOnce(t *testing.T) {
	s, other := newStandOfTwo(t)
	s.stop()
	began := time.Now()
	s.eventually("the other one leads", other.leads)
	t.Logf("it took %s", time.Since(began))
	if all, err := s.store.Hubs(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("hubs %+v, %v", all, err)
	}
}

func TestACancelLosesNothingOfTheLogWhereTheLinkIs(t *testing.T) {
	s, _ := newStandOfTwo(t)
	w := s.enrol("one")
	p := s.connect(w) // with the one that leads
	st, cmd := s.sent(w, p)
	p.send(wire.Accepted{ID: cmd.ID, Attempt: cmd.Attempt})
	d := s.deployments(st.ID)[0]
	if _, err := s.desk.Cancel(t.Context(), d.ID, access.System); err != nil {
		t.Fatal(err)
	}
	expect[wire.Cancel](p)
	s.hub.Nudge()
	expect[wire.Cancel](p) // it has looked again
	p.send(wire.Event{ID: cmd.ID, Attempt: cmd.Attempt, Number: 1, Log: "said after the cancel\n"})
	s.eventually("the log has it", func() bool { return strings.Contains(s.log(d.ID), "said after the cancel\n") })
}

func TestTheMirrorOfANewLeaderHasTheHead(t *testing.T) {
	s, other := newStandOfTwo(t)
	head := s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	s.look()
	s.eventually("it is fetched", func() bool { return s.repository().Head == head })
	s.git.Forget(t.Context(), s.repo) // as if the other hub had a disk of its own
	s.stop()
	s.eventually("the other one leads", other.leads)
	s.eventually("it has a copy", func() bool {
		other.Nudge()
		tree, err := s.git.Tree(t.Context(), s.repo, head)
		if err != nil {
			return false
		}
		return tree.Close() == nil
	})
}

// outdated is a hub's database that a newer release changes while the hub is cut off from it.
type outdated struct {
	*among
	changed atomic.Bool
}

// RenewHub implements Peers.
func (o *outdated) RenewHub(ctx context.Context, id core.HubID) error {
	if o.changed.Load() {
		return hubs.ErrUnknown
	}
	return o.among.RenewHub(ctx, id)
}

// JoinHubs implements Peers.
func (o *outdated) JoinHubs(ctx context.Context, h hubs.Hub) error {
	if o.changed.Load() {
		return fault.New(fault.Conflict, "store.newer", "The database has schema 9, this program knows 8.")
	}
	return o.among.JoinHubs(ctx, h)
}

func TestAHubEndsOnceANewerReleaseHasChangedTheDatabase(t *testing.T) {
	o := &outdated{among: &among{}}
	s := newStandWith(t, func(opts *Options) {
		o.Store = opts.Store.(*store.Store)
		opts.Peers, opts.Self = o.among, hubs.Hub{URL: "https://127.0.0.1:1", Version: "test"}
	})
	opts := s.hub.opts
	opts.Peers = o
	other := New(opts)
	ended := make(chan error, 1)
	go func() { ended <- other.Run(t.Context()) }()
	s.eventually("both hubs are there", func() bool {
		all, err := s.store.Hubs(t.Context())
		return err == nil && len(all) == 2
	})
	o.changed.Store(true)
	if err := <-ended; fault.CodeOf(err) != "store.newer" {
		t.Errorf("it ended with %v", err)
	}
}
