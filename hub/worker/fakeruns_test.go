package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/wire"
	"berth/hub/worker/runs"
)

var errAway = fault.New(fault.Unavailable, "engine.unreachable", "The engine is away.")

// The engine of the tests does with runs what dryruns does, after a test's own hook: "prepare", "find", "launch", "await",
// "follow", "end" and "remove", each with the container's name in the place of the project's.

func (e *fakeEngine) PrepareRun(ctx context.Context, r runs.Spec, report func(string)) error {
	report("preparing " + r.Image)
	e.mu.Lock()
	e.specs = append(e.specs, r)
	e.mu.Unlock()
	if err := e.call(ctx, "prepare", Project{Name: r.Name}, report); err != nil {
		return err
	}
	return e.Engine.PrepareRun(ctx, r, report)
}

func (e *fakeEngine) FindRun(ctx context.Context, name string) (c runs.Container, found bool, err error) {
	if err := e.reach(ctx, "find", name); err != nil {
		return c, false, err
	}
	c, found, err = e.Engine.FindRun(ctx, name)
	e.mu.Lock()
	defer e.mu.Unlock()
	c.OutOfMemory = e.outOfMemory
	return c, found, err
}

func (e *fakeEngine) StartRun(ctx context.Context, name string) error {
	if err := e.reach(ctx, "launch", name); err != nil {
		return err
	}
	return e.Engine.StartRun(ctx, name)
}

func (e *fakeEngine) AwaitRun(ctx context.Context, name string) error {
	if err := e.reach(ctx, "await", name); err != nil {
		return err
	}
	return e.Engine.AwaitRun(ctx, name)
}

func (e *fakeEngine) FollowRun(ctx context.Context, name string, ask runs.LogAsk, line func(runs.Position, string) error) error {
	if err := e.reach(ctx, "follow", name); err != nil {
		return err
	}
	return e.Engine.FollowRun(ctx, name, ask, line)
}

func (e *fakeEngine) StopRun(ctx context.Context, name string) error {
	if err := e.reach(ctx, "end", name); err != nil {
		return err
	}
	return e.Engine.StopRun(ctx, name)
}

func (e *fakeEngine) RemoveRun(ctx context.Context, name string) error {
	if err := e.reach(ctx, "remove", name); err != nil {
		return err
	}
	return e.Engine.RemoveRun(ctx, name)
}

func (e *fakeEngine) RunContainers(ctx context.Context, worker string) ([]runs.Container, error) {
	if err := e.reach(ctx, "sweep", ""); err != nil {
		return nil, err
	}
	return e.Engine.RunContainers(ctx, worker)
}

func (e *fakeEngine) reach(ctx context.Context, what, name string) error {
	e.mu.Lock()
	down := e.down
	e.mu.Unlock()
	return errors.Join(down, e.call(ctx, what, Project{Name: name}, nil))
}

func (e *fakeEngine) spec() runs.Spec {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.specs[len(e.specs)-1]
}

// there reports whether a run's container is.
func (e *fakeEngine) there(cmd wire.Command) bool {
	_, found, _ := e.Engine.FindRun(context.Background(), cmd.Run.Container)
	return found
}

// runOf returns a command that runs a job.
func runOf(h *hubEnd, change ...func(*wire.Run)) wire.Command {
	run := core.RunID(id("run"))
	r := &wire.Run{Run: run, Job: core.JobID(id("job")), Name: "nightly", Commit: core.Commit(strings.Repeat("a", 40)), Container: jobs.ContainerName(run),
		Definition: jobs.Definition{Image: "demo:1", Resources: jobs.Resources{CPU: 0.5, Memory: 64 << 20, Timeout: time.Hour}},
		Variables:  map[string]string{}, Secrets: map[string]string{}}
	for _, edit := range change {
		edit(r)
	}
	return wire.Command{ID: core.CommandID(id("cmd")), Attempt: 1, Epoch: h.epoch, Seconds: int((r.Definition.Resources.Timeout + 15*time.Minute).Seconds()), Kind: wire.CommandRun, Run: r}
}

// program runs in the containers of a test: it writes what say gives it, one line each, and ends with the code
// that exit gives it, or when it is stopped.
type program struct {
	say  chan string
	exit chan int
}

func newProgram(s *setup) *program {
	p := &program{say: make(chan string), exit: make(chan int)}
	s.engine.OnRun = p.run
	return p
}

func (p *program) run(ctx context.Context, _ runs.Spec, line func(string)) int {
	for {
		select {
		case text := <-p.say:
			line(text)
		case code := <-p.exit:
			return code
		case <-ctx.Done():
			line("stopping")
			return 143
		}
	}
}

// logOf returns the lines that events have, but those of the worker itself.
func logOf(events []wire.Event, own ...string) (lines []string) {
	for _, e := range events {
		for line := range strings.Lines(e.Log) {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return slices.DeleteFunc(lines, func(line string) bool { return slices.Contains(append(own, "preparing demo:1"), line) })
}

// heardOf is what a hub stores of events: the number of the last, and how far the log has come.
func heardOf(events []wire.Event) (number uint64, to string) {
	for _, e := range events {
		number = e.Number
		if e.LogTo != "" {
			to = e.LogTo
		}
	}
	return number, to
}

// greetWith is greet by a hub that has these events of every command.
func (h *hubEnd) greetWith(events []wire.Event) {
	h.t.Helper()
	hello := await(h, "Hello", any1[wire.Hello])
	number, to := heardOf(events)
	welcome := wire.Welcome{Epoch: h.epoch, HeartbeatSeconds: hubBeat, Version: "hub", Settle: []wire.Instruction{}}
	for _, e := range hello.Journal {
		welcome.Settle = append(welcome.Settle, wire.Instruction{ID: e.ID, Attempt: e.Attempt, Do: wire.SettleRun, Heard: &number, LogTo: to})
	}
	h.send(welcome)
}

// told gathers the events of a command up to one that says something.
func told(h *hubEnd, cmd wire.Command, what string) (events []wire.Event) {
	h.t.Helper()
	for {
		e := await(h, "an event with "+what, func(m wire.Event) bool { return m.ID == cmd.ID })
		events = append(events, e)
		if strings.Contains(e.Log, what) || what == "Started" && e.Started {
			return events
		}
	}
}

// numbered returns lines.
func numbered(from, to int) (lines []string) {
	for n := from; n <= to; n++ {
		lines = append(lines, fmt.Sprint("line ", n))
	}
	return lines
}

func checkLines(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the log is %q, want %q", got, want)
	}
}
