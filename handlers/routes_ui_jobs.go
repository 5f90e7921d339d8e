package handlers

import (
	"berth/core/access"
	"berth/handlers/ui"
)

// UIJobs is the use cases of jobs.
type UIJobs interface {
	ui.JobCreator
	ui.JobUpdater
	ui.JobDeleter
	ui.JobRunner
	ui.RunCanceller
}

// UIJobStore is what pages read of jobs and their runs.
type UIJobStore interface {
	ui.JobLister
	ui.RunReader
}

func uiJobRoutes(u UIDeps) []Route {
	const one, run = "/jobs/{id}", "/job-runs/{id}"
	add := ui.NewJobDeps{Repositories: u.Repositories, Browser: u.Browser, Store: u.Store, Desk: u.Jobs}
	return []Route{
		page("/jobs", access.View, ui.Jobs(u.Store, u.Repositories, u.Now)),
		page("/jobs/new", access.Operate, ui.NewJob(add)),
		form("/jobs", access.Operate, ui.CreateJob(add)),
		page(one, access.View, ui.Job(u.Store, u.Repositories, u.Workers, u.Now)),
		page(one+"/run", access.Operate, ui.NewRun(u.Store, u.Variables)),
		form(one+"/run", access.Operate, ui.RunJob(u.Store, u.Variables, u.Jobs)),
		form(one+"/pause", access.Operate, ui.HoldJob(u.Jobs, true)),
		form(one+"/resume", access.Operate, ui.HoldJob(u.Jobs, false)),
		page(one+"/settings", access.Operate, ui.JobSettings(u.Store)),
		form(one+"/settings", access.Operate, ui.ChangeJob(u.Store, u.Jobs)),
		page(one+"/delete", access.Operate, ui.ConfirmDeleteJob(u.Store)),
		form(one+"/delete", access.Operate, ui.DeleteJob(u.Store, u.Jobs)),
		form(one+"/folder", access.Operate, ui.MoveGoneJob(u.Jobs)),
		form(one+"/folder/remove", access.Operate, ui.RemoveGoneJob(u.Jobs)),
		form(one+"/global-variables", access.Operate, ui.BindToJob(jobVariables(u), u.Variables)),
		page("/job-runs", access.View, ui.Runs(u.Store, u.Now)),
		page(run, access.View, ui.Run(u.Store, u.Workers, u.Now)),
		page(run+"/log/file", access.View, ui.SaveRunLog(u.Store)),
		form(run+"/cancel", access.Operate, ui.CancelRun(u.Jobs)),
	}
}
