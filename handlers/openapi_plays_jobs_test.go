package handlers_test

import (
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
)

const jobsPath = "/api/custom/jobs"

// nightly is what the job of the plays says.
func nightly() jobs.Definition {
	return jobs.Definition{Name: "nightly", Description: "does what nights are for", Cron: "15 3 * * *", Timezone: "Europe/Zurich", Tags: []string{"eu"}, Group: "night", Mode: jobs.ModeOnce,
		Image: "busybox:1", Command: []string{"sh", "-c", "true"}, Volumes: []jobs.Volume{{Source: "data", Target: "/data", ReadOnly: true}}, Configs: []jobs.Config{{File: "a.conf", Target: "/etc/a.conf"}},
		Overlap: jobs.OverlapQueue, Retries: jobs.Retries{Count: 2, Backoff: 10 * time.Second}, StartDeadline: time.Hour, Resources: jobs.Resources{CPU: 0.5, Memory: 64 << 20, Timeout: time.Minute}}
}

// readJob does what the hub does when it has read a job's file.
func (s *stand) readJob(id string, d jobs.Definition, problem string) {
	s.t.Helper()
	sight := jobs.Sight{Job: core.JobID(id), Commit: core.Commit(commitHash), Tree: "t1", Definition: d}
	if problem != "" {
		sight = jobs.Sight{Job: core.JobID(id), Commit: core.Commit(commitHash), Tree: "t2", ErrorCode: "job.invalid", Error: problem}
	}
	s.must(s.store.RecordSights(s.t.Context(), []jobs.Sight{sight}, func(j jobs.Job) time.Time { return j.Due(s.now()) }))
}

const commitHash = "0123456789012345678901234567890123456789"

// begin does what the hub and a worker do until a run's container was started.
func (s *stand) begin(run, worker string) jobs.Run {
	s.t.Helper()
	ctx, now := s.t.Context(), s.now()
	r, err := s.store.Run(ctx, core.RunID(run))
	s.must(err)
	_, err = s.store.Begin(ctx, []core.JobID{r.Job}, func(jobs.Job, []jobs.Run) jobs.Beginning {
		r.Worker, r.Command = core.WorkerID(worker), core.CommandID(core.NewID(core.PrefixCommand, now))
		return jobs.Beginning{Runs: []jobs.Start{{Run: r, Command: &stacks.Command{ID: r.Command, Attempt: 1, Worker: r.Worker, Kind: stacks.CommandRun, Run: r.ID,
			State: stacks.CommandQueued, CreatedAt: now, Body: stacks.CommandBody{Seconds: 60}}}}}
	})
	s.must(err)
	s.must(s.store.SaveRunLog(ctx, []jobs.Progress{{Run: r.ID, StartedAt: now, Heard: jobs.Heard{Attempt: 1, Event: 1}}}, []jobs.LogPiece{{Run: r.ID, Number: 1, At: now, Text: "begun\n"}}))
	return r
}

// end does what the hub does when a worker has told how a run ended.
func (s *stand) end(r jobs.Run, state jobs.RunState, exit int, code, why string) {
	s.t.Helper()
	_, err := s.store.EndRun(s.t.Context(), jobs.Outcome{Run: r.ID, Command: r.Command, State: state, ExitCode: &exit, ErrorCode: code, Error: why, At: s.now()}, nil)
	s.must(err)
}

func (p *players) playJobs() {
	job := p.name("job", "POST", jobsPath, `{"name":"nightly","repository_id":"{repository}","path":""}`)
	if job["definition"] != nil || job["standing"] != "new" {
		p.t.Errorf("a job that was not read is %v", job)
	}
	p.play(409, "POST", jobsPath, `{"name":"nightly","repository_id":"{repository}","path":"other"}`)
	p.play(409, "POST", jobsPath, `{"name":"other","repository_id":"{repository}","path":"."}`)
	p.play(409, "POST", jobsPath+"/{job}/run", "")
	p.name("idle", "POST", jobsPath, `{"name":"idle","repository_id":"{repository}","path":"idle"}`)
	p.s.readJob(p.named["job"], nightly(), "")
	p.tells(jobsPath+"/{job}", "definition", "next_at", "next_times", "schedule")
	p.play(200, "GET", jobsPath+"?standing=new&group=night&search=night&repository_id={repository}", "")
	p.play(200, "PATCH", jobsPath+"/{job}", `{"paused":true}`)
	p.play(200, "PATCH", jobsPath+"/{job}", `{"paused":false,"name":"nightly-work"}`)
	p.play(404, "PATCH", jobsPath+"/job_none", `{"paused":true}`)
}

func (p *players) playRuns() {
	const run = "/api/custom/job-runs/{run}"
	p.named["run"] = p.play(202, "POST", jobsPath+"/{job}/run", `{"variables":{"LEVEL":"debug"}}`)["id"].(string)
	p.play(422, "POST", jobsPath+"/{job}/run", `{"variables":{"1":"x"}}`)
	second := p.play(202, "POST", jobsPath+"/{job}/run?wait=1ms", "")
	cancelled := p.play(202, "POST", "/api/custom/job-runs/"+second["id"].(string)+"/cancel", "")
	if second["state"] != "queued" || cancelled["state"] != "cancelled" || cancelled["cancelled_by"] == "" || cancelled["exit_code"] != nil {
		p.t.Errorf("a run that waits is %v, and once it was cancelled %v", second, cancelled)
	}
	p.play(409, "POST", "/api/custom/job-runs/"+second["id"].(string)+"/cancel", "")
	begun := p.s.begin(p.named["run"], p.named["worker"])
	p.play(200, "GET", run, "")
	p.play(409, "DELETE", jobsPath+"/{job}", "")
	p.s.end(begun, jobs.RunFailed, 3, "run.exit", "the container ended with exit code 3")
	p.tells(run, "exit_code", "duration_ms", "started_at", "overrides")
	p.play(200, "GET", run+"?wait=1s", "")
	p.play(200, "GET", run+"/log", "")
	p.play(200, "GET", run+"/stream", "")
	p.play(200, "GET", jobsPath+"/{job}/runs?state=failed", "")
	p.tells(jobsPath+"/{job}", "last_state")
	p.named["open run"] = p.play(202, "POST", jobsPath+"/{job}/run", "")["id"].(string)
}

// playJobVariables plays what only variables of jobs have; the rest is as with those of stacks.
func (p *players) playJobVariables() {
	const all = "/api/custom/variables"
	p.name("job variable", "POST", all, `{"scope":"job","scope_id":"{job}","name":"KEEP_DAYS","value":"30"}`)
	p.play(200, "POST", all+"/import", `{"scope":"job","scope_id":"{job}","text":"A=1\n","secret":true}`)
	p.play(200, "GET", all+"?scope=job&scope_id={job}", "")
	p.play(200, "GET", all+"/export?scope=job&scope_id={job}", "")
	p.play(200, "PUT", jobsPath+"/{job}/global-variables", `{"ids":["{plain}"]}`)
	p.play(200, "GET", jobsPath+"/{job}/global-variables", "")
}
