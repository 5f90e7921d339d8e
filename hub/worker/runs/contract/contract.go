// Package contract is what every engine for runs of jobs must do, those that only remember included.
package contract

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"berth/core/fault"
	"berth/hub/worker/runs"
)

// Subject is an engine under test.
type Subject struct {
	Engine runs.Engine
	// Talker is of a run that writes "line 1", "line 2" and "line 3" and ends with code 3; Sleeper of one that runs until
	// it is stopped. Names are of the test's own, and left over by nobody.
	Talker, Sleeper runs.Spec
}

// Check runs the contract.
func Check(t *testing.T, s Subject) {
	t.Run("a run from its beginning to its removal", func(t *testing.T) { checkTalker(t, s) })
	t.Run("a run that is stopped", func(t *testing.T) { checkSleeper(t, s) })
	t.Run("what is not there", func(t *testing.T) { checkNone(t, s.Engine) })
}

const patience = 5 * time.Minute

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, e runs.Engine, name string) runs.Container {
	t.Helper()
	c, found, err := e.FindRun(t.Context(), name)
	if err != nil || !found {
		t.Fatalf("%s is found: %t, %v", name, found, err)
	}
	return c
}

func checkTalker(t *testing.T, s Subject) {
	name := s.Talker.Name
	must(t, s.Engine.PrepareRun(t.Context(), s.Talker, func(string) {}))
	made := find(t, s.Engine, name)
	if made.State != runs.Created || made.CreatedAt.IsZero() || made.Ran(time.Now()) != 0 || !maps.Equal(made.Labels, s.Talker.Labels) || made.Name != name {
		t.Errorf("made as %+v", made)
	}
	if err := s.Engine.PrepareRun(t.Context(), s.Talker, func(string) {}); fault.CodeOf(err) != "run.container_taken" {
		t.Errorf("made a second time: %v", err)
	}
	if listed, err := s.Engine.RunContainers(t.Context(), s.Talker.Labels[runs.LabelWorker]); err != nil || !slices.ContainsFunc(listed, func(c runs.Container) bool { return c.Name == name }) {
		t.Errorf("listed are %+v, %v", listed, err)
	}
	if listed, err := s.Engine.RunContainers(t.Context(), "nobody"); err != nil || len(listed) != 0 {
		t.Errorf("nobody's are %+v, %v", listed, err)
	}
	must(t, s.Engine.StartRun(t.Context(), name))
	whole := follow(t, s.Engine, name, "")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	must(t, s.Engine.AwaitRun(ctx, name))
	ended := find(t, s.Engine, name)
	if ended.State != runs.Exited || ended.ExitCode != 3 || ended.OutOfMemory || ended.FinishedAt.Before(ended.StartedAt) || ended.StartedAt.IsZero() {
		t.Errorf("ended as %+v", ended)
	}
	checkLog(t, s.Engine, name, whole)
	must(t, errors.Join(s.Engine.RemoveRun(t.Context(), name), s.Engine.RemoveRun(t.Context(), name)))
	if _, found, err := s.Engine.FindRun(t.Context(), name); found || err != nil {
		t.Errorf("after its removal it is found: %t, %v", found, err)
	}
}

type line struct {
	to   string
	text string
}

// follow reads a log from a position, as it is kept.
func follow(t *testing.T, e runs.Engine, name, after string) (all []line) {
	t.Helper()
	must(t, e.FollowRun(t.Context(), name, runs.LogAsk{After: runs.ParsePosition(after)}, func(to runs.Position, text string) error {
		all = append(all, line{to.String(), text})
		return nil
	}))
	return all
}

// checkLog reads the log on from each of its lines.
func checkLog(t *testing.T, e runs.Engine, name string, whole []line) {
	if len(whole) != 3 {
		t.Fatalf("it wrote %+v", whole)
	}
	for i, l := range whole {
		if l.text != fmt.Sprint("line ", i+1) || l.to == "" {
			t.Errorf("line %d is %+v", i+1, l)
		}
		if rest := follow(t, e, name, l.to); !slices.Equal(rest, whole[i+1:]) {
			t.Errorf("after line %d come %+v", i+1, rest)
		}
	}
	full := errors.New("full")
	if err := e.FollowRun(t.Context(), name, runs.LogAsk{}, func(runs.Position, string) error { return full }); err == nil {
		t.Error("the reader's own error does not end it")
	}
}

func checkSleeper(t *testing.T, s Subject) {
	name := s.Sleeper.Name
	must(t, s.Engine.PrepareRun(t.Context(), s.Sleeper, func(string) {}))
	must(t, s.Engine.StartRun(t.Context(), name))
	began := find(t, s.Engine, name)
	if began.State != runs.Running || began.StartedAt.IsZero() || !began.FinishedAt.IsZero() || began.Ran(began.StartedAt.Add(time.Minute)) != time.Minute {
		t.Errorf("runs as %+v", began)
	}
	must(t, s.Engine.StartRun(t.Context(), name))
	if again := find(t, s.Engine, name); !again.StartedAt.Equal(began.StartedAt) {
		t.Errorf("it was started twice: %+v, %+v", began, again)
	}
	if err := s.Engine.RemoveRun(t.Context(), name); err == nil {
		t.Error("it was removed while it ran")
	}
	over, end := context.WithCancel(t.Context())
	end()
	if err := errors.Join(s.Engine.AwaitRun(over, name)); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting without time: %v", err)
	}
	if err := s.Engine.FollowRun(over, name, runs.LogAsk{}, func(runs.Position, string) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("following without time: %v", err)
	}
	must(t, s.Engine.StopRun(t.Context(), name))
	must(t, s.Engine.AwaitRun(t.Context(), name))
	if ended := find(t, s.Engine, name); ended.State != runs.Exited || ended.ExitCode == 0 {
		t.Errorf("stopped as %+v", ended)
	}
	must(t, s.Engine.RemoveRun(t.Context(), name))
}

func checkNone(t *testing.T, e runs.Engine) {
	if _, found, err := e.FindRun(t.Context(), "berth-none"); found || err != nil {
		t.Errorf("found: %t, %v", found, err)
	}
	must(t, errors.Join(e.AwaitRun(t.Context(), "berth-none"), e.StopRun(t.Context(), "berth-none"), e.RemoveRun(t.Context(), "berth-none")))
	if err := e.StartRun(t.Context(), "berth-none"); fault.CodeOf(err) != "run.start" {
		t.Errorf("started: %v", err)
	}
}
