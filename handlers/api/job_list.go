package api

import (
	"context"
	"net/http"
	"strings"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// JobLister lists jobs by name.
type JobLister interface {
	Jobs(ctx context.Context, f jobs.Filter, page core.Page) (core.List[jobs.Job], error)
}

// ListJobs answers with a page of jobs, narrowed by repository_id, folder, group, standing and search (part
// of the name).
func ListJobs(lister JobLister, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		q := r.URL.Query()
		list, err := lister.Jobs(r.Context(), jobs.Filter{
			Repository: core.RepositoryID(q.Get("repository_id")), Folder: strings.Trim(q.Get("folder"), "/"), Group: q.Get("group"), Standing: jobs.Standing(q.Get("standing")), Search: q.Get("search"),
		}, page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showJob(now))
	})
}
