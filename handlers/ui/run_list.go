package ui

import (
	"net/http"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

type runListPage struct {
	Job, JobHref string // whose runs; empty: all
	Table        runTable
	More         string
	LeftOut      []string // identifiers of runs that are stored and cannot be read
}

// RunsReader lists runs and knows their jobs.
type RunsReader interface {
	JobFinder
	RunLister
}

var runListView = newView[runListPage]("run_list.html")

// Runs lists runs, newest first: those of ?job=, or all.
func Runs(reader RunsReader, workers WorkerFinder, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		page, trail := runListPage{}, []crumb{{"Jobs", "/jobs"}}
		id, finder := core.JobID(r.URL.Query().Get("job")), JobFinder(reader)
		if id != "" {
			j, err := reader.Job(r.Context(), id)
			if err != nil {
				return err
			}
			page.Job, page.JobHref, finder = j.Name, jobHref(id), nil
			trail = jobTrail(j)
		}
		list, err := reader.Runs(r.Context(), jobs.RunFilter{Job: id}, ask)
		if err != nil {
			return err
		}
		page.Table.Jobs, page.More, page.LeftOut = id == "", following(r.URL, list.Next), list.LeftOut
		page.Table.Lines, err = runLines(r.Context(), finder, newNames(nil, workers), list.Items, now())
		if err != nil {
			return err
		}
		return runListView.write(w, r, http.StatusOK, newFrame(r, inJobs, "Runs", trail...).following(anyOpen(list.Items)), page)
	})
}
