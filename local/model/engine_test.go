package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/hub/worker"
	"berth/local/stand/dryruns"
)

// machine is a host with a container engine that only remembers. It outlives its workers.
type machine struct {
	id string

	mu      sync.Mutex // guards what follows
	box     *worker.ProjectContainer
	made    made
	touched bool               // a hand was at the container since a command was
	effects map[string]bool    // deployment and revision for which the container was made
	problem string             // what must not have happened
	hands   []worker.Happening // what hands did
}

// engine is how one worker reaches its machine. Once it is dead nothing it does has an effect.
type engine struct {
	dryruns.Engine // no jobs here
	machine        *machine
	passing        func(moment string) // told around what changes the machine
	dead           context.Context
}

var errDead = errors.New("the worker is dead")

// change runs do on the machine unless the worker is dead, with a moment to die on both sides.
func (e *engine) change(ctx context.Context, what string, do func(m *machine) error) error {
	e.passing("before " + what)
	e.machine.mu.Lock()
	if e.dead.Err() != nil || ctx.Err() != nil {
		e.machine.mu.Unlock()
		return errDead
	}
	err := do(e.machine)
	e.machine.mu.Unlock()
	e.passing("after " + what)
	if e.dead.Err() != nil {
		return errDead
	}
	return err
}

// Apply implements worker.Engine.
func (e *engine) Apply(ctx context.Context, p worker.Project, _ func(string)) error {
	return e.change(ctx, "apply", func(m *machine) error {
		revision, err := strconv.Atoi(p.Labels[worker.LabelRevision])
		if err != nil {
			return err
		}
		if b := m.box; b != nil && b.Revision == revision && b.State == "running" && !p.Recreate && len(p.Replace) == 0 {
			return nil
		}
		name := p.Labels[worker.LabelDeployment] + "/" + p.Labels[worker.LabelRevision]
		if m.effects[name] && !m.touched {
			m.problem = name + " changed the host twice"
		}
		m.effects[name], m.made, m.touched = true, made{revision: revision}, false
		m.box = &worker.ProjectContainer{Project: p.Name, Labels: p.Labels, Traits: map[string]string{}, ContainerState: stacks.ContainerState{
			Service: "web", Container: "web-1", ContainerID: fmt.Sprintf("%s-%d", name, time.Now().UnixNano()), State: "running", Revision: revision, StartedAt: time.Now()}}
		if strings.Contains(string(p.YAML), "bad") {
			m.box.Health = "unhealthy"
		}
		return nil
	})
}

// Verify implements worker.Engine.
func (e *engine) Verify(ctx context.Context, _ worker.Project, _, _ time.Duration, _ func(string)) error {
	return e.change(ctx, "verify", func(m *machine) error {
		if m.box == nil || m.box.State != "running" || m.box.Health == "unhealthy" {
			return fault.New(fault.Conflict, "engine.unhealthy", "web is not healthy").Because(worker.FailedService{Service: "web"})
		}
		m.made.verified = true
		return nil
	})
}

// Down implements worker.Engine.
func (e *engine) Down(ctx context.Context, _ string, _ core.StackID, _ bool, _ func(string)) error {
	return e.change(ctx, "down", func(m *machine) error {
		m.box, m.made = nil, made{}
		return nil
	})
}

// Containers implements worker.Engine.
func (e *engine) Containers(context.Context, string) ([]worker.ProjectContainer, error) {
	e.machine.mu.Lock()
	defer e.machine.mu.Unlock()
	if e.machine.box == nil {
		return nil, nil
	}
	return []worker.ProjectContainer{*e.machine.box}, nil
}

// hand stops the container, or starts it again.
func (m *machine) hand() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.box == nil {
		return
	}
	b := *m.box
	did := worker.Happening{Stack: core.StackID(b.Labels[worker.LabelStack]), Container: b.ContainerID}
	if m.touched = true; b.State == "running" {
		b.State, b.ExitCode, did.Stopped = "exited", 137, true
	} else {
		b.State, b.ExitCode, did.Started = "running", 0, true
	}
	m.hands = append(m.hands, did)
	m.box = &b
}

// Pull implements worker.Engine.
func (e *engine) Pull(ctx context.Context, _ worker.Project, _ bool, _ func(string)) error {
	return ctx.Err()
}

// Start implements worker.Engine.
func (e *engine) Start(context.Context, string, string) error { return nil }

// Stop implements worker.Engine.
func (e *engine) Stop(context.Context, string, string) error { return nil }

// Restart implements worker.Engine.
func (e *engine) Restart(context.Context, string, string) error { return nil }

// Logs implements worker.Engine.
func (e *engine) Logs(context.Context, string, string, worker.LogAsk, io.Writer) error { return nil }

// Usage implements worker.Engine.
func (e *engine) Usage(context.Context) ([]worker.ContainerUsage, error) { return nil, nil }

// Watch implements worker.Engine. What happens while nobody watches is never told.
func (e *engine) Watch(ctx context.Context, changed func(worker.Happening)) error {
	changed(worker.Happening{})
	for told := len(e.machine.handsFrom(0)); ; {
		fresh := e.machine.handsFrom(told)
		told += len(fresh)
		for _, h := range fresh {
			changed(h)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// handsFrom returns what hands did, without the first n deeds.
func (m *machine) handsFrom(n int) []worker.Happening {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hands[n:]
}

// Info implements worker.Engine.
func (e *engine) Info(context.Context) (worker.EngineInfo, error) {
	return worker.EngineInfo{ID: e.machine.id, Version: "1"}, nil
}
