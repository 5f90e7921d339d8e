package hubs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
	hubworker "berth/hub/worker"
	"berth/local/e2e/rig"
	"berth/local/stand/dryengine"
)

// slow is an engine whose steps a test can hold or let fail, one at a time.
type slow struct {
	dryengine.Engine

	mu    sync.Mutex
	next  map[string]func(context.Context) error // by step: what it does first, the next time; guarded by mu
	count map[string]int                         // how often each began; guarded by mu
}

// first has the next of these steps do what before anything else.
func (e *slow) first(step string, what func(context.Context) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.next[step] = what
}

func (e *slow) begin(ctx context.Context, step string) error {
	e.mu.Lock()
	what := e.next[step]
	delete(e.next, step)
	e.count[step]++
	e.mu.Unlock()
	if what == nil {
		return nil
	}
	return what(ctx)
}

func (e *slow) begun(step string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.count[step]
}

// Pull implements hubworker.Engine.
func (e *slow) Pull(ctx context.Context, _ hubworker.Project, _ bool, _ func(string)) error {
	return e.begin(ctx, "pull")
}

// Down implements hubworker.Engine.
func (e *slow) Down(ctx context.Context, project string, id core.StackID, volumes bool, report func(string)) error {
	if err := e.begin(ctx, "down"); err != nil {
		return err
	}
	return e.Engine.Down(ctx, project, id, volumes, report)
}

// debt is a stack of one worker, and two hubs of which one leads and the other holds the worker's link.
type debt struct {
	*site
	engine *slow
	stack  core.StackID
	worker core.WorkerID
}

// What was asked for or is due is done once, whichever hub dies before it is: the end of a deployment at a
// hub that neither leads nor holds the link, another attempt, a repair, the removal of what runs.
func TestWhatIsOwedIsDoneOnce(t *testing.T) {
	t.Parallel()
	s := onOneHost(t)
	hubs, web := []*program{s.hub("hub-1"), s.hub("hub-2")}, s.add("local", "./local")
	for _, p := range append(hubs, web) {
		p.run()
	}
	s.balancer.before(hubs[1].workers)
	s.setUp(rig.Client{T: t, URL: s.origin})
	x := &debt{site: s, engine: &slow{next: map[string]func(context.Context) error{}, count: map[string]int{}}}
	remote := (&rig.Server{T: t, Client: s.api}).Remote()
	remote.Run(t, s.balancer.address(), x.engine)
	x.worker = s.linked(remote.Hostname)
	l := newLoad(s, 29, s.worker())
	l.file("owed/wireops.yaml", "version: wireops.v1\nsync: {self_heal: true}\n")
	added := l.added("owed", x.worker)
	x.stack = added.ID
	l.ended(added.DeploymentID)
	s.balancer.before(hubs[0].workers, hubs[1].workers)

	x.cancelled()
	x.triedAgain()
	x.repaired()
	x.tornDown()
	l.settle()
}

// holding has the next of these steps wait, and returns what tells that it does and what lets it go on.
func (x *debt) holding(step string) (waits <-chan struct{}, release func()) {
	began, released := make(chan struct{}), make(chan struct{})
	x.engine.first(step, func(ctx context.Context) error {
		close(began)
		select {
		case <-released:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	return began, sync.OnceFunc(func() { close(released) })
}

func (x *debt) reached(what string, c <-chan struct{}) {
	x.t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		x.t.Fatal("in vain is waited until the worker begins: " + what)
	}
}

func (x *debt) redeploy() core.DeploymentID {
	x.t.Helper()
	return rig.Post[api.DeploymentAnswer](x.api, "/api/custom/stacks/"+string(x.stack)+"/redeploy", api.RedeployRequest{RecreateContainers: true}, http.StatusAccepted).ID
}

// is waits until a deployment has ended so, and counts what else was done meanwhile for the stack.
func (x *debt) is(id core.DeploymentID, want stacks.DeploymentState) {
	x.t.Helper()
	x.until("deployment "+string(id)+" is "+string(want), func() (bool, string) {
		var state, text string
		err := x.db.QueryRow(`SELECT state, error FROM deployments WHERE id = $1`, id).Scan(&state, &text)
		return state == string(want), fmt.Sprint(state, " ", text, " ", err)
	})
}

func (x *debt) cancelled() {
	waits, release := x.holding("pull")
	defer release()
	before := x.engine.begun("pull")
	id := x.redeploy()
	x.reached("to pull", waits)
	if answer := x.api.Ask(http.MethodPost, "/api/custom/deployments/"+string(id)+"/cancel", nil); answer.Status != http.StatusAccepted && answer.Status != http.StatusOK {
		x.t.Fatalf("cancel: %d %s", answer.Status, answer.Body)
	}
	x.is(id, stacks.DeploymentCancelled)
	if n := x.engine.begun("pull") - before; n != 1 || x.engine.Applied(id) != 0 {
		x.t.Errorf("what was cancelled began %d times and was put in place %d times", n, x.engine.Applied(id))
	}
}

// triedAgain lets a deployment fail and kills the hub that would try it again.
func (x *debt) triedAgain() {
	x.t.Helper()
	x.engine.first("pull", func(context.Context) error { return errors.New("the registry is away") })
	id := x.redeploy()
	x.is(id, stacks.DeploymentFailed)
	leader, _ := x.leader()
	leader.kill()
	var again core.DeploymentID
	x.until("another attempt succeeds", func() (bool, string) {
		err := x.db.QueryRow(`SELECT id FROM deployments WHERE stack_id = $1 AND attempt = 2 AND state = 'succeeded'`, x.stack).Scan(&again)
		return err == nil, fmt.Sprint(err)
	})
	if n := x.count(`SELECT count(*) FROM deployments WHERE stack_id = $1 AND id > $2`, x.stack, id); n != 1 || x.engine.Applied(again) != 1 {
		x.t.Errorf("after the failure there were %d attempts, and the one that succeeded was put in place %d times", n, x.engine.Applied(again))
	}
	leader.run()
}

// repaired takes away what runs and kills the hub that would hear of it.
func (x *debt) repaired() {
	x.t.Helper()
	before := x.count(`SELECT count(*) FROM deployments WHERE stack_id = $1`, x.stack)
	running, err := x.engine.Containers(x.t.Context(), "")
	if err != nil || len(running) != 1 {
		x.t.Fatalf("%v run, %v", running, err)
	}
	if err := x.engine.Engine.Down(x.t.Context(), running[0].Project, x.stack, false, nil); err != nil {
		x.t.Fatal(err)
	}
	holder := x.holder(x.worker)
	holder.kill()
	x.until("it runs again", func() (bool, string) {
		now := rig.Get[api.StackAnswer](x.api, "/api/custom/stacks/"+string(x.stack))
		running, err := x.engine.Containers(x.t.Context(), "")
		return err == nil && len(running) == 1 && now.Status == stacks.StatusActive && !now.Drifted, fmt.Sprintf("%+v", now)
	})
	if n := x.count(`SELECT count(*) FROM deployments WHERE stack_id = $1`, x.stack) - before; n != 1 {
		x.t.Errorf("it was repaired %d times", n)
	}
	holder.run()
}

// tornDown kills the hub that holds the link while the worker is at it.
func (x *debt) tornDown() {
	x.t.Helper()
	waits, release := x.holding("down")
	defer release()
	if answer := x.api.Ask(http.MethodDelete, "/api/custom/stacks/"+string(x.stack)+"?teardown=true", nil); answer.Status != http.StatusAccepted {
		x.t.Fatalf("delete: %d %s", answer.Status, answer.Body)
	}
	x.reached("to take down what runs", waits)
	holder := x.holder(x.worker)
	holder.kill()
	release()
	x.until("the stack is gone", func() (bool, string) {
		n := x.count(`SELECT count(*) FROM stacks WHERE id = $1`, x.stack)
		return n == 0, fmt.Sprint(n)
	})
	if n := x.engine.begun("down"); n != 1 {
		x.t.Errorf("it was taken down %d times", n)
	}
	holder.run()
}
