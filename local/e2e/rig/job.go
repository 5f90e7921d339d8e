package rig

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"berth/core"
	"berth/core/jobs"
	"berth/core/variables"
	"berth/handlers/api"
	"berth/handlers/endpoint"
)

// Job is one that the server follows.
type Job struct {
	*Repository
	ID   core.JobID
	Name string
}

// Job adds a folder as a job with a name of its own. It goes with the test, and so do the containers of its runs.
func (r *Repository) Job(path string) *Job {
	r.T.Helper()
	added := Post[api.JobAnswer](r.Client, "/api/custom/jobs", api.CreateJobRequest{Name: Name(), RepositoryID: r.ID, Path: path}, http.StatusCreated)
	j := &Job{Repository: r, ID: added.ID, Name: added.Name}
	r.T.Cleanup(func() { RemoveRuns(r.T, j.ID) })
	r.T.Cleanup(j.forget)
	return j
}

// forget deletes the job from a server that still runs.
func (j *Job) forget() {
	if j.stop == nil {
		return
	}
	Until(j.T, Soon, "the job is forgotten", func() (bool, string) {
		answer := j.Ask(http.MethodDelete, j.path(""), nil)
		if answer.Status == http.StatusConflict { // a run is open
			paused := true
			j.Ask(http.MethodPatch, j.path(""), api.UpdateJobRequest{Paused: &paused})
			for _, run := range j.Runs() {
				if !run.State.Ended() {
					j.Ask(http.MethodPost, runPath(run.ID, "/cancel"), nil)
				}
			}
		}
		return answer.Status == http.StatusNoContent || answer.Status == http.StatusNotFound, string(answer.Body)
	})
}

func (j *Job) path(rest string) string          { return "/api/custom/jobs/" + string(j.ID) + rest }
func runPath(id core.RunID, rest string) string { return "/api/custom/job-runs/" + string(id) + rest }

// Now returns the job as the server shows it.
func (j *Job) Now() api.JobAnswer {
	j.T.Helper()
	return Get[api.JobAnswer](j.Client, j.path(""))
}

// Until waits until the server shows the job like this.
func (j *Job) Until(what string, holds func(api.JobAnswer) bool) api.JobAnswer {
	j.T.Helper()
	var now api.JobAnswer
	Until(j.T, Soon, what, func() (bool, string) {
		now = j.Now()
		return holds(now), quoted(now)
	})
	return now
}

// At waits until what a commit says is in force.
func (j *Job) At(commit core.Commit) *Job {
	j.T.Helper()
	j.Until("job at "+commit.Short(), func(now api.JobAnswer) bool { return now.Commit == commit && now.ErrorCode == "" })
	return j
}

// Read waits until the job's file was read, whatever commit it is of, and holds.
func (j *Job) Read() *Job {
	j.T.Helper()
	j.Until("the job is read", func(now api.JobAnswer) bool { return now.Commit != "" && now.ErrorCode == "" })
	return j
}

// Set gives the job a variable.
func (j *Job) Set(name, value string, secret bool) {
	j.T.Helper()
	Post[api.VariableAnswer](j.Client, "/api/custom/variables", api.CreateVariableRequest{Scope: variables.ScopeJob, ScopeID: string(j.ID), Name: name, Value: value, Secret: secret}, http.StatusCreated)
}

// Refer gives the job a secret that another provider keeps.
func (j *Job) Refer(name, provider, reference string) {
	j.T.Helper()
	Post[api.VariableAnswer](j.Client, "/api/custom/variables", api.CreateVariableRequest{Scope: variables.ScopeJob, ScopeID: string(j.ID), Name: name, Secret: true, SecretProvider: provider, Reference: reference}, http.StatusCreated)
}

// Begin runs the job now, with these variables for this run alone.
func (j *Job) Begin(given map[string]string) api.RunAnswer {
	j.T.Helper()
	return Post[api.RunAnswer](j.Client, j.path("/run"), api.RunJobRequest{Variables: given}, http.StatusAccepted)
}

// Run runs the job now and waits for the end.
func (j *Job) Run(given map[string]string) api.RunAnswer {
	j.T.Helper()
	return j.Ended(j.Begin(given).ID)
}

// Ended waits until a run has ended and returns it.
func (j *Job) Ended(id core.RunID) api.RunAnswer {
	j.T.Helper()
	run := Get[api.RunAnswer](j.Client, runPath(id, "?wait="+Deploying.String()))
	if !run.State.Ended() {
		j.T.Fatalf("the run did not end in time: %+v", run)
	}
	return run
}

// UntilRun waits until the server shows a run like this.
func (j *Job) UntilRun(id core.RunID, what string, holds func(api.RunAnswer) bool) (run api.RunAnswer) {
	j.T.Helper()
	Until(j.T, Soon, what, func() (bool, string) {
		run = Get[api.RunAnswer](j.Client, runPath(id, ""))
		return holds(run), quoted(run)
	})
	return run
}

// Running waits until a run's container was started.
func (j *Job) Running(id core.RunID) api.RunAnswer {
	j.T.Helper()
	return j.UntilRun(id, "the run runs", func(run api.RunAnswer) bool { return run.State == jobs.RunRunning })
}

// Cancel stops a run.
func (j *Job) Cancel(id core.RunID) api.RunAnswer {
	j.T.Helper()
	return Post[api.RunAnswer](j.Client, runPath(id, "/cancel?wait="+Deploying.String()), nil, http.StatusAccepted)
}

// Runs returns the job's runs, newest first.
func (j *Job) Runs() []api.RunAnswer {
	j.T.Helper()
	return Get[endpoint.Items[api.RunAnswer]](j.Client, j.path("/runs?limit=500")).Items
}

// LogOf returns the text of a run's log.
func (j *Job) LogOf(id core.RunID) string {
	j.T.Helper()
	var text strings.Builder
	for _, piece := range Get[api.RunLogAnswer](j.Client, runPath(id, "/log?limit=500")).Items {
		text.WriteString(piece.Text)
	}
	return text.String()
}

// UntilLog waits until a run's log has a text.
func (j *Job) UntilLog(id core.RunID, text string) {
	j.T.Helper()
	Until(j.T, Soon, "the log has "+text, func() (bool, string) {
		log := j.LogOf(id)
		return strings.Contains(log, text), log
	})
}

// RunContainer returns the container of a run; false when there is none.
func RunContainer(t testing.TB, id core.RunID) (Container, bool) {
	t.Helper()
	text, err := docker(nil, "inspect", jobs.ContainerName(id))
	if err != nil && strings.Contains(err.Error(), "No such object") {
		return Container{}, false
	}
	var all []Container
	if err == nil {
		err = json.Unmarshal([]byte(text), &all)
	}
	if err != nil || len(all) != 1 {
		t.Fatalf("inspect the container of %s: %v", id, err)
	}
	return all[0], true
}

// RemoveRuns removes whatever containers a job's runs have left. A worker may be removing them as well.
func RemoveRuns(t testing.TB, id core.JobID) {
	t.Helper()
	Until(t, Soon, "no container of job "+string(id)+" is left", func() (bool, string) {
		out, err := docker(nil, "ps", "--all", "--quiet", "--filter", "label=dev.berth.job="+string(id))
		if ids := strings.Fields(out); err == nil && len(ids) > 0 {
			_, err = docker(nil, append([]string{"rm", "--force", "--volumes"}, ids...)...)
			return false, fmt.Sprint(ids, err)
		}
		return err == nil, fmt.Sprint(err)
	})
}
