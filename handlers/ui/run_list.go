package ui

import (
	"net/http"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

type runListPage struct {
	Job, JobHref string // whose runs; empty: all
	States       []tab
	Narrowed     bool
	Table        runTable
	More         string
	LeftOut      []string // identifiers of runs that are stored and cannot be read
}

// RunsReader lists runs and knows their jobs.
type RunsReader interface {
	JobFinder
	NameTeller
	RunLister
}

var runListView = newView[runListPage]("run_list.html")

// Runs lists runs, newest first: those of ?job=, or all, narrowed by ?state=.
func Runs(reader RunsReader, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := partOf(r)
		if err != nil {
			return err
		}
		page, trail := runListPage{}, []crumb{{"Jobs", "/jobs"}}
		id := core.JobID(r.URL.Query().Get("job"))
		if id != "" {
			j, err := reader.Job(r.Context(), id)
			if err != nil {
				return err
			}
			page.Job, page.JobHref = j.Name, jobHref(id)
			trail = jobTrail(j)
		}
		state, err := endpoint.OneOf(r.URL.Query(), "state", jobs.RunStates)
		if err != nil {
			return err
		}
		page.States, page.Narrowed = stateTabs(r.URL, jobs.RunStates, runBadges), state != ""
		list, err := reader.Runs(r.Context(), jobs.RunFilter{Job: id, State: state}, ask)
		if err != nil {
			return err
		}
		page.Table.Jobs, page.More, page.LeftOut = id == "", following(r.URL, list.Next), list.LeftOut
		page.Table.Lines, err = runLines(r.Context(), reader, id == "", list.Items, now())
		if err != nil {
			return err
		}
		return runListView.write(w, r, http.StatusOK, newFrame(r, inJobs, "Runs", trail...).following(anyOpen(list.Items)), page)
	})
}
