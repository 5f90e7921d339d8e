// Package dryruns stands in for a container engine that runs jobs: it starts nothing and remembers. A run's program
// is a function.
//
// It is for tests and measurements in which the engine is not what matters: the real one is in
// berth/hub/adapter/compose/engine. Start with Engine.
package dryruns

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"berth/core/fault"
	"berth/hub/worker/runs"
)

// Engine is a container engine for runs of jobs that only remembers. Its zero is ready; the hook is set before it
// is used.
type Engine struct {
	// OnRun, when set, is the program of every run. ctx ends when the run is to stop; line writes a line, and the
	// answer is the exit code. Without it a run writes nothing and ends at once with 0.
	OnRun func(ctx context.Context, r runs.Spec, line func(text string)) (exitCode int)

	mu      sync.Mutex
	runs    map[string]*dryRun // by name; guarded by mu
	started map[string]int     // guarded by mu; how often a container of each name was started, ever
}

var _ runs.Engine = (*Engine)(nil)

// dryRun is guarded by Engine.mu.
type dryRun struct {
	spec    runs.Spec
	seen    runs.Container
	lines   []dryLine
	stop    context.CancelFunc // nil before it is started
	changed chan struct{}      // closed when anything is new
}

type dryLine struct {
	at   time.Time
	text string
}

// Started returns how often a container of this name was started.
func (e *Engine) Started(name string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.started[name]
}

// StopAll tells every program to stop.
func (e *Engine) StopAll() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.runs {
		if r.stop != nil {
			r.stop()
		}
	}
}

// Lose takes a container away, as a hand does. What it runs is told to stop.
func (e *Engine) Lose(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.runs[name]; r != nil {
		if r.stop != nil {
			r.stop()
		}
		e.tell(r)
	}
	delete(e.runs, name)
}

// PrepareRun implements runs.Engine.
func (e *Engine) PrepareRun(_ context.Context, r runs.Spec, _ func(string)) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.runs == nil {
		e.runs, e.started = map[string]*dryRun{}, map[string]int{}
	}
	if e.runs[r.Name] != nil {
		return fault.New(fault.Conflict, "run.container_taken", "A container named %s is there already.", r.Name)
	}
	e.runs[r.Name] = &dryRun{spec: r, changed: make(chan struct{}),
		seen: runs.Container{Name: r.Name, Labels: r.Labels, State: runs.Created, CreatedAt: time.Now()}}
	return nil
}

// FindRun implements runs.Engine.
func (e *Engine) FindRun(_ context.Context, name string) (runs.Container, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.runs[name]; r != nil {
		return r.seen, true, nil
	}
	return runs.Container{}, false, nil
}

// StartRun implements runs.Engine.
func (e *Engine) StartRun(_ context.Context, name string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.runs[name]
	if r == nil {
		return fault.New(fault.Invalid, "run.start", "There is no container named %s.", name)
	}
	if r.seen.State != runs.Created {
		return nil
	}
	e.started[name]++
	r.seen.State, r.seen.StartedAt = runs.Running, time.Now()
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	if e.OnRun == nil {
		e.exit(r, 0)
		return nil
	}
	go func() { // as long as the container, which outlives whoever uses the engine
		code := e.OnRun(ctx, r.spec, func(text string) { e.say(r, text) })
		e.mu.Lock()
		defer e.mu.Unlock()
		e.exit(r, code)
	}()
	return nil
}

func (e *Engine) say(r *dryRun, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	at := time.Now()
	if n := len(r.lines); n > 0 && !at.After(r.lines[n-1].at) {
		at = r.lines[n-1].at.Add(1) // as engines do, each line has a time of its own
	}
	r.lines = append(r.lines, dryLine{at, text})
	e.tell(r)
}

// exit is called with mu held, and so is tell.
func (e *Engine) exit(r *dryRun, code int) {
	r.stop()
	r.seen.State, r.seen.ExitCode, r.seen.FinishedAt = runs.Exited, code, time.Now()
	e.tell(r)
}

func (e *Engine) tell(r *dryRun) {
	close(r.changed)
	r.changed = make(chan struct{})
}

// now returns a run, its lines from a number on, and what tells of more; nil when it is gone.
func (e *Engine) now(name string, from int) (r *dryRun, seen runs.Container, lines []dryLine, changed <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r = e.runs[name]; r == nil {
		return nil, seen, nil, nil
	}
	return r, r.seen, slices.Clone(r.lines[from:]), r.changed
}

// AwaitRun implements runs.Engine.
func (e *Engine) AwaitRun(ctx context.Context, name string) error {
	for {
		r, seen, _, changed := e.now(name, 0)
		if r == nil || seen.State != runs.Running {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// FollowRun implements runs.Engine.
func (e *Engine) FollowRun(ctx context.Context, name string, ask runs.LogAsk, line func(runs.Position, string) error) error {
	for from := 0; ; {
		r, seen, lines, changed := e.now(name, from)
		if r == nil {
			return nil
		}
		from += len(lines)
		for _, l := range lines {
			if !l.at.After(ask.After.Out) {
				continue
			}
			if err := line(runs.Position{Out: l.at}, hidden(r.spec, ask.Secret, l.text)); err != nil {
				return err
			}
		}
		if seen.State == runs.Exited {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func hidden(r runs.Spec, secret []string, text string) string {
	for _, name := range secret {
		if value, is := r.Secrets[name]; is && value.Reveal() != "" {
			text = strings.ReplaceAll(text, value.Reveal(), "[secret]")
		}
	}
	return text
}

// StopRun implements runs.Engine. It waits for a program that has been told to stop.
func (e *Engine) StopRun(ctx context.Context, name string) error {
	e.mu.Lock()
	if r := e.runs[name]; r != nil && r.stop != nil {
		r.stop()
	}
	e.mu.Unlock()
	return e.AwaitRun(ctx, name)
}

// RemoveRun implements runs.Engine.
func (e *Engine) RemoveRun(_ context.Context, name string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.runs[name]
	if r != nil && r.seen.State == runs.Running {
		return fault.New(fault.Unavailable, "engine.failed", "The container %s runs.", name)
	}
	if r != nil {
		e.tell(r)
	}
	delete(e.runs, name)
	return nil
}

// RunContainers implements runs.Engine.
func (e *Engine) RunContainers(_ context.Context, by string) ([]runs.Container, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []runs.Container
	for _, r := range e.runs {
		if r.seen.Labels[runs.LabelWorker] == by {
			all = append(all, r.seen)
		}
	}
	slices.SortFunc(all, func(a, b runs.Container) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}
