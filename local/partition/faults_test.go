package partition

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"berth/core/stacks"
	"berth/handlers/api"
	"berth/hub/worker"
	"berth/local/e2e/rig"
	"berth/local/stand/dryengine"
	"berth/local/stand/faultynet"
)

// behind starts a site whose worker reaches it through a proxy.
func behind(t *testing.T, heartbeat string, engine *dryengine.Engine) (*site, *faultynet.Proxy) {
	t.Helper()
	var p *faultynet.Proxy
	x := open(t, heartbeat, func(port string) string {
		p = faultynet.New(t, "127.0.0.1:"+port)
		return p.Address()
	}, engine)
	return x, p
}

// gate is an engine's work that waits until it is let go.
type gate struct {
	begun   chan struct{} // one for each Apply
	letGo   chan struct{} // closed to let every one go
	waiting atomic.Int64
}

func newGate() *gate { return &gate{begun: make(chan struct{}, 64), letGo: make(chan struct{})} }

func (g *gate) apply(ctx context.Context, _ worker.Project, report func(string)) error {
	report("working")
	g.waiting.Add(1)
	g.begun <- struct{}{}
	select {
	case <-g.letGo:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// await waits until a deployment is at work on the host.
func (g *gate) await(t *testing.T) {
	t.Helper()
	select {
	case <-g.begun:
	case <-time.After(patience):
		t.Fatal("nothing is applied")
	}
}

// held starts a site behind a proxy, and a stack of it whose deployment is at work until the gate lets it go.
func held(t *testing.T) (x *site, p *faultynet.Proxy, g *gate, s *rig.Stack) {
	t.Helper()
	g = newGate()
	x, p = behind(t, "1", &dryengine.Engine{OnApply: g.apply})
	s = x.repository.On(x.worker, "app")
	g.await(t)
	return x, p, g, s
}

func (x *site) succeeds(t *testing.T, s *rig.Stack) api.DeploymentAnswer {
	t.Helper()
	d := ended(t, s, s.First)
	if d.State != stacks.DeploymentSucceeded || x.engine.Applied(d.ID) != 1 {
		t.Errorf("it ended %s (%s), and was put in place %d times", d.State, d.Error, x.engine.Applied(d.ID))
	}
	return d
}

// N3: the network is a black hole in the middle of a deployment, and heals.
func TestN3ABlackHoleDuringADeployment(t *testing.T) {
	t.Parallel()
	x, p, g, s := held(t)
	p.Hold(faultynet.Up, true)
	p.Hold(faultynet.Down, true)
	x.Linked(x.identity.Hostname, false)
	close(g.letGo)
	if d := first(s); d.State != stacks.DeploymentRunning {
		t.Errorf("while nobody knows it is %s", d.State)
	}
	p.Hold(faultynet.Up, false)
	p.Hold(faultynet.Down, false)
	x.succeeds(t, s)
	if g.waiting.Load() != 1 {
		t.Errorf("it was begun %d times", g.waiting.Load())
	}
	x.Linked(x.identity.Hostname, true)
}

// N4: the worker hears and cannot speak. What it says on the old link comes when the new one is
// in service, and changes nothing.
func TestN4OneWay(t *testing.T) {
	t.Parallel()
	x, p, g, s := held(t)
	p.Hold(faultynet.Up, true)
	close(g.letGo)
	x.Linked(x.identity.Hostname, false)
	p.Hold(faultynet.Up, false)
	x.succeeds(t, s)
	x.Linked(x.identity.Hostname, true)
	if p.Connections() < 2 {
		t.Error("the old connection was not closed")
	}
}

// N5: connections are reset in the middle of frames, in both directions, at many places.
func TestN5ResetsInTheMiddleOfFrames(t *testing.T) {
	t.Parallel()
	seed := uint64(5)
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	x, p := behind(t, "1", &dryengine.Engine{})
	s := x.repository.On(x.worker, "app")
	x.succeeds(t, s)
	for i := range 8 {
		direction := faultynet.Direction(i % 2)
		// TLS and enrolment take some 3,000 bytes; a command and its answers some more.
		p.CutAfter(direction, random.IntN(2500))
		x.repository.Commit(map[string]string{"app/compose.yaml": compose(fmt.Sprint(100 + i))})
		s.Until("the next revision", func(now api.StackAnswer) bool {
			return now.Revision == i+2 && now.Status == stacks.StatusActive
		})
		if d := s.Last(); d.State != stacks.DeploymentSucceeded || x.engine.Applied(d.ID) != 1 {
			t.Fatalf("cut %d: it ended %s (%s), and was put in place %d times", i, d.State, d.Error, x.engine.Applied(d.ID))
		}
	}
	p.CutAfter(faultynet.Up, -1)
	p.CutAfter(faultynet.Down, -1)
}

// N6: every piece takes 300 ms, give or take 200.
func TestN6ALongWay(t *testing.T) {
	t.Parallel()
	x, p := behind(t, "5", &dryengine.Engine{})
	far := func() time.Duration { return 100*time.Millisecond + rand.N(400*time.Millisecond) }
	p.Delay(faultynet.Up, far)
	p.Delay(faultynet.Down, far)
	before := p.Connections()
	x.succeeds(t, x.repository.On(x.worker, "app"))
	if p.Connections() != before {
		t.Error("the link did not last")
	}
	if w := rig.Get[api.WorkerAnswer](x.Client, "/api/custom/workers/"+string(x.worker)); !w.Online {
		t.Error("the worker is taken for gone")
	}
}

// N7: a worker on 16 kbit/s has far more to log than its link can carry.
func TestN7AFloodOnASlowLink(t *testing.T) {
	t.Parallel()
	flood := func(_ context.Context, _ worker.Project, report func(string)) error {
		line := strings.Repeat("noise ", 40)
		for i := range 20_000 {
			report(fmt.Sprintf("%d %s", i, line))
		}
		return nil
	}
	x, p := behind(t, "20", &dryengine.Engine{OnApply: flood})
	p.Slow(faultynet.Up, 2000)
	before := p.Connections()
	s := x.repository.On(x.worker, "app")
	d := x.succeeds(t, s)
	p.Slow(faultynet.Up, 0)
	if p.Connections() != before {
		t.Errorf("the link did not last: what keeps it alive waited behind the log\n%s", x.Log.Tail(20))
	}
	if text := s.LogOf(d.ID); !strings.Contains(text, " messages of the worker had not arrived when the deployment ended]\n") {
		t.Errorf("the log does not say what is missing at its end:\n%s", text[max(0, len(text)-2000):])
	}
}

// N11: a proxy on the way closes connections that are idle.
func TestN11IdleConnectionsAreCut(t *testing.T) {
	t.Parallel()
	x, p := behind(t, "1", &dryengine.Engine{})
	p.CutIdle(20 * time.Second)
	before, passed := p.Connections(), p.Passed(faultynet.Up)
	rig.Until(t, patience, "heartbeats", func() (bool, string) {
		n := p.Passed(faultynet.Up) - passed
		return n > 1000, fmt.Sprintf("%d bytes", n)
	})
	x.succeeds(t, x.repository.On(x.worker, "app"))
	if p.Connections() != before {
		t.Error("the heartbeat did not keep the connection")
	}
	p.CutIdle(time.Nanosecond) // now nothing keeps it
	rig.Until(t, patience, "a new connection", func() (bool, string) { return p.Connections() > before, "none" })
	p.CutIdle(0)
	x.Linked(x.identity.Hostname, true)
}
