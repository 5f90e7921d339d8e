package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/handlers/endpoint"
)

// WorkerLister lists workers in order of age.
type WorkerLister interface {
	Workers(ctx context.Context, f fleet.Filter, page core.Page) (core.List[fleet.Worker], error)
}

// ListWorkers answers with a page of workers, narrowed by online, revoked, tag and a part of the host name.
func ListWorkers(lister WorkerLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		var bad []fault.Field
		filter := fleet.Filter{Online: choice(r, "online", &bad), Revoked: choice(r, "revoked", &bad), Tag: r.URL.Query().Get("tag"), Search: r.URL.Query().Get("search")}
		if err := fault.BadFields("query.invalid", bad); err != nil {
			return err
		}
		list, err := lister.Workers(r.Context(), filter, page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showWorker)
	})
}

// choice reads a query parameter that is true, false or absent (nil).
func choice(r *http.Request, name string, bad *[]fault.Field) *bool {
	text := r.URL.Query().Get(name)
	if text == "" {
		return nil
	}
	if text != "true" && text != "false" {
		*bad = append(*bad, fault.Field{Path: name, Problem: "must be true or false"})
	}
	yes := text == "true"
	return &yes
}
