package hub

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/core/wire"
)

// brittle is a store whose writes of the hub's own can be made to fail or to wait.
type brittle struct {
	Store
	failEnd  atomic.Bool
	failSent atomic.Bool
	hold     atomic.Pointer[chan struct{}] // not nil: the end of a deployment waits for it
	holding  atomic.Bool                   // one has begun to wait
}

var errBrittle = errors.New("the disk does not answer")

// EndDeployment implements DeploymentStore.
func (b *brittle) EndDeployment(ctx context.Context, o stacks.Outcome, lines []stacks.LogLine) (stacks.Ending, error) {
	if b.failEnd.Load() {
		return stacks.Ending{}, errBrittle
	}
	if hold := b.hold.Load(); hold != nil {
		b.holding.Store(true)
		<-*hold
		ctx = context.WithoutCancel(ctx)
	}
	return b.Store.EndDeployment(ctx, o, lines)
}

// MarkSent implements CommandStore.
func (b *brittle) MarkSent(ctx context.Context, worker core.WorkerID, id core.CommandID, epoch uint64) (stacks.Command, error) {
	if b.failSent.Load() {
		return stacks.Command{}, errBrittle
	}
	return b.Store.MarkSent(ctx, worker, id, epoch)
}

func newBrittleStand(t *testing.T) (*stand, *brittle) {
	t.Helper()
	b := &brittle{}
	return newStandWith(t, func(o *Options) { b.Store, o.Store = o.Store, b }), b
}

func TestAResultThatCannotBeStoredIsNotAcknowledged(t *testing.T) {
	s, b := newBrittleStand(t)
	w, p := s.online()
	st, cmd := s.sent(w, p)
	b.failEnd.Store(true)
	result := resultOf(cmd, wire.ResultFailed)
	p.send(result)
	for over := false; !over; {
		select {
		case msg := <-p.messages:
			if _, ack := msg.(wire.ResultAck); ack {
				t.Fatal("a result that was not stored is acknowledged")
			}
		case <-p.over:
			over = true
		case <-time.After(patience):
			t.Fatal("the link goes on though a result was not stored")
		}
	}
	if d := s.deployments(st.ID)[0]; d.State != stacks.DeploymentRunning {
		t.Errorf("the deployment is %s", d.State)
	}
	b.failEnd.Store(false)
	p = s.connect(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalResult})
	if p.welcome.Settle[0].Do != wire.SettleRun {
		t.Errorf("the worker is told %s, so it would not send the result again", p.welcome.Settle[0].Do)
	}
	p.send(result)
	expect[wire.ResultAck](p)
	d := s.newest(st.ID, stacks.DeploymentFailed)
	s.log(d.ID) // whose numbers have no gap
}

func TestACommandIsNotSentBeforeThatIsStored(t *testing.T) {
	s, b := newBrittleStand(t)
	w, p := s.online()
	b.failSent.Store(true)
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st := s.add("web", "web", w.ID, true)
	for over := false; !over; {
		select {
		case msg := <-p.messages:
			t.Fatalf("the hub sent %#v", msg)
		case <-p.over:
			over = true
		case <-time.After(patience):
			t.Fatal("the link goes on though nothing can be stored")
		}
	}
	b.failSent.Store(false)
	p = s.connect(w)
	cmd := expect[wire.Command](p)
	c, err := s.store.Command(t.Context(), w.ID, cmd.ID)
	if err != nil || c.State != stacks.CommandSent || c.Epoch != p.welcome.Epoch || c.DeadlineAt.IsZero() {
		t.Errorf("when the frame arrives the row is %+v, %v", c, err)
	}
	p.succeed(cmd)
	s.stackIs(st.ID, stacks.StatusActive)
}

// What is under way on an older link when the epoch is raised is not stored, and nothing that comes on
// it later is applied: the worker says it again on the newer one.
func TestW4AnOldEpochNeverWrites(t *testing.T) {
	s, b := newBrittleStand(t)
	w, old := s.online()
	st, cmd := s.sent(w, old)
	hold := make(chan struct{})
	b.hold.Store(&hold)
	old.send(resultOf(cmd, wire.ResultSucceeded))
	old.send(wire.Observed{Complete: true, Stacks: []wire.StackObserved{}}) // waits behind it
	s.eventually("the older link writes", b.holding.Load)
	welcomed := make(chan *puppet)
	go func() {
		welcomed <- s.connect(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalResult})
	}()
	s.eventually("the newer link has its epoch", func() bool {
		now, err := s.store.Worker(t.Context(), w.ID)
		return err == nil && now.Epoch > old.welcome.Epoch
	})
	select {
	case <-welcomed:
		t.Fatal("the newer link is in service while the older one still writes")
	default:
	}
	b.hold.Store(nil)
	close(hold)
	var p *puppet
	select {
	case p = <-welcomed:
	case <-time.After(patience):
		t.Fatal("the newer link is not welcomed")
	}
	if p.welcome.Settle[0].Do != wire.SettleRun {
		t.Errorf("a result that came too late to be stored is settled as %s", p.welcome.Settle[0].Do)
	}
	old.isOver()
	p.send(resultOf(cmd, wire.ResultSucceeded))
	expect[wire.ResultAck](p)
	if got := s.stackIs(st.ID, stacks.StatusActive); len(got.Containers) != 1 {
		t.Errorf("what an old link said later was applied: %+v", got.Containers)
	}
	if err := s.store.MarkAccepted(t.Context(), w.ID, cmd.ID, cmd.Attempt, old.welcome.Epoch); err == nil {
		t.Error("an old epoch accepts a command")
	}
}

func TestW4ReplayedAndDisorderedFramesChangeNothing(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st, cmd := s.sent(w, p)
	for range 2 * maxStrikes { // one's own command, again and again, is no offence
		p.send(wire.Accepted{ID: cmd.ID, Attempt: cmd.Attempt})
	}
	for _, number := range []uint64{1, 1 << 53, 2, 1<<53 - 1, 1} {
		p.send(wire.Event{ID: cmd.ID, Attempt: cmd.Attempt, Number: number, Log: "line\n"})
	}
	if err := p.link.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	stale := resultOf(cmd, wire.ResultFailed)
	stale.Attempt = cmd.Attempt + 1
	p.send(stale)
	expect[wire.ResultAck](p)
	if d := s.deployments(st.ID)[0]; d.State != stacks.DeploymentRunning {
		t.Fatalf("a result of another attempt ended the deployment: %s", d.State)
	}
	p.succeed(cmd)
	p.fail(cmd)
	if got := s.stackIs(st.ID, stacks.StatusActive); got.Error != "" {
		t.Errorf("a result that came again changed the stack: %+v", got)
	}
	p.send(wire.Hello{Version: "test", Hostname: "one", Tags: []string{}, OS: "linux", Arch: "amd64", Journal: []wire.JournalEntry{}})
	p.isOver()
}

func TestW1ResultsForAnothersCommandsChangeNothing(t *testing.T) {
	s := newStand(t)
	mine, other := s.enrol("mine"), s.enrol("other")
	p, q := s.connect(mine), s.connect(other)
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st := s.add("web", "web", mine.ID, true)
	cmd := expect[wire.Command](p)
	q.send(wire.Event{ID: cmd.ID, Attempt: cmd.Attempt, Number: 1, Log: "forged\n", Phase: &wire.PhaseEvent{Name: stacks.PhaseApply, State: stacks.PhaseRunning}})
	for range maxStrikes + 1 {
		if q.link.Send(t.Context(), resultOf(cmd, wire.ResultSucceeded)) != nil {
			break
		}
	}
	q.isOver()
	d := s.deployments(st.ID)[0]
	if d.State != stacks.DeploymentRunning || stacks.Began(d.Phases) {
		t.Errorf("another worker moved the deployment: %+v", d)
	}
	p.succeed(cmd)
	s.stackIs(st.ID, stacks.StatusActive)
	if log := s.log(d.ID); log == "" || strings.Contains(log, "forged") {
		t.Errorf("the log is\n%s", log)
	}
}

func TestW6SuccessWithoutRunningIsAFailure(t *testing.T) {
	for name, lie := range map[string]func(*wire.Result){
		"another revision runs":    func(r *wire.Result) { r.Observed.Revision = 7 },
		"another stack was looked": func(r *wire.Result) { r.Observed.Stack = core.StackID(core.NewID(core.PrefixStack, time.Now())) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			w, p := s.online()
			s.commit(map[string]string{"web/compose.yaml": "service web\n"})
			st := s.add("web", "web", w.ID, true)
			result := resultOf(expect[wire.Command](p), wire.ResultSucceeded)
			lie(&result)
			p.send(result)
			expect[wire.ResultAck](p)
			if d := s.newest(st.ID, stacks.DeploymentFailed); d.ErrorCode != "worker.other_revision" {
				t.Errorf("the deployment is %+v", d)
			}
			s.stackIs(st.ID, stacks.StatusError)
		})
	}
}

func TestW7RevocationEndsLinkAndCommands(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st, cmd := s.sent(w, p)
	if _, err := s.store.RevokeWorker(t.Context(), w.ID, access.System.Audit("worker.revoke", "", "")); err != nil {
		t.Fatal(err)
	}
	s.hub.Revoked(w.ID)
	p.isOver()
	d := s.newest(st.ID, stacks.DeploymentLost)
	if d.ErrorCode != "worker.gone" {
		t.Errorf("the deployment is %+v", d)
	}
	s.stackIs(st.ID, stacks.StatusError)
	if _, err := s.store.Command(t.Context(), w.ID, cmd.ID); err != nil {
		t.Fatal(err)
	}
	if open, err := s.store.OpenCommands(t.Context(), w.ID); err != nil || len(open) != 0 {
		t.Errorf("%d commands stay open, %v", len(open), err)
	}
	s.eventually("the worker is out of service", func() bool { return !s.hub.Online(w.ID) })
	if _, err := (standFleet{s.store}).Connected(t.Context(), w.ID, wire.Hello{Hostname: "one", Tags: []string{}, Version: "test", OS: "linux", Arch: "amd64"}); err == nil {
		t.Error("a revoked worker gets a new link")
	}
}

func TestW7ARevokedLinkEndsWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuiet(t, 0)
		p := q.connect("wrk_1")
		started := time.Now()
		q.hub.Revoked("wrk_1")
		<-p.over
		if took := time.Since(started); took > time.Second {
			t.Errorf("the link of a revoked worker lives for %v", took)
		}
		q.stop()
	})
}
