package worker

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/wire"
	"berth/hub/worker/runs"
)

// TestRunsDoNotTakeTheTurnsOfDeployments, are bounded, and wait in order.
func TestRunsDoNotTakeTheTurnsOfDeployments(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		p := newProgram(s)
		h := s.start().greeted()
		var sent []wire.Command
		for range maxRuns + maxRunsQueued {
			cmd := runOf(h)
			sent = append(sent, cmd)
			h.send(cmd)
			h.accepted(cmd.ID)
		}
		synctest.Wait()
		refused := runOf(h)
		h.send(refused)
		if r := h.result(refused.ID); r.Code != "worker.busy" {
			t.Errorf("one more was answered by %+v", r)
		}
		deploy := deployOf(h, newStack(), 1)
		h.send(deploy)
		if r := h.result(deploy.ID); r.Status != wire.ResultSucceeded {
			t.Errorf("the deployment ended as %+v", r)
		}
		if text := s.worker.snapshot(t.Context(), sight{}, nil); !strings.Contains(text, fmt.Sprintf("berth_worker_runs{state=\"running\"} %d\n", maxRuns)) ||
			!strings.Contains(text, fmt.Sprintf("berth_worker_runs{state=\"waiting\"} %d\n", maxRunsQueued)) || !strings.Contains(text, fmt.Sprintf("berth_worker_commands_waiting %d\n", maxRunsQueued)) {
			t.Errorf("the metrics are %s", text)
		}
		for i := range sent {
			if i == maxRuns {
				if s.engine.Started(sent[maxRuns].Run.Container) != 1 || s.engine.Started(sent[2*maxRuns].Run.Container) != 0 {
					t.Error("those that wait do not come in order")
				}
			}
			p.exit <- 0
			synctest.Wait()
		}
		for range sent {
			r := await(h, "a result", any1[wire.Result])
			h.ack(r.ID, 1)
		}
		synctest.Wait()
		if text := s.worker.snapshot(t.Context(), sight{}, nil); !strings.Contains(text, `berth_worker_runs{state="running"} 0`) || !strings.Contains(text, `berth_worker_runs{state="preparing"} 0`) ||
			!strings.Contains(text, fmt.Sprintf("berth_worker_run_duration_seconds_count %d\n", len(sent))) {
			t.Errorf("the metrics are %s", text)
		}
	})
}

// TestNoLineIsDroppedWhileTheContainerRuns: what the link does not take stays with the engine.
func TestNoLineIsDroppedWhileTheContainerRuns(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		const many = 5000
		cut := make(chan struct{})
		wide := strings.Repeat("x", 1000) // 5 MB, ten times of what is kept for a link
		s.engine.OnRun = func(ctx context.Context, _ runs.Spec, line func(string)) int {
			<-cut // what is on the way then is another matter
			for n := range many {
				line(fmt.Sprint("line ", n+1, wide))
			}
			<-ctx.Done()
			return 0
		}
		h := s.start().greeted()
		cmd := runOf(h)
		h.send(cmd)
		events := told(h, cmd, "Started")
		h.end.Cut()
		synctest.Wait()
		close(cut)
		time.Sleep(10 * time.Second)
		h = s.link()
		h.greetWith(events)
		for got := 0; got < many; {
			e := await(h, "more lines", func(m wire.Event) bool { return m.Log != "" })
			events = append(events, e)
			got = len(logOf(events))
		}
		s.engine.StopAll()
		h.result(cmd.ID)
		got := logOf(events)
		for n := range many {
			if got[n] != fmt.Sprint("line ", n+1, wide) {
				t.Fatalf("line %d is %.20q", n+1, got[n])
			}
		}
	})
}

// TestTheFilesOfARun are there as long as its container may mount them.
func TestTheFilesOfARun(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		p := newProgram(s)
		h := s.start().greeted()
		content := mounts("jobs/nightly", "backup.conf", "keep 7")
		cmd := runOf(h, func(r *wire.Run) { r.Configs = []jobs.ConfigFile{{Target: "/etc/backup.conf", Content: content}} })
		h.send(cmd)
		h.serve(1, "keep 7")
		told(h, cmd, "Started")
		spec := s.engine.spec()
		if len(spec.Mounts) != 1 || spec.Mounts[0].Target != "/etc/backup.conf" || !spec.Mounts[0].ReadOnly {
			t.Fatalf("mounts %+v", spec.Mounts)
		}
		read := func() string {
			text, err := os.ReadFile(spec.Mounts[0].Source)
			if err != nil {
				return err.Error()
			}
			return string(text)
		}
		deploy := deployOf(h, newStack(), 1) // collects what nothing uses
		h.send(deploy)
		h.result(deploy.ID)
		if got := read(); got != "keep 7" {
			t.Errorf("while it runs the file is %q", got)
		}
		p.exit <- 0
		h.result(cmd.ID)
		h.ack(cmd.ID, 1)
		synctest.Wait()
		time.Sleep(sweepEvery + time.Minute)
		synctest.Wait()
		if got := read(); !strings.Contains(got, "no such file") {
			t.Errorf("an hour later the file is %q", got)
		}
	})
}

// TestLeftoversAreRemoved: containers of this worker's runs that nothing knows, those that ran after a day.
func TestLeftoversAreRemoved(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		newProgram(s)
		h := s.start().greeted()
		known := runOf(h)
		h.send(known)
		told(h, known, "Started")
		s.hub.refuse(errAway) // nobody asks what runs here, which would take days of looks
		h.end.Cut()
		self := s.worker.commands.steps.self
		left := func(name, by string, start bool) string {
			spec := runs.Spec{Name: name, Labels: map[string]string{runs.LabelRun: "run_" + name, runs.LabelWorker: by}}
			if err := s.engine.Engine.PrepareRun(t.Context(), spec, nil); err != nil {
				t.Fatal(err)
			}
			if start {
				if err := s.engine.Engine.StartRun(t.Context(), name); err != nil {
					t.Fatal(err)
				}
			}
			return name
		}
		names := []string{left("made", self, false), left("ended", self, true), left("another's", "other", false), left("runs", self, true)}
		synctest.Wait()
		if err := s.engine.Engine.StopRun(t.Context(), "ended"); err != nil {
			t.Fatal(err)
		}
		there := func() (list []string) {
			for _, name := range names {
				if _, found, _ := s.engine.Engine.FindRun(t.Context(), name); found {
					list = append(list, name)
				}
			}
			return list
		}
		for _, step := range []struct {
			after time.Duration
			want  string
		}{{2 * time.Minute, "[ended another's runs]"}, {23 * time.Hour, "[ended another's runs]"}, {3 * time.Hour, "[another's runs]"}, {8 * 24 * time.Hour, "[another's]"}} {
			time.Sleep(step.after)
			synctest.Wait()
			if got := fmt.Sprint(there()); got != step.want {
				t.Errorf("%v later there are %s, want %s", step.after, got, step.want)
			}
		}
	})
}

func TestDigestOfARun(t *testing.T) {
	h := &hubEnd{epoch: 1}
	base := runOf(h, func(r *wire.Run) { r.Secrets = map[string]string{"A": "one"} })
	changed := func(change func(r *wire.Run)) wire.Command {
		cmd, body := base, *base.Run
		change(&body)
		cmd.Run = &body
		return cmd
	}
	if digestOf(changed(func(r *wire.Run) { r.Secrets = map[string]string{"A": "two"} })) != digestOf(base) {
		t.Error("other secrets have another digest")
	}
	if digestOf(changed(func(r *wire.Run) { r.Definition.Image = "x" })) == digestOf(base) || base.Run.Secrets["A"] != "one" {
		t.Error("another body has the same digest, or the command was changed")
	}
	entry := entryFor(base, "", time.Unix(1000, 0))
	if entry.Run.ID != base.Run.Run || entry.Run.Timeout != time.Hour || fmt.Sprint(entry.Run.Secret) != "[A]" || !entry.Run.StartBy.Equal(time.Unix(1900, 0)) {
		t.Errorf("journaled as %+v", entry.Run)
	}
}

// TestAContainerThatComesLate: the engine makes one that was asked for though the asking was cut short, by the end of a worker
// or by a cancel.
func TestAContainerThatComesLate(t *testing.T) {
	late := func(s *setup, after time.Duration) (made chan struct{}) {
		made = make(chan struct{})
		asked := false
		s.engine.on("prepare", func(ctx context.Context, _ Project, _ func(string)) error {
			if asked {
				return nil
			}
			asked = true
			spec := s.engine.spec()
			go func() {
				defer close(made)
				time.Sleep(after)
				if err := s.engine.Engine.PrepareRun(context.Background(), spec, func(string) {}); err != nil {
					t.Error(err)
				}
			}()
			<-ctx.Done()
			return ctx.Err()
		})
		return made
	}
	t.Run("and is not wanted any more", func(t *testing.T) {
		bubble(t, func(t *testing.T, s *setup) {
			newProgram(s)
			made := late(s, 10*time.Second)
			h := s.start().greeted()
			cmd := runOf(h)
			h.send(cmd)
			told(h, cmd, "preparing")
			h.send(wire.Cancel{ID: cmd.ID, Attempt: cmd.Attempt})
			if r := h.result(cmd.ID); r.Status != wire.ResultCancelled {
				t.Errorf("result %+v", r)
			}
			h.ack(cmd.ID, 1)
			<-made
			if !s.engine.there(cmd) {
				t.Error("it did not come")
			}
			time.Sleep(time.Minute)
			if s.engine.there(cmd) {
				t.Error("it is left")
			}
		})
	})
	t.Run("and its name is taken", func(t *testing.T) {
		bubble(t, func(t *testing.T, s *setup) {
			p := newProgram(s)
			made := late(s, 10*time.Second)
			h := s.start().greeted()
			cmd := runOf(h)
			h.send(cmd)
			told(h, cmd, "preparing")
			s.stop()
			s.engine.on("prepare", func(context.Context, Project, func(string)) error {
				select {
				case <-made:
					return nil
				default:
					return fault.New(fault.Conflict, "run.container_taken", "The name is taken.")
				}
			})
			h = s.start().greeted()
			cmd.Epoch = h.epoch
			h.send(cmd)
			told(h, cmd, "Started")
			p.exit <- 0
			if r := h.result(cmd.ID); r.Status != wire.ResultSucceeded || s.engine.Started(cmd.Run.Container) != 1 {
				t.Errorf("started %d times, result %+v", s.engine.Started(cmd.Run.Container), r)
			}
		})
	})
}
