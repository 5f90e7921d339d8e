package worker

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/metrics"
	"berth/core/stacks"
	"berth/core/wire"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func TestWhatRunsIsToldAtFirstAndWhenItChanges(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		stack := newStack()
		labels := map[string]string{LabelStack: string(stack)}
		running := []ProjectContainer{{Project: "shop", Labels: labels, ContainerState: stacks.ContainerState{Service: "web", State: "running"}}}
		s.engine.set("shop", running)
		s.engine.set("other", []ProjectContainer{{Project: "other", Labels: map[string]string{LabelStack: "not an id"}}})
		h := s.start().greeted()
		first := await(h, "Observed", any1[wire.Observed])
		if !first.Complete || len(first.Stacks) != 1 || first.Stacks[0].Stack != stack || first.Stacks[0].Containers[0].State != "running" {
			t.Errorf("at first %+v", first)
		}
		silentFor(h, time.Minute, any1[wire.Observed])

		dead := append([]ProjectContainer(nil), running...)
		dead[0].State, dead[0].ExitCode = "exited", 1
		s.engine.set("shop", dead)
		from := time.Now()
		change := await(h, "Observed", any1[wire.Observed])
		if took := time.Since(from); change.Complete || len(change.Stacks) != 1 || change.Stacks[0].Containers[0].ExitCode != 1 || took > lookEvery {
			t.Errorf("after %v: %+v", took, change)
		}
		s.engine.set("shop", nil)
		if gone := await(h, "Observed", any1[wire.Observed]); gone.Complete || len(gone.Stacks) != 1 || len(gone.Stacks[0].Containers) != 0 {
			t.Errorf("when it is gone %+v", gone)
		}
		from = time.Now()
		again := await(h, "a complete report", func(m wire.Observed) bool { return m.Complete })
		if took := time.Since(from); took > completeEvery+restEvery || len(again.Stacks) != 0 {
			t.Errorf("after %v: %+v", took, again)
		}
	})
}

func TestAStackThatWasAppliedIsListedWithoutContainers(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		cmd := deployOf(h, newStack(), 4)
		h.send(cmd)
		h.result(cmd.ID)
		s.engine.set(cmd.Deploy.Project, nil)
		seen := await(h, "Observed", func(m wire.Observed) bool { return len(m.Stacks) == 1 && len(m.Stacks[0].Containers) == 0 })
		if seen.Stacks[0].Revision != 4 {
			t.Errorf("%+v", seen)
		}
	})
}

func TestAnEngineThatIsAwayIsNotNothing(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		s.engine.goAway(errors.New("no socket"))
		h := s.start().greeted()
		first := await(h, "a report or a snapshot", func(m any) bool {
			_, hello := m.(wire.Hello)
			return !hello
		})
		snapshot, is := first.(wire.Snapshot)
		if !is {
			t.Fatalf("the worker told %+v", first)
		}
		families := parse(t, snapshot.Text)
		if up := families["berth_worker_engine_up"].Metric[0].Gauge.GetValue(); up != 0 {
			t.Errorf("engine up %v", up)
		}
		if families["berth_worker_containers"] != nil {
			t.Error("containers are counted although nobody knows them")
		}
		silentFor(h, time.Minute, any1[wire.Observed])
		s.engine.goAway(nil)
		if seen := await(h, "Observed", any1[wire.Observed]); !seen.Complete {
			t.Errorf("%+v", seen)
		}
		if log := s.log.String(); strings.Count(log, "engine does not answer") != 1 || !strings.Contains(log, "answers again") {
			t.Errorf("log:\n%s", log)
		}
	})
}

// A hub that takes changes is told whole snapshots first and at times, and else what changed.
func TestSnapshotsOfWhatChanged(t *testing.T) {
	for _, takes := range []bool{false, true} {
		bubble(t, func(t *testing.T, s *setup) {
			h := s.start().link()
			h.changes = takes
			h.greet(goOn)
			whole := 0
			for i := range 12 {
				m := await(h, "Snapshot", any1[wire.Snapshot])
				families := parse(t, m.Text)
				if families["berth_worker_info"] != nil != !m.Changes {
					t.Errorf("number %d: changes %t, and what never changes is there: %t", i, m.Changes, !m.Changes)
				}
				if families["berth_worker_goroutines"] == nil && !m.Changes {
					t.Errorf("number %d is not whole:\n%s", i, m.Text)
				}
				if !m.Changes {
					whole++
				}
			}
			if want := map[bool]int{false: 12, true: 2}[takes]; whole != want {
				t.Errorf("%d of 12 are whole, want %d", whole, want)
			}
		})
	}
}

func TestSnapshot(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		from := time.Now()
		await(h, "Snapshot", any1[wire.Snapshot])
		if took := time.Since(from); took > time.Second {
			t.Errorf("the first snapshot came after %v", took)
		}
		c := mounts("c", "f", "content")
		cmd := deployOf(h, newStack(), 1, with(c))
		h.send(cmd)
		h.serve(1, "content")
		h.result(cmd.ID)
		from = time.Now()
		await(h, "Snapshot", any1[wire.Snapshot])
		families := parse(t, await(h, "Snapshot", any1[wire.Snapshot]).Text)
		if took := time.Since(from); took > 21*time.Second {
			t.Errorf("two snapshots took %v, the heartbeat interval is 10 s", took)
		}
		for sample, want := range map[string]float64{
			`berth_worker_engine_up`: 1, `berth_worker_containers state=running`: 1, `berth_worker_containers state=dead`: 0,
			`berth_worker_stack_containers stack=` + string(cmd.Deploy.Stack) + ` project=` + cmd.Deploy.Project + ` state=running`: 1,
			`berth_worker_commands_total kind=deploy result=succeeded`:                                                              1, `berth_worker_commands_total kind=teardown result=failed`: 0,
			`berth_worker_command_duration_seconds kind=deploy`: 1, `berth_worker_journal_entries`: 1, `berth_worker_stacks`: 1,
			`berth_worker_commands_running kind=deploy`: 0, `berth_worker_commands_waiting`: 0, `berth_worker_outbox_events`: 0, `berth_worker_commands_total kind=deploy result=unknown`: 0,
			`berth_worker_blob_received_bytes_total`: 7, `berth_worker_link_reconnects_total`: 0, `berth_worker_log_chunks_dropped_total`: 0,
		} {
			if got, found := samples(families)[sample]; !found || got != want {
				t.Errorf("%s is %v (%v), want %v", sample, got, found, want)
			}
		}
		for _, name := range []string{"info", "start_time_seconds", "goroutines", "threads", "gc_cycles_total", "allocated_bytes_total", "runtime_memory_bytes", "heap_bytes", "resident_memory_bytes", "open_fds", "cpu_seconds_total",
			"host_cpu_seconds_total", "host_load1", "host_cpus", "host_memory_bytes", "host_memory_available_bytes", "data_disk_bytes", "data_disk_free_bytes", "connect_failures_total"} {
			if families["berth_worker_"+name] == nil {
				t.Errorf("berth_worker_%s is missing", name)
			}
		}
		if families["berth_worker_uptime_seconds"] != nil {
			t.Error("the time since the start is told beside the start")
		}
		for name, family := range families { // the hub keeps these names for workers
			kind, help, ours := metrics.Reported(name)
			if !ours || string(kind) != strings.ToLower(family.GetType().String()) || help != family.GetHelp() {
				t.Errorf("%s, a %v, %q, is not what core/metrics knows: %q, %q", name, family.GetType(), family.GetHelp(), kind, help)
			}
		}
		h.end.Cut()
		again := s.greeted()
		if n := samples(parse(t, await(again, "Snapshot", any1[wire.Snapshot]).Text))["berth_worker_link_reconnects_total"]; n != 1 {
			t.Errorf("%v reconnects", n)
		}
	})
}

func parse(t *testing.T, text string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return families
}

// samples lists every sample as its name and labels.
func samples(families map[string]*dto.MetricFamily) map[string]float64 {
	all := map[string]float64{}
	for name, family := range families {
		for _, m := range family.Metric {
			key := name
			for _, l := range m.Label {
				key += " " + l.GetName() + "=" + l.GetValue()
			}
			switch {
			case m.Gauge != nil:
				all[key] = m.Gauge.GetValue()
			case m.Counter != nil:
				all[key] = m.Counter.GetValue()
			case m.Histogram != nil:
				all[key] = float64(m.Histogram.GetSampleCount())
			}
		}
	}
	return all
}

func TestManyStacksGoInSeveralReports(t *testing.T) {
	var list []wire.StackObserved
	for range 3000 {
		seen := wire.StackObserved{Stack: newStack()}
		for n := range 3 {
			seen.Containers = append(seen.Containers, stacks.ContainerState{Service: "web", Container: fmt.Sprintf("shop-web-%d", n), ContainerID: strings.Repeat("0", 64), Image: strings.Repeat("i", 200)})
		}
		list = append(list, seen)
	}
	parts := split(list)
	total := 0
	for _, part := range parts {
		total += len(part)
		if err := wire.FitsFrame(wire.Observed{Stacks: part}); err != nil {
			t.Errorf("a report of %d stacks: %v", len(part), err)
		}
	}
	if total != len(list) || len(parts) < 4 {
		t.Errorf("%d stacks in %d reports", total, len(parts))
	}
	if empty := split(nil); len(empty) != 1 || len(empty[0]) != 0 {
		t.Errorf("nothing is told as %v", empty)
	}
}

func TestASlowEngineIsAskedLessOften(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		s.engine.slow = 3 * time.Second
		s.engine.set("shop", []ProjectContainer{{Project: "shop"}})
		h := s.start().greeted()
		await(h, "Observed", any1[wire.Observed])
		before := len(s.engine.called("look"))
		time.Sleep(10 * time.Minute) // of fake time
		if n := len(s.engine.called("look")) - before; n < 8 || n > 10 {
			t.Errorf("an engine that takes 3 s was asked %d times in 10 minutes, want one look in 63 s", n)
		}
	})
}

// The hub learns from the parts together which stacks are no more, whose records and containers are gone.
func TestACompleteReportInSeveralMessages(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		const many = wire.MaxStacks + 1
		for range many {
			stack := newStack()
			s.engine.set(string(stack), []ProjectContainer{{Project: "p", Labels: map[string]string{LabelStack: string(stack)}}})
		}
		h := s.start().greeted()
		listed := map[core.StackID]bool{}
		for part, parts := 1, 1; part <= parts; part++ {
			m := await(h, "Observed", any1[wire.Observed])
			if parts = m.Parts; m.Complete || m.Part != part || parts < 2 {
				t.Fatalf("a message of %d stacks is part %d of %d, complete: %v", len(m.Stacks), m.Part, m.Parts, m.Complete)
			}
			for _, seen := range m.Stacks {
				listed[seen.Stack] = true
			}
		}
		if len(listed) != many {
			t.Errorf("%d stacks were told of", len(listed))
		}
	})
}
