package hub

import (
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/core/jobs"
	"berth/core/stacks"
	"berth/core/wire"
)

// running is a job of which a run's container was started.
func (s *stand) running(p *puppet, change jobFile) (jobs.Job, wire.Command) {
	s.t.Helper()
	j := s.job("backup", onDemand(change))
	s.runNow(j.ID, nil)
	cmd := expect[wire.Command](p)
	p.accept(cmd)
	s.states(j.ID, jobs.RunRunning)
	return j, cmd
}

func TestWhatWasGivenForARunReachesItAlone(t *testing.T) {
	s, _, p := newJobStand(t)
	j := s.job("backup", onDemand(nil))
	s.runNow(j.ID, map[string]string{"SIZE": "7", "EMPTY": ""})
	cmd := expect[wire.Command](p)
	if v := cmd.Run.Variables; len(v) != 2 || v["SIZE"] != "7" {
		t.Errorf("the run sees %v", v)
	}
	p.exit(cmd, 0)
	s.runNow(j.ID, nil)
	cmd = expect[wire.Command](p)
	if len(cmd.Run.Variables) != 0 {
		t.Errorf("the next run sees %v", cmd.Run.Variables)
	}
	p.exit(cmd, 0)
}

func TestASecretThatCannotBeResolvedEndsTheRunBeforeItBegins(t *testing.T) {
	s, _, p := newJobStand(t)
	j := s.job("backup", onDemand(nil))
	s.lacks("TOKEN")
	s.runNow(j.ID, nil)
	r := s.states(j.ID, jobs.RunFailed)[0]
	if r.ErrorCode != "secret.unresolved" || !strings.Contains(r.Error, "internal does not give TOKEN") || !r.StartedAt.IsZero() || r.ExitCode != nil {
		t.Errorf("the run is %+v", r)
	}
	s.lacks()
	s.runNow(j.ID, nil)
	p.exit(expect[wire.Command](p), 0)
}

func TestHowAWorkerSaysThatARunEnded(t *testing.T) {
	code := func(n int) *int { return &n }
	for name, c := range map[string]struct {
		result wire.Result
		state  jobs.RunState
		code   string
		says   string
	}{
		"well":                           {wire.Result{Status: wire.ResultSucceeded, ExitCode: code(0)}, jobs.RunSucceeded, "", ""},
		"with an exit code":              {wire.Result{Status: wire.ResultFailed, Code: "run.exit", Error: "exit code 3", ExitCode: code(3)}, jobs.RunFailed, "run.exit", "exit code 3"},
		"by its timeout":                 {wire.Result{Status: wire.ResultFailed, Code: "run.timeout", Error: "it ran for 10m"}, jobs.RunFailed, "run.timeout", "10m"},
		"without a reason":               {wire.Result{Status: wire.ResultFailed}, jobs.RunFailed, "", "did not say why"},
		"unknown":                        {wire.Result{Status: wire.ResultUnknown}, jobs.RunLost, "run.lost", "nobody can tell"},
		"cancelled":                      {wire.Result{Status: wire.ResultCancelled}, jobs.RunCancelled, "run.cancelled", "was stopped"},
		"a success that is none":         {wire.Result{Status: wire.ResultSucceeded, ExitCode: code(1)}, jobs.RunFailed, "run.exit", "not that the container ended with exit code 0"},
		"a success without an exit code": {wire.Result{Status: wire.ResultSucceeded}, jobs.RunFailed, "run.exit", "not that the container ended with exit code 0"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, p := newJobStand(t)
			j, cmd := s.running(p, nil)
			c.result.ID, c.result.Attempt, c.result.Phases = cmd.ID, cmd.Attempt, []wire.PhaseEvent{}
			p.ends(c.result)
			r := s.states(j.ID, c.state)[0]
			if r.ErrorCode != c.code || !strings.Contains(r.Error, c.says) {
				t.Errorf("the run is %+v", r)
			}
			p.ends(c.result) // which comes again is acknowledged again
			s.states(j.ID, c.state)
		})
	}
}

func TestCancelARun(t *testing.T) {
	t.Run("that waits", func(t *testing.T) {
		s := newStand(t)
		j := s.job("backup", onDemand(nil))
		r := s.runNow(j.ID, nil)
		s.cancelRun(r.ID)
		s.states(j.ID, jobs.RunCancelled)
		_, p := s.runner("one")
		p.silent()
	})
	t.Run("that was given to its worker and not sent", func(t *testing.T) {
		s, _, p := newJobStand(t)
		release := s.holdSecrets()
		defer release()
		s.secret("TOKEN", "1")
		j := s.job("backup", onDemand(nil))
		r := s.runNow(j.ID, nil)
		s.eventually("it has a command", func() bool { return s.runs(j.ID)[0].Command != "" })
		s.cancelRun(r.ID)
		s.states(j.ID, jobs.RunCancelled)
		release()
		p.silent()
	})
	t.Run("that runs", func(t *testing.T) {
		s, _, p := newJobStand(t)
		j, cmd := s.running(p, jobFile{"retries": 1})
		s.cancelRun(cmd.Run.Run)
		if cancel := expect[wire.Cancel](p); cancel.ID != cmd.ID {
			t.Errorf("cancelled is %+v", cancel)
		}
		result := runResult(cmd, 143) // it ended with an error, because it was stopped
		p.ends(result)
		r := s.states(j.ID, jobs.RunFailed)[0] // and is not tried again
		if !r.Cancelling || r.CancelledBy != access.System.Name {
			t.Errorf("the run is %+v", r)
		}
	})
	t.Run("whose worker is away", func(t *testing.T) {
		s, w, p := newJobStand(t)
		j, cmd := s.running(p, nil)
		p.leave()
		s.eventually("the worker is away", func() bool { return !s.hub.Online(w.ID) })
		s.cancelRun(cmd.Run.Run)
		p = s.takesRuns(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalReceived})
		for commands, cancels := 0, 0; commands == 0 || cancels == 0; { // in any order
			switch m := expect[any](p).(type) {
			case wire.Command:
				commands++
			case wire.Cancel:
				if cancels++; m.ID != cmd.ID {
					t.Fatalf("cancelled is %+v", m)
				}
			}
		}
		result := runResult(cmd, 143)
		result.Status = wire.ResultCancelled
		p.ends(result)
		s.states(j.ID, jobs.RunCancelled)
	})
}

func TestARunGoesOnWhileItsWorkerIsAway(t *testing.T) {
	s, w, p := newJobStand(t)
	j, cmd := s.running(p, nil)
	p.tell(cmd, 2, "one\n")
	p.silent()
	p.leave()
	s.pass(26 * time.Minute) // longer than the command may take
	s.eventually("the worker is away", func() bool { return !s.hub.Online(w.ID) })
	s.states(j.ID, jobs.RunRunning)
	p = s.takesRuns(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalReceived})
	if i := p.welcome.Settle[0]; i.Do != wire.SettleRun || i.Heard == nil || *i.Heard != 2 {
		t.Errorf("the worker is told %+v", i)
	}
	again := expect[wire.Command](p)
	if again.ID != cmd.ID || again.Attempt != cmd.Attempt {
		t.Errorf("the command comes again as %+v", again)
	}
	p.tell(again, 3, "two\n")
	p.exit(again, 0)
	r := s.states(j.ID, jobs.RunSucceeded)[0]
	if log := s.runLog(r.ID); log != "one\ntwo\n" {
		t.Errorf("the log is\n%s", log)
	}
}

// TestWhatWasSentAndNeverAcceptedIsHeard when it is sent again, to the worker or by another hub.
func TestWhatWasSentAndNeverAcceptedIsHeard(t *testing.T) {
	for name, restart := range map[string]bool{"by this hub": false, "by another": true} {
		t.Run(name, func(t *testing.T) {
			s, w, p := newJobStand(t)
			j := s.job("nightly", onDemand(nil))
			s.runNow(j.ID, nil)
			cmd := expect[wire.Command](p)
			p.leave()
			if restart {
				s.restart()
			}
			p = s.takesRuns(w)
			again := expect[wire.Command](p)
			if again.ID != cmd.ID || again.Attempt != cmd.Attempt {
				t.Errorf("the command comes again as %+v", again)
			}
			p.send(wire.Event{ID: again.ID, Attempt: again.Attempt, Number: 1, Started: true})
			p.tell(again, 2, "one\n")
			p.exit(again, 0)
			r := s.states(j.ID, jobs.RunSucceeded)[0]
			if log := s.runLog(r.ID); log != "one\n" {
				t.Errorf("the log is\n%s", log)
			}
		})
	}
}

func TestAResultIsTakenAfterARestartOfTheHub(t *testing.T) {
	s, w, p := newJobStand(t)
	j, cmd := s.running(p, nil)
	p.tell(cmd, 2, "one\n")
	const to = "1777636800000000001 0"
	p.send(wire.Event{ID: cmd.ID, Attempt: cmd.Attempt, Number: 3, Log: "two\n", LogTo: to})
	s.eventually("it was heard, and perhaps not stored", func() bool {
		heard := s.hub.runs.heardOf(t.Context(), cmd.Run.Run, cmd.ID, cmd.Attempt)
		return heard != nil && *heard == 3
	})
	p.leave()
	s.restart()
	p = s.takesRuns(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalResult})
	if i := p.welcome.Settle[0]; i.Do != wire.SettleRun || i.Heard == nil || *i.Heard != 3 || i.LogTo != to {
		t.Errorf("the worker is told %+v", i)
	}
	result := runResult(cmd, 0)
	result.Events = 5
	p.ends(result)
	r := s.states(j.ID, jobs.RunSucceeded)[0]
	if log := s.runLog(r.ID); log != "one\ntwo\n[2 messages of the worker had not arrived when the run ended]\n" {
		t.Errorf("the log is\n%s", log)
	}
}

func TestARunThatWasDealtToAWorkerWhichLeftGoesToAnother(t *testing.T) {
	s, _, p := newJobStand(t)
	release := s.holdSecrets()
	defer release()
	s.secret("TOKEN", "1")
	j := s.job("backup", hourly(nil))
	s.due(j.ID)
	s.eventually("the run has a command", func() bool { all := s.runs(j.ID); return len(all) == 1 && all[0].Command != "" })
	p.leave()
	release()
	s.restart() // between the fire and the sending
	_, q := s.runner("two")
	cmd := expect[wire.Command](q)
	q.exit(cmd, 0)
	s.states(j.ID, jobs.RunSucceeded)
}

func TestWhatARevokedWorkerHadIsLost(t *testing.T) {
	s, w, p := newJobStand(t)
	j, _ := s.running(p, nil)
	if _, err := s.store.RevokeWorker(t.Context(), w.ID, access.System.Audit("worker.revoke", "", "")); err != nil {
		t.Fatal(err)
	}
	s.hub.Revoked(w.ID)
	p.isOver()
	if r := s.states(j.ID, jobs.RunLost)[0]; r.ErrorCode != "run.worker_gone" {
		t.Errorf("the run is %+v", r)
	}
}

func TestRunsTakeNoPlaceOfDeployments(t *testing.T) {
	s, w, p := newJobStand(t)
	j := s.job("many", onDemand(jobFile{"start_deadline": "30m"}))
	more := 3
	for i := range maxRunsInFlight + more {
		file := onDemand(jobFile{"name": string(rune('a'+i%26)) + "x"})
		s.commit(map[string]string{"jobs/n" + string(rune('0'+i/26)) + string(rune('a'+i%26)) + "/job.yaml": file.text()})
	}
	var all []jobs.Job
	for i := range maxRunsInFlight + more {
		name := "n" + string(rune('0'+i/26)) + string(rune('a'+i%26))
		all = append(all, s.addJob(name, "jobs/"+name))
	}
	for _, other := range all {
		s.eventually("the job is read", func() bool { return s.jobNow(other.ID).Ready() })
		s.runNow(other.ID, nil)
	}
	var commands []wire.Command
	for range maxRunsInFlight {
		commands = append(commands, expect[wire.Command](p))
	}
	p.silent()
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st := s.add("web", "web", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(st.ID, stacks.StatusActive)
	p.exit(commands[0], 0)
	expect[wire.Command](p) // there is a place for one more
	s.pass(2 * time.Hour)
	p.exit(commands[1], 0) // for those that waited too long there is none
	s.eventually("the rest is skipped", func() bool {
		skipped := 0
		for _, other := range all {
			if r := s.runs(other.ID)[0]; r.State == jobs.RunSkipped && r.ErrorCode == "run.no_worker" {
				skipped++
			}
		}
		return skipped == more-1
	})
	if len(s.runs(j.ID)) != 0 {
		t.Error("a job that nobody asked for has runs")
	}
}

func TestALogOfARunHasItsLimit(t *testing.T) {
	s, w, p := newJobStand(t)
	j, cmd := s.running(p, nil)
	chunk := strings.Repeat(strings.Repeat("x", 1023)+"\n", 60)
	number := uint64(1)
	say := func(times int) {
		for range times {
			number++
			p.tell(cmd, number, chunk)
			if number%8 == 0 {
				s.eventually("it is stored", func() bool {
					kept, err := s.store.RunRecorded(t.Context(), cmd.Run.Run)
					return err == nil && kept.Heard.Event == number
				})
			}
		}
	}
	full := maxLog/len(chunk) + 2
	say(full / 2)
	s.eventually("it is stored", func() bool {
		kept, err := s.store.RunRecorded(t.Context(), cmd.Run.Run)
		return err == nil && kept.Heard.Event == number
	})
	p.leave() // the limit holds over links
	p = s.takesRuns(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalReceived})
	cmd = expect[wire.Command](p)
	say(full - full/2)
	p.exit(cmd, 0)
	kept, err := s.store.RunRecorded(t.Context(), s.states(j.ID, jobs.RunSucceeded)[0].ID)
	if err != nil || kept.Bytes > maxLog+len(fullMarker) || kept.Bytes < maxLog-2*len(chunk) {
		t.Errorf("%d bytes are stored, %v", kept.Bytes, err)
	}
	if log := s.runLog(cmd.Run.Run); !strings.HasSuffix(log, fullMarker) {
		t.Errorf("the log ends with %q", log[len(log)-100:])
	}
}

func TestADeploymentWaitsForTheJobsOfItsStack(t *testing.T) {
	waits := func(t *testing.T, timeout string) (*stand, fleet.Worker, *puppet, wire.Command, stacks.Stack) {
		s, w, p := newJobStand(t)
		s.commit(map[string]string{"web/compose.yaml": "service web\n", "web/wireops.yaml": `{"version":"wireops.v1","timeout":"` + timeout + `","jobs":{"wait_running":true}}`,
			"web/jobs/backup/job.yaml": onDemand(nil).text(), "jobs/other/job.yaml": onDemand(jobFile{"name": "other"}).text()})
		j, other := s.addJob("backup", "web/jobs/backup"), s.addJob("other", "jobs/other")
		for _, id := range []core.JobID{j.ID, other.ID} {
			s.eventually("the job is read", func() bool { return s.jobNow(id).Ready() })
		}
		s.runNow(other.ID, nil)
		p.accept(expect[wire.Command](p)) // which is none of the stack's
		s.runNow(j.ID, nil)
		cmd := expect[wire.Command](p)
		p.accept(cmd)
		s.states(j.ID, jobs.RunRunning)
		s.states(other.ID, jobs.RunRunning)
		st := s.add("web", "web", w.ID, true)
		s.eventually("the deployment says what it waits for", func() bool {
			all := s.deployments(st.ID)
			return len(all) == 1 && strings.Contains(phaseOf(all[0], stacks.PhaseDispatch).Message, "waits for run "+string(cmd.Run.Run)+" of job backup")
		})
		p.silent()
		return s, w, p, cmd, st
	}
	t.Run("until they have ended", func(t *testing.T) {
		s, _, p, cmd, st := waits(t, "1h")
		p.exit(cmd, 0)
		p.succeed(expect[wire.Command](p))
		s.stackIs(st.ID, stacks.StatusActive)
	})
	t.Run("over a restart of the hub", func(t *testing.T) {
		s, w, p, cmd, st := waits(t, "1h")
		p.leave()
		s.restart()
		p = s.takesRuns(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalReceived})
		expect[wire.Command](p)
		expect[wire.Command](p) // both runs come again
		s.eventually("the deployment waits", func() bool { return s.hub.parked(s.deployments(st.ID)[0].ID) })
		p.exit(cmd, 0)
		p.succeed(expect[wire.Command](p))
	})
	t.Run("no longer than its manifest allows", func(t *testing.T) {
		s, _, p, _, st := waits(t, "10m")
		s.pass(11 * time.Minute)
		d := s.newest(st.ID, stacks.DeploymentFailed)
		if d.ErrorCode != "deployment.jobs_running" || d.Revision != 0 || !strings.Contains(d.Error, "of job backup") {
			t.Errorf("the deployment is %+v", d)
		}
		p.silent()
	})
}

func phaseOf(d stacks.Deployment, name stacks.PhaseName) stacks.Phase {
	for _, p := range d.Phases {
		if p.Name == name {
			return p
		}
	}
	return stacks.Phase{}
}

func TestARunThatWaitsForItsSecretsHoldsUpNoDeployment(t *testing.T) {
	s, w, p := newJobStand(t)
	slow := make(chan struct{})
	release := sync.OnceFunc(func() { close(slow) })
	defer release()
	s.mu.Lock()
	s.slowRuns = slow
	s.mu.Unlock()
	j := s.job("backup", onDemand(nil))
	s.runNow(j.ID, nil)
	s.eventually("the run has a command", func() bool { return s.runs(j.ID)[0].Command != "" })
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st := s.add("web", "web", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(st.ID, stacks.StatusActive)
	release()
	p.exit(expect[wire.Command](p), 0)
}
