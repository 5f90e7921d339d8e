package kill

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/variables"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/local/stand/githost"
)

// Job is one of a load's jobs. Its runs write numbered lines and end with a code.
type Job struct {
	ID    core.JobID
	Kind  string
	First time.Time // when it was due first; zero: it is not due by itself
}

// kinds are the jobs that a load has: each with what its file says, and what its runs write and end with.
var kinds = map[string]struct {
	more        string // lines of its file
	lines, code int
	ends        []jobs.RunState // that runs may end in which were asked for and not cancelled
}{
	"skip":    {"overlap: skip", 5, 0, []jobs.RunState{jobs.RunSucceeded, jobs.RunSkipped}},
	"queue":   {"overlap: queue", 3, 0, []jobs.RunState{jobs.RunSucceeded}},
	"replace": {"overlap: replace", 8, 0, []jobs.RunState{jobs.RunSucceeded, jobs.RunCancelled}},
	"fail":    {"overlap: queue\nretries: {count: 1, backoff: 1s}", 2, 3, []jobs.RunState{jobs.RunFailed}},
	"tick":    {"cron: '* * * * *'\noverlap: queue", 2, 0, []jobs.RunState{jobs.RunSucceeded}},
	"tock":    {"cron: '* * * * *'\ntimezone: Asia/Kathmandu\noverlap: queue", 4, 0, []jobs.RunState{jobs.RunSucceeded}},
}

// lineEvery is how long a run takes for a line.
const lineEvery = 30 * time.Millisecond

// maxOpen keeps those who ask from asking for more runs than can be done.
const maxOpen = 4

// commitJobs writes the files of the jobs. Folders that a repository does not have are refused.
func (l *Load) commitJobs() {
	l.Site.T.Helper()
	files := map[string]string{}
	for kind, k := range kinds {
		files["jobs/"+kind+"/job.yaml"] = fmt.Sprintf("name: %s\nimage: %s\ncommand: %s\nnetwork: none\nresources: {cpu: 1, memory: 32m, timeout: 5m}\n%s\n",
			kind, l.Host.Image(), l.Host.RunCommand(time.Duration(k.lines)*lineEvery, k.lines, k.code), k.more)
	}
	if _, err := l.Site.Git.Apply(l.repository, "main", githost.Change{Files: files}); err != nil {
		l.Site.T.Fatal(err)
	}
}

// addJobs adds a job of each kind to the load's repository, and waits until all are read.
func (l *Load) addJobs(repository core.RepositoryID) {
	l.Site.T.Helper()
	for kind := range kinds {
		var j api.JobAnswer
		l.Site.Must(http.MethodPost, "/api/custom/jobs", api.CreateJobRequest{Name: l.repository + "-" + kind, RepositoryID: repository, Path: "jobs/" + kind}, &j)
		l.Site.Must(http.MethodPost, "/api/custom/variables", api.CreateVariableRequest{Scope: variables.ScopeJob, ScopeID: string(j.ID), Name: "CANARY", Value: "canary-of-" + kind, Secret: true}, nil)
		l.Jobs = append(l.Jobs, &Job{ID: j.ID, Kind: kind})
	}
	for _, j := range l.Jobs {
		l.until("job "+j.Kind+" is read", func() (bool, string) {
			now := get[api.JobAnswer](l.Site, j.path(""))
			if now.NextAt != nil {
				j.First = *now.NextAt
			}
			return now.Commit != "" && now.ErrorCode == "" && (now.Definition.Cron == "" || now.NextAt != nil), fmt.Sprintf("%+v", now)
		})
	}
}

func (j *Job) path(rest string) string { return "/api/custom/jobs/" + string(j.ID) + rest }

func runPath(id core.RunID, rest string) string { return "/api/custom/job-runs/" + string(id) + rest }

// askRun asks for a run of one of the jobs, or that one is stopped which was asked for before. Without an answer,
// nothing was promised.
func (l *Load) askRun() {
	l.mu.Lock()
	open := l.openRuns()
	l.mu.Unlock()
	if len(open) > 0 && l.random.IntN(6) == 0 {
		id := open[l.random.IntN(len(open))]
		l.mu.Lock()
		l.runs[id].cancelled = true // it may be, whatever the answer is
		l.mu.Unlock()
		_, _ = l.Site.Ask(http.MethodPost, runPath(id, "/cancel"), nil, nil)
		return
	}
	if len(open) >= maxOpen*len(l.Jobs) {
		return
	}
	j := l.Jobs[l.random.IntN(len(l.Jobs))]
	var run api.RunAnswer
	status, err := l.Site.Ask(http.MethodPost, j.path("/run"), api.RunJobRequest{Variables: map[string]string{"GIVEN": "canary-given"}}, &run)
	if err != nil || status != http.StatusAccepted {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs[run.ID] = &asked{job: j}
	l.Runs++
}

// asked is a run that the server has promised.
type asked struct {
	job       *Job
	cancelled bool // perhaps
	closed    bool
}

// openRuns is called with mu held.
func (l *Load) openRuns() (ids []core.RunID) {
	for id, a := range l.runs {
		if !a.closed {
			ids = append(ids, id)
		}
	}
	return ids
}

// all returns the job's runs, newest first.
func (j *Job) all(s *Site) (all []api.RunAnswer) {
	s.T.Helper()
	for next := ""; ; {
		page := get[endpoint.Items[api.RunAnswer]](s, j.path("/runs?limit=500&after="+next))
		if all = append(all, page.Items...); page.Next == "" {
			return all
		}
		next = page.Next
	}
}

// wantLines checks that a log has the lines that its run wrote, each once and in order: all of them, or those until it was
// stopped.
func wantLines(text string, lines int, all bool) error {
	var got []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "line ") || strings.HasPrefix(line, "[") || strings.HasPrefix(line, "…") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	for i, line := range got {
		if i >= lines || line != fmt.Sprint("line ", i+1) {
			return fmt.Errorf("line %d is %q in %q", i+1, line, text)
		}
	}
	if all && len(got) != lines {
		return fmt.Errorf("%d of %d lines are there: %q", len(got), lines, text)
	}
	return nil
}
