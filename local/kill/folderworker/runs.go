package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"berth/core/fault"
	"berth/hub/worker/runs"
)

// runsDir is the folder of the containers of runs. The file of a run has one line for each thing that was done
// to its container: it was made, started, stopped, removed.
const runsDir = "runs"

// act is one line. It is added by one write, which a crash cannot cut.
type act struct {
	What   string            `json:"what"` // made, started, stopped, removed
	At     time.Time         `json:"at"`
	Words  []string          `json:"words,omitempty"` // of what was made
	Labels map[string]string `json:"labels,omitempty"`
}

// job is a container of a run, which is no process: what it has written, and whether it has ended, follows from the time. Its
// words say how many milliseconds it runs, how many lines it writes, one at a time, and its exit code.
type job struct {
	runs.Container
	millis, lines, code int
}

func (f folder) runFile(name string) string { return filepath.Join(f.dir, runsDir, name) }

func (f folder) acts(name string) (all []act, err error) {
	text, err := os.ReadFile(f.runFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range strings.Lines(string(text)) {
		var a act
		err = errors.Join(err, json.Unmarshal([]byte(line), &a))
		all = append(all, a)
	}
	return all, err
}

func (f folder) do(name string, a act) error {
	a.At = time.Now()
	line, err := json.Marshal(a)
	if err == nil {
		err = os.MkdirAll(filepath.Join(f.dir, runsDir), 0o700)
	}
	if err != nil {
		return err
	}
	file, err := os.OpenFile(f.runFile(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// slowly does something as an engine does, that takes its time before and after.
func (f folder) slowly(ctx context.Context, name string, a act) error {
	if err := rest(ctx); err != nil {
		return err
	}
	if err := f.do(name, a); err != nil {
		return err
	}
	return rest(ctx)
}

// container is what the acts of a run add up to now; false when there is none.
func (f folder) container(name string) (r job, found bool, err error) {
	all, err := f.acts(name)
	if err != nil {
		return r, false, err
	}
	for _, a := range all {
		switch a.What {
		case "made":
			r, found = job{Container: runs.Container{Name: name, Labels: a.Labels, State: runs.Created, CreatedAt: a.At}}, true
			if r.millis, r.lines, r.code, err = read(a.Words); err != nil {
				return r, false, err
			}
		case "started":
			r.State, r.StartedAt, r.FinishedAt = runs.Running, a.At, a.At.Add(time.Duration(r.millis)*time.Millisecond)
		case "stopped":
			if a.At.Before(r.FinishedAt) {
				r.FinishedAt, r.code = a.At, 143
			}
		case "removed":
			r, found = job{}, false
		}
	}
	switch {
	case r.State != runs.Running:
	case time.Now().Before(r.FinishedAt):
		r.FinishedAt = time.Time{}
	default:
		r.State, r.ExitCode = runs.Exited, r.code
	}
	return r, found, nil
}

func read(words []string) (millis, lines, code int, err error) {
	if len(words) != 3 {
		return 0, 0, 0, fmt.Errorf("a run is made of three numbers, not of %q", words)
	}
	var problems [3]error
	millis, problems[0] = strconv.Atoi(words[0])
	lines, problems[1] = strconv.Atoi(words[1])
	code, problems[2] = strconv.Atoi(words[2])
	return millis, lines, code, errors.Join(problems[:]...)
}

// PrepareRun implements runs.Engine.
func (f folder) PrepareRun(ctx context.Context, r runs.Spec, _ func(string)) error {
	if _, found, err := f.container(r.Name); err != nil || found {
		return errors.Join(err, fault.New(fault.Conflict, "run.container_taken", "The container %s is there.", r.Name))
	}
	return f.slowly(ctx, r.Name, act{What: "made", Words: r.Command, Labels: r.Labels})
}

// FindRun implements runs.Engine.
func (f folder) FindRun(_ context.Context, name string) (runs.Container, bool, error) {
	r, found, err := f.container(name)
	return r.Container, found, err
}

// StartRun implements runs.Engine.
func (f folder) StartRun(ctx context.Context, name string) error {
	r, found, err := f.container(name)
	switch {
	case err != nil:
		return err
	case !found:
		return fault.New(fault.Invalid, "run.start", "There is no container %s.", name)
	case r.State != runs.Created:
		return nil
	}
	return f.slowly(ctx, name, act{What: "started"})
}

// AwaitRun implements runs.Engine.
func (f folder) AwaitRun(ctx context.Context, name string) error {
	for {
		r, _, err := f.container(name)
		if err != nil || r.State != runs.Running {
			return err
		}
		if err := rest(ctx); err != nil {
			return err
		}
	}
}

// FollowRun implements runs.Engine.
func (f folder) FollowRun(ctx context.Context, name string, ask runs.LogAsk, line func(runs.Position, string) error) error {
	for n := 0; ; {
		r, found, err := f.container(name)
		if err != nil || !found {
			return err
		}
		ended := r.State == runs.Exited
		for ; n < r.lines; n++ {
			at := r.StartedAt.Add(time.Duration(n+1) * time.Duration(r.millis) * time.Millisecond / time.Duration(r.lines+1))
			if at.After(time.Now()) || ended && at.After(r.FinishedAt) {
				break
			}
			if !at.After(ask.After.Out) {
				continue
			}
			if err := line(runs.Position{Out: at}, fmt.Sprint("line ", n+1)); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
		if err := rest(ctx); err != nil {
			return err
		}
	}
}

// StopRun implements runs.Engine.
func (f folder) StopRun(_ context.Context, name string) error {
	if r, _, err := f.container(name); err != nil || r.State != runs.Running {
		return err
	}
	return f.do(name, act{What: "stopped"})
}

// RemoveRun implements runs.Engine.
func (f folder) RemoveRun(_ context.Context, name string) error {
	r, found, err := f.container(name)
	if err != nil || !found {
		return err
	}
	if r.State == runs.Running {
		return fault.New(fault.Unavailable, "engine.failed", "The container %s runs.", name)
	}
	return f.do(name, act{What: "removed"})
}

// RunContainers implements runs.Engine.
func (f folder) RunContainers(_ context.Context, by string) ([]runs.Container, error) {
	files, err := os.ReadDir(filepath.Join(f.dir, runsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []runs.Container
	for _, file := range files {
		r, found, readErr := f.container(file.Name())
		if err = errors.Join(err, readErr); found && r.Labels[runs.LabelWorker] == by {
			all = append(all, r.Container)
		}
	}
	return all, err
}
