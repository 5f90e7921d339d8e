package hub

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/core/jobs"
	"berth/core/seal"
	"berth/core/wire"
)

// jobFile is a job.yaml as the stand reads it.
type jobFile map[string]any

// hourly is a job.yaml of a job that is due each hour, with some keys set otherwise.
func hourly(change jobFile) jobFile {
	file := jobFile{"name": "backup", "image": "backup:1", "cron": "0 * * * *", "resources": map[string]any{"cpu": 1, "memory": "64m", "timeout": "10m"}}
	for key, value := range change {
		file[key] = value
	}
	return file
}

// onDemand is a job.yaml of a job that is not due by itself.
func onDemand(change jobFile) jobFile {
	file := hourly(change)
	delete(file, "cron")
	return file
}

func (f jobFile) text() string {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// job commits a job.yaml and adds a job in its folder, which is read.
func (s *stand) job(name string, file jobFile) jobs.Job {
	s.t.Helper()
	folder := "jobs/" + name
	s.commit(map[string]string{folder + "/job.yaml": file.text()})
	j := s.addJob(name, folder)
	s.eventually("the job is read", func() bool { return s.jobNow(j.ID).Ready() })
	return s.jobNow(j.ID)
}

// addJob adds a job in a folder.
func (s *stand) addJob(name, folder string) jobs.Job {
	s.t.Helper()
	j, err := s.store.CreateJob(s.t.Context(), jobs.Job{ID: core.JobID(core.NewID(core.PrefixJob, s.now())), Name: name, Repository: s.repo, Path: folder, CreatedAt: s.now(), UpdatedAt: s.now()}, access.System)
	if err != nil {
		s.t.Fatal(err)
	}
	s.hub.Nudge()
	return j
}

func (s *stand) jobNow(id core.JobID) jobs.Job {
	s.t.Helper()
	j, err := s.store.Job(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return j
}

// due lets the clock come to when a job is due.
func (s *stand) due(id core.JobID) {
	s.t.Helper()
	next := s.jobNow(id).NextAt
	if next.IsZero() {
		s.t.Fatal("the job is not due by itself")
	}
	s.pass(next.Sub(s.now()) + time.Second)
}

// pass lets time pass.
func (s *stand) pass(d time.Duration) {
	s.ahead.Add(int64(d))
	s.hub.Nudge()
}

// runNow queues a run with variables for it alone.
func (s *stand) runNow(id core.JobID, given map[string]string) jobs.Run {
	s.t.Helper()
	r := jobs.Run{ID: core.RunID(core.NewID(core.PrefixRun, s.now())), Job: id, Trigger: jobs.TriggerManual, Actor: "ada"}
	var sealed seal.Sealed
	if given != nil {
		for name := range given {
			r.Overrides = append(r.Overrides, name)
		}
		slices.Sort(r.Overrides)
		text, err := json.Marshal(given)
		if err != nil {
			s.t.Fatal(err)
		}
		if sealed, err = s.ring.Seal(jobs.OverridesPlace(r.ID), text); err != nil {
			s.t.Fatal(err)
		}
	}
	r, err := s.store.QueueRun(s.t.Context(), r, sealed, access.System)
	if err != nil {
		s.t.Fatal(err)
	}
	s.hub.Nudge()
	return r
}

// cancelRun asks to stop a run.
func (s *stand) cancelRun(id core.RunID) {
	s.t.Helper()
	if _, err := s.store.CancelRun(s.t.Context(), id, access.System); err != nil {
		s.t.Fatal(err)
	}
	s.hub.Nudge()
}

// runs returns a job's runs, oldest first.
func (s *stand) runs(id core.JobID) []jobs.Run {
	s.t.Helper()
	list, err := s.store.Runs(s.t.Context(), jobs.RunFilter{Job: id}, core.Page{Limit: 1000})
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Reverse(list.Items)
	return list.Items
}

// states waits until a job's runs, oldest first, are in these states.
func (s *stand) states(id core.JobID, want ...jobs.RunState) []jobs.Run {
	s.t.Helper()
	var all []jobs.Run
	defer func() {
		if s.t.Failed() {
			for _, r := range all {
				s.t.Logf("run %s of %s is %s, worker %q, command %q, %s: %s", r.ID, r.ScheduledAt, r.State, r.Worker, r.Command, r.ErrorCode, r.Error)
			}
		}
	}()
	s.eventually(fmt.Sprintf("the runs are %v", want), func() bool {
		all = s.runs(id)
		return slices.EqualFunc(all, want, func(r jobs.Run, state jobs.RunState) bool { return r.State == state })
	})
	return all
}

// runLog returns a run's whole log.
func (s *stand) runLog(id core.RunID) string {
	s.t.Helper()
	pieces, err := s.store.RunLog(s.t.Context(), id, 0, 10_000)
	if err != nil {
		s.t.Fatal(err)
	}
	var text strings.Builder
	for i, p := range pieces {
		if p.Number != uint64(i+1) {
			s.t.Errorf("piece %d of the log has number %d", i+1, p.Number)
		}
		text.WriteString(p.Text)
	}
	return text.String()
}

// takesRuns connects a worker that takes runs.
func (s *stand) takesRuns(w fleet.Worker, journal ...wire.JournalEntry) *puppet {
	s.t.Helper()
	return s.connectAs(w, wire.Hello{Journal: journal, Engine: "of-" + w.Hostname, Runs: true})
}

// runner registers a worker that takes runs and connects it.
func (s *stand) runner(hostname string, tags ...string) (fleet.Worker, *puppet) {
	s.t.Helper()
	w := s.enrol(hostname, tags...)
	return w, s.takesRuns(w)
}

// accept does what a worker does that has started a run's container.
func (p *puppet) accept(cmd wire.Command) {
	p.t.Helper()
	p.send(wire.Accepted{ID: cmd.ID, Attempt: cmd.Attempt})
	p.send(wire.Event{ID: cmd.ID, Attempt: cmd.Attempt, Number: 1, Started: true})
	if err := p.link.Flush(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// exit tells how a run's container ended, and waits until that is acknowledged.
func (p *puppet) exit(cmd wire.Command, code int) {
	p.t.Helper()
	p.ends(runResult(cmd, code))
}

// ends sends a result and waits until it is acknowledged. Cancels that come meanwhile change nothing.
func (p *puppet) ends(r wire.Result) {
	p.t.Helper()
	p.send(r)
	for {
		switch msg := p.received().(type) {
		case wire.ResultAck:
			if msg.ID == r.ID {
				return
			}
		case wire.Command:
			p.early = append(p.early, msg)
		case wire.Cancel:
		default:
			p.t.Fatalf("the hub sent %#v, want an acknowledgement", msg)
		}
	}
}

// runResult is how a worker tells that a container ended.
func runResult(cmd wire.Command, code int) wire.Result {
	r := wire.Result{ID: cmd.ID, Attempt: cmd.Attempt, Status: wire.ResultSucceeded, Phases: []wire.PhaseEvent{}, ExitCode: &code, RanMS: 1500}
	if code != 0 {
		r.Status, r.Code, r.Error = wire.ResultFailed, "run.exit", fmt.Sprintf("the container ended with exit code %d", code)
	}
	return r
}

// newJobStand is a stand with one worker that takes runs.
func newJobStand(t *testing.T) (*stand, fleet.Worker, *puppet) {
	t.Helper()
	s := newStand(t)
	w, p := s.runner("one")
	return s, w, p
}

// lacks sets which secrets runs need that are not there.
func (s *stand) lacks(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing = names
}
