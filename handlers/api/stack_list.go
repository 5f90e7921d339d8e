package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackLister lists stacks in the order that the filter asks for.
type StackLister interface {
	Stacks(ctx context.Context, f stacks.Filter, page core.Page) (core.List[stacks.Stack], error)
}

// ListStacks answers with a page of stacks, narrowed by repository_id, worker_id, status
// and search (part of the name); by name, or with order=need those first that need somebody.
func ListStacks(lister StackLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		q := r.URL.Query()
		list, err := lister.Stacks(r.Context(), stacks.Filter{
			Repository: core.RepositoryID(q.Get("repository_id")), Worker: core.WorkerID(q.Get("worker_id")),
			Status: stacks.Status(q.Get("status")), Search: q.Get("search"), Order: stacks.Order(q.Get("order")),
		}, page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showStack)
	})
}
