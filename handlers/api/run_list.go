package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// RunLister lists runs, newest first.
type RunLister interface {
	Runs(ctx context.Context, f jobs.RunFilter, page core.Page) (core.List[jobs.Run], error)
}

// ListRuns answers with a page of a job's runs, newest first, narrowed by state.
func ListRuns(finder JobFinder, lister RunLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		j, err := namedJob(r, finder)
		if err != nil {
			return err
		}
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		list, err := lister.Runs(r.Context(), jobs.RunFilter{Job: j.ID, State: jobs.RunState(r.URL.Query().Get("state"))}, page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showRun)
	})
}
