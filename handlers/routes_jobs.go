package handlers

import (
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/jobs"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// JobsDeps is what jobs and their runs need.
type JobsDeps struct {
	Desk  JobsDesk
	Store JobsStore
	Now   core.Clock
}

// JobsDesk is the use cases of jobs; *jobs.Desk has them.
type JobsDesk interface {
	api.JobCreator
	api.JobUpdater
	api.JobDeleter
	api.JobRunner
	api.RunCanceller
}

// JobsStore is what is read of jobs; *store.Store has it.
type JobsStore interface {
	api.JobFinder
	api.JobLister
	api.RunLister
	api.RunLogger
}

var runWaitParam = text("wait", "hold the answer back until the run has ended, at most this long: 0s to 300s; default 0s. A host that waits less says so: X-Host-Limit: wait=<seconds>")

func jobRoutes(d Deps) []Route {
	s := d.Jobs
	const all, job = "/api/custom/jobs", "/api/custom/jobs/{id}"
	row := func(method, pattern string, may access.Capability, handler http.Handler, op Operation) Route {
		op.Tag = "jobs"
		return Route{Method: method, Pattern: pattern, Capability: may, Surface: guard.API, Handler: handler, Operation: op}
	}
	return []Route{
		row(http.MethodGet, all, access.View, api.ListJobs(s.Store, s.Now), Operation{Summary: "List jobs by name", Live: true, Response: endpoint.Items[api.JobAnswer]{}, Status: http.StatusOK, Query: append([]Param{
			text("repository_id", "only jobs of this repository"), text("folder", "only jobs of this folder of a repository, or of one below it"), text("group", "only jobs of this group"), oneOf("standing", "only jobs that stand so", jobs.Standings), text("search", "only jobs whose name contains this")}, pageParams...)}),
		row(http.MethodPost, all, access.Operate, api.CreateJob(s.Desk, d.Repositories.Desk, s.Now),
			Operation{Summary: "Add a job", Detail: "Its `job.yaml` is read soon after; `definition` is null until then. A folder that the newest fetched commit of the repository does not have is refused.", Request: api.CreateJobRequest{}, Response: api.JobAnswer{}, Status: http.StatusCreated}),
		row(http.MethodGet, job, access.View, api.GetJob(s.Store, s.Now),
			Operation{Summary: "Read a job with its next times", Live: true, Response: api.JobAnswer{}, Status: http.StatusOK}),
		row(http.MethodPatch, job, access.Operate, api.UpdateJob(s.Desk, s.Now),
			Operation{Summary: "Edit a job, hold it back, or let it go on", Detail: "A folder that the newest fetched commit of the repository does not have is refused.", Request: api.UpdateJobRequest{}, Response: api.JobAnswer{}, Status: http.StatusOK}),
		row(http.MethodDelete, job, access.Operate, api.DeleteJob(s.Desk),
			Operation{Summary: "Delete a job with its runs, their logs and its variables", Detail: "Refused with `job.running` while a run is open: cancel that first.", Status: http.StatusNoContent}),
		row(http.MethodPost, job+"/run", access.Operate, api.RunJob(s.Desk, s.Store),
			Operation{Summary: "Run a job now", Detail: "It follows the job's overlap rule, as a run by schedule does. The values of `variables` are for this run alone and for its retries.",
				Request: api.RunJobRequest{}, Optional: true, Response: api.RunAnswer{}, Status: http.StatusAccepted, Query: []Param{runWaitParam}}),
		row(http.MethodGet, job+"/runs", access.View, api.ListRuns(s.Store, s.Store),
			Operation{Summary: "List a job's runs, newest first", Live: true, Response: endpoint.Items[api.RunAnswer]{}, Status: http.StatusOK, Query: append([]Param{oneOf("state", "only runs in this state", jobs.RunStates)}, pageParams...)}),
	}
}

func runRoutes(d Deps) []Route {
	s := d.Jobs
	const run = "/api/custom/job-runs/{id}"
	return []Route{
		{Method: http.MethodGet, Pattern: run, Capability: access.View, Surface: guard.API, Handler: api.GetRun(s.Store),
			Operation: Operation{Summary: "Read a run", Live: true, Tag: "job runs", Response: api.RunAnswer{}, Status: http.StatusOK, Query: []Param{runWaitParam}}},
		{Method: http.MethodGet, Pattern: run + "/log", Capability: access.View, Surface: guard.API, Handler: api.RunLog(s.Store),
			Operation: Operation{Summary: "Read a run's log after a number", Tag: "job runs", Response: api.RunLogAnswer{}, Status: http.StatusOK, Query: pageParams}},
		{Method: http.MethodGet, Pattern: run + "/stream", Capability: access.View, Surface: guard.API, Streams: true, Handler: api.StreamRun(s.Store),
			Operation: Operation{Summary: "Follow a run's log as server-sent events", Tag: "job runs", ContentType: "text/event-stream", Status: http.StatusOK,
				Detail: "Events `log` carry a LogPiece as JSON and have its number as their id; the last, `end`, carries the run. A client that comes back with `Last-Event-ID` goes on where it was. A host that cannot stream ends with what there is, says so with X-Host-Limit: stream, and is asked again.",
				Query:  []Param{number("after", "number of the last piece that was seen; default 0")}}},
		{Method: http.MethodPost, Pattern: run + "/cancel", Capability: access.Operate, Surface: guard.API, Handler: api.CancelRun(s.Desk, s.Store),
			Operation: Operation{Summary: "Stop a run", Tag: "job runs",
				Detail:   "One that waits ends at once. The container of one that runs is told to stop, and killed after ten seconds. Nothing is tried again.",
				Response: api.RunAnswer{}, Status: http.StatusAccepted, Query: []Param{runWaitParam}}},
	}
}
