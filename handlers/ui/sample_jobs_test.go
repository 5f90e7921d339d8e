package ui

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/variables"
)

// sampleJob is one that runs each night, and whose runs mostly end well.
func sampleJob() jobs.Job {
	return jobs.Job{ID: "job_1", Name: "backup-shop", Repository: "rep_1", Path: "jobs/backup", Commit: "9f31c02d4a5e6f7a8b9c0d1e2f3a4b5c6d7e8f90", SeenCommit: "9f31c02d4a5e6f7a8b9c0d1e2f3a4b5c6d7e8f90",
		NextAt: sampleNow.Add(17*time.Hour + 45*time.Minute), FiredAt: before(6 * time.Hour), LastSuccessAt: before(6 * time.Hour), LastState: jobs.RunSucceeded, CreatedAt: before(9000 * time.Hour), UpdatedAt: before(40 * time.Hour),
		Definition: jobs.Definition{Name: "backup", Description: "dumps the shop's database and sends it away", Cron: "15 4 * * mon-fri", Timezone: "Europe/Zurich", Tags: []string{"eu", "production"}, Group: "backups",
			Mode: jobs.ModeOnce, Image: "registry.example.com/tools/backup:2025.11", Command: []string{"backup", "--to", "s3://archive/shop", "keep 30 days"}, Network: "shop_default",
			Volumes: []jobs.Volume{{Source: "shop_data", Target: "/data", ReadOnly: true}, {Source: "/srv/backup", Target: "/out"}}, Configs: []jobs.Config{{File: "backup.conf", Target: "/etc/backup.conf"}},
			Overlap: jobs.OverlapSkip, Retries: jobs.Retries{Count: 3, Backoff: 30 * time.Second}, StartDeadline: time.Hour, Resources: jobs.Resources{CPU: 0.5, Memory: 256 << 20, Timeout: 20 * time.Minute}}}
}

// sampleRuns are the newest runs of the job, newest first.
func sampleRuns(n int) []jobs.Run {
	all := make([]jobs.Run, n)
	for i := range all {
		started := before(6*time.Hour + time.Duration(i)*24*time.Hour)
		code := 0
		r := jobs.Run{ID: core.RunID(fmt.Sprintf("run_%02d", i)), Job: "job_1", State: jobs.RunSucceeded, Trigger: jobs.TriggerCron, Actor: "system", Attempt: 1, Worker: "wrk_1", ScheduledAt: started,
			QueuedAt: started, StartedAt: started, FinishedAt: started.Add(time.Duration(80+(i*i*13)%70) * time.Second), ExitCode: &code, Commit: "9f31c02d4a5e6f7a8b9c0d1e2f3a4b5c6d7e8f90", Definition: sampleJob().Definition}
		switch i {
		case 4:
			bad := 3
			r.State, r.ExitCode, r.ErrorCode, r.Error = jobs.RunFailed, &bad, "run.exit", "the container ended with exit code 3"
		case 3:
			r.Trigger, r.Attempt, r.RetryOf = jobs.TriggerRetry, 2, "run_04"
		case 9:
			r.State, r.StartedAt, r.ExitCode, r.Worker, r.ErrorCode, r.Error = jobs.RunSkipped, time.Time{}, nil, "", "run.overlap", "another run of the job was open"
		case 12:
			r.State, r.Trigger, r.Actor, r.CancelledBy = jobs.RunCancelled, jobs.TriggerManual, "ada@example.org", "ada@example.org"
		case 20:
			r.State, r.ExitCode, r.ErrorCode, r.Error = jobs.RunLost, nil, "run.lost", "its container is not there any more"
		}
		all[i] = r
	}
	return all
}

// openRun is one that runs, or waits.
func openRun(state jobs.RunState) jobs.Run {
	r := sampleRuns(1)[0]
	r.ID, r.State, r.FinishedAt, r.ExitCode, r.Trigger, r.Actor, r.Overrides = "run_open", state, time.Time{}, nil, jobs.TriggerManual, "ada@example.org", []string{"KEEP_DAYS", "LOG_LEVEL"}
	r.QueuedAt, r.ScheduledAt, r.StartedAt = before(time.Minute), before(time.Minute), before(50*time.Second)
	if state == jobs.RunQueued {
		r.StartedAt, r.Worker = time.Time{}, ""
	}
	return r
}

// sampleJobStore answers with samples.
type sampleJobStore struct {
	sampleNames
	job  jobs.Job
	runs []jobs.Run
}

func (s sampleJobStore) Job(context.Context, core.JobID) (jobs.Job, error) { return s.job, nil }

func (s sampleJobStore) Runs(_ context.Context, _ jobs.RunFilter, ask core.Page) (core.List[jobs.Run], error) {
	return core.List[jobs.Run]{Items: s.runs[:min(len(s.runs), ask.Limit)], Next: map[bool]string{true: "x"}[len(s.runs) > ask.Limit]}, nil
}

func (s sampleJobStore) Run(_ context.Context, id core.RunID) (jobs.Run, error) {
	return s.runs[0], nil
}

func (s sampleJobStore) RunLog(context.Context, core.RunID, uint64, int) ([]jobs.LogPiece, error) {
	return nil, nil
}

func (sampleJobStore) Repository(context.Context, core.RepositoryID) (repositories.Repository, error) {
	return repositories.Repository{ID: "rep_1", Name: "apps"}, nil
}

func (sampleJobStore) Worker(_ context.Context, id core.WorkerID) (fleet.Worker, error) {
	for _, w := range sampleWorkers() {
		if w.ID == id {
			return w, nil
		}
	}
	return sampleWorkers()[0], nil
}

func sampleJobPage(j jobs.Job, runs []jobs.Run) jobShowPage {
	s := sampleJobStore{job: j, runs: runs}
	page, _, err := showJob(context.Background(), s, newNames(s, s), j, sampleNow)
	if err != nil {
		panic(err)
	}
	return page
}

func sampleRunPage(r jobs.Run, others []jobs.Run, pieces ...jobs.LogPiece) runPage {
	s := sampleJobStore{job: sampleJob(), runs: append([]jobs.Run{r}, others...)}
	page, err := showRun(context.Background(), s, newNames(s, s), r, s.job, sampleNow)
	if err != nil {
		panic(err)
	}
	page.Log = logOf(context.Background(), loggedRun(r), pieces, runPiece, logLook{search: "e", clock: true})
	return page
}

// troubled are jobs in each state that needs somebody, or is special.
func troubled() map[string]jobs.Job {
	broken, failing, missed, paused, fresh := sampleJob(), sampleJob(), sampleJob(), sampleJob(), jobs.Job{ID: "job_9", Name: "report", Repository: "rep_1", Path: "jobs/report"}
	broken.ErrorCode, broken.Error = "job.invalid", "jobs/backup/job.yaml has 2 problems:\ncron: line 3: it has 4 fields; five are read: minute, hour, day of the month, month, day of the week\nresources.timeout: line 7: is required: how long a run may take, such as 10m"
	failing.LastState, failing.LastSuccessAt = jobs.RunFailed, before(80*time.Hour)
	missed.Missed, missed.MissedAt = 4, before(2*time.Hour)
	paused.Paused = true
	return map[string]jobs.Job{"broken": broken, "failing": failing, "missed": missed, "paused": paused, "new": fresh}
}

func sampleJobList() jobListPage {
	var page jobListPage
	add := func(name, standing string, change func(*jobs.Job, []jobs.Run) []jobs.Run) {
		j, runs := sampleJob(), sampleRuns(30)
		if other, found := troubled()[standing]; found {
			j = other
		}
		j.ID, j.Name = core.JobID("job_"+name), name
		runs = change(&j, runs)
		line := jobLineOf(j, runs, sampleNow, hubNotice{})
		line.Repository = "apps"
		page.Lines = append(page.Lines, line)
	}
	same := func(_ *jobs.Job, runs []jobs.Run) []jobs.Run { return runs }
	add("backup-shop", "", same)
	add("certificates", "failing", func(_ *jobs.Job, runs []jobs.Run) []jobs.Run { return runs[4:] })
	add("cleanup-of-everything-that-is-old-and-large", "", func(j *jobs.Job, runs []jobs.Run) []jobs.Run {
		j.Definition.Cron, j.Definition.Timezone, j.Definition.Group = "*/10 * * * *", "UTC", ""
		return append([]jobs.Run{openRun(jobs.RunRunning)}, runs[:8]...)
	})
	add("import", "missed", same)
	add("invoices", "broken", same)
	add("migrate", "", func(j *jobs.Job, runs []jobs.Run) []jobs.Run {
		j.Definition.Cron, j.NextAt = "", time.Time{}
		return runs[:1]
	})
	add("newsletter", "paused", same)
	add("report", "new", func(*jobs.Job, []jobs.Run) []jobs.Run { return nil })
	page.Tabs, page.Total = standingTabs(map[jobs.Standing]int{jobs.StandingBroken: 1, jobs.StandingFailing: 1, jobs.StandingMissed: 1, jobs.StandingWell: 3, jobs.StandingNew: 1, jobs.StandingPaused: 1}, nil)
	page.Group = choice{Name: "group", Label: "Group", Options: []option{{"", "all", true}, {"backups", "backups", false}}}
	page.Repository = choice{Name: "repository", Label: "Repository", Options: []option{{"", "all", true}, {"rep_1", "apps", false}}}
	page.More = "/jobs?after=report"
	return page
}

func jobSamples() map[string]sample {
	trail := jobTrail(sampleJob())
	runs := sampleRuns(40)
	failed := troubled()["failing"]
	said := []jobs.LogPiece{{Number: 1, At: before(49 * time.Second), Text: "dumping shop\n\x1b[32mdone\x1b[0m, 412 MB\n"}, {Number: 2, At: before(20 * time.Second), Text: "sending 10%\rsending 60%\nkeep 30 days\n"}}
	waiting := openRun(jobs.RunQueued)
	retrying := waiting
	retrying.Trigger, retrying.Attempt, retrying.RetryOf, retrying.NotBefore = jobs.TriggerRetry, 3, "run_04", sampleNow.Add(2*time.Minute)
	away := openRun(jobs.RunRunning)
	away.Worker = "wrk_3"
	next := runs[3]
	refused := newJobForm(jobWords{name: "backup", path: "jobs/backup"})
	refused.Path.Problem = "The job \"backup-shop\" follows this folder of the repository already."
	list := runListPage{States: stateTabs(&url.URL{Path: "/job-runs"}, jobs.RunStates, runBadges), Table: runTable{Jobs: true}, More: "/job-runs?after=x"}
	for _, r := range runs[:14] {
		line := runLineOf(r, sampleNow, hubNotice{})
		line.Job, line.Worker = "backup-shop", "hetzner-fsn-1"
		list.Table.Lines = append(list.Table.Lines, line)
	}
	vars := jobVariablesPage{Head: jobHeadOf(sampleJob(), nil, tabVariables), ExportHref: "/x", Names: 3, New: newVariableForm(variables.ScopeJob, "", "", true), Globals: []tick{{Name: "variable-var_1", Label: "REGION", On: true}, {Name: "variable-var_2", Label: "TZ"}},
		Lines: []effectiveLine{{Variable: lineSample("ARCHIVE_KEY", "", true), From: fromJob}, {Variable: lineSample("KEEP_DAYS", "30", false), From: fromJob}, {Variable: lineSample("REGION", "eu", false), From: fromJob}, {Variable: lineSample("REGION", "us", false), From: "global", Loses: fromJob}}}
	vars.Ways, _ = waysOf(visit("admin", "/"), "/jobs/job_1/variables/new", picked{}, sampleBackends{})
	all := map[string]sample{
		"job":             of(jobShowView, framed(inJobs, "backup-shop", trail[0]), sampleJobPage(sampleJob(), runs)),
		"job-failing":     of(jobShowView, framed(inJobs, "backup-shop", trail[0]), sampleJobPage(failed, runs[4:])),
		"job-running":     of(jobShowView, framed(inJobs, "backup-shop", trail[0]), sampleJobPage(sampleJob(), append([]jobs.Run{openRun(jobs.RunRunning)}, runs[:2]...))),
		"job-list":        of(jobListView, framed(inJobs, "Jobs"), sampleJobList()),
		"job-list-none":   of(jobListView, framed(inJobs, "Jobs"), jobListPage{}),
		"job-list-narrow": of(jobListView, framed(inJobs, "Jobs"), jobListPage{Total: 8, Standing: "paused", LeftOut: []string{"odd"}}),
		"job-add": of(jobNewView, framed(inJobs, "Add a job", trail[0]), jobNewPage{Form: refused, Pick: folderPick{Page: newJobAt, Repository: "apps", RepositoryID: "rep_1", RepositoryHref: "/repositories/rep_1",
			Folders: []folderLine{{Path: "jobs/backup", Href: "/x", Files: "job.yaml", Current: true}, {Path: "jobs/report", Href: "/x", Files: "job.yaml"}, {Path: "jobs/clean", Files: "job.yaml", Taken: true, Added: []nameLink{{"clean-up", "/jobs/job_2"}}}}}}),
		"job-add-choose":     of(jobNewView, framed(inJobs, "Add a job", trail[0]), jobNewPage{Pick: folderPick{Page: newJobAt, Choose: choice{Name: "repository", Label: "Repository", Options: []option{{"rep_1", "apps", false}}}}}),
		"job-add-first":      of(jobNewView, framed(inJobs, "Add a job", trail[0]), jobNewPage{Pick: folderPick{Page: newJobAt, Repository: "apps", RepositoryID: "rep_1", RepositoryHref: "/repositories/rep_1"}, Sample: copyable{"job-sample", "Example of a job.yaml", firstJob}, Form: newJobForm(jobWords{})}),
		"job-add-none":       of(jobNewView, framed(inJobs, "Add a job", trail[0]), jobNewPage{Pick: folderPick{None: true}}),
		"job-settings":       of(jobSettingsView, framed(inJobs, "Settings of backup-shop", trail...), jobSettingsPage{jobHeadOf(sampleJob(), nil, tabSettings), newJobForm(jobWords{name: "backup-shop", path: "jobs/backup"})}),
		"job-delete":         of(jobDeleteView, framed(inJobs, "Delete backup-shop", trail...), jobDeletePage{jobHeadOf(sampleJob(), nil, ""), "A run of the job \"backup-shop\" is not over. Cancel it or wait for it, then delete the job."}),
		"job-run":            of(jobRunView, framed(inJobs, "Run backup-shop", trail...), jobRunPage{Head: jobHeadOf(sampleJob(), nil, ""), Known: []string{"ARCHIVE_KEY", "KEEP_DAYS"}, Text: newOverridesText()}),
		"job-variables":      of(jobVariablesView, framed(inJobs, "Variables of backup-shop", trail...), vars),
		"job-variables-none": of(jobVariablesView, framed(inJobs, "Variables of backup-shop", trail...), jobVariablesPage{Head: jobHeadOf(sampleJob(), nil, tabVariables), New: newVariableForm(variables.ScopeJob, "", "", true)}),
		"run-list":           of(runListView, framed(inJobs, "Runs", trail[0]), list),
		"run-list-state":     of(runListView, framed(inJobs, "Runs", trail...), runListPage{States: stateTabs(&url.URL{Path: "/job-runs", RawQuery: "state=lost"}, jobs.RunStates, runBadges), Narrowed: true}),
		"run-list-none":      of(runListView, framed(inJobs, "Runs", trail...), runListPage{Job: "backup-shop", JobHref: "/jobs/job_1", LeftOut: []string{"run_x"}}),
		"run":                of(runView, framed(inJobs, "Run of backup-shop", trail...), sampleRunPage(openRun(jobs.RunRunning), runs, said...)),
		"run-done":           of(runView, framed(inJobs, "Run of backup-shop", trail...), sampleRunPage(runs[0], runs, said...)),
		"run-failed":         of(runView, framed(inJobs, "Run of backup-shop", trail...), sampleRunPage(runs[4], []jobs.Run{next}, said...)),
		"run-skipped":        of(runView, framed(inJobs, "Run of backup-shop", trail...), sampleRunPage(runs[9], nil)),
		"run-cancelled":      of(runView, framed(inJobs, "Run of backup-shop", trail...), sampleRunPage(runs[12], nil, said...)),
		"run-lost":           of(runView, framed(inJobs, "Run of backup-shop", trail...), sampleRunPage(runs[20], nil)),
		"run-waiting":        of(runView, framed(inJobs, "Run of backup-shop", trail...), sampleRunPage(waiting, nil)),
		"run-everywhere":     of(runView, framed(inJobs, "Run of backup-shop", trail...), sampleRunPage(everywhere(runs[0]), besides(runs[1:4]), said...)),
		"run-retrying":       of(runView, framed(inJobs, "Run of backup-shop", trail...), sampleRunPage(retrying, nil)),
		"run-away":           of(runView, framed(inJobs, "Run of backup-shop", trail...), sampleRunPage(away, nil)),
	}
	for name, j := range troubled() {
		if name != "failing" {
			all["job-"+name] = of(jobShowView, framed(inJobs, j.Name, trail[0]), sampleJobPage(j, map[bool][]jobs.Run{true: runs}[name != "new"]))
		}
	}
	return all
}

// everywhere is a run of a job that runs on all workers; besides are those of other workers at the same time.
func everywhere(r jobs.Run) jobs.Run {
	r.Fire, r.Definition.Mode = "run_00", jobs.ModeOnceAll
	return r
}

func besides(runs []jobs.Run) []jobs.Run {
	var all []jobs.Run
	for i, r := range runs {
		r.Fire, r.Worker = "run_00", sampleWorkers()[min(i, 2)].ID
		all = append(all, r)
	}
	return all
}

// sampleJobsPicture is what the overview shows of jobs.
func sampleJobsPicture() jobsPicture {
	o := overview{ctx: context.Background(), now: sampleNow, standings: map[jobs.Standing]int{jobs.StandingWell: 14, jobs.StandingFailing: 1, jobs.StandingMissed: 1, jobs.StandingBroken: 1, jobs.StandingPaused: 2}, reader: jobsOnly{sampleJobStore: sampleJobStore{job: sampleJob(), runs: sampleRuns(30)}}}
	var page overviewPage
	if err := o.putJobs(&page); err != nil {
		panic(err)
	}
	more := sampleJobList()
	page.Jobs.Lines = append(page.Jobs.Lines, more.Lines[1:4]...)
	return page.Jobs
}

// jobsOnly is an overview's reader that knows of jobs.
type jobsOnly struct {
	OverviewReader
	sampleJobStore
}

func (s jobsOnly) Job(ctx context.Context, id core.JobID) (jobs.Job, error) {
	return s.sampleJobStore.Job(ctx, id)
}

func (s jobsOnly) Runs(ctx context.Context, f jobs.RunFilter, ask core.Page) (core.List[jobs.Run], error) {
	return s.sampleJobStore.Runs(ctx, f, ask)
}

func (s jobsOnly) RecentRuns(_ context.Context, ids []core.JobID, limit int) (map[core.JobID][]jobs.Run, error) {
	recent := map[core.JobID][]jobs.Run{}
	for _, id := range ids {
		recent[id] = s.runs[:min(limit, len(s.runs))]
	}
	return recent, nil
}
