package ui

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// RunCanceller stops runs; see jobs.Desk.
type RunCanceller interface {
	Cancel(ctx context.Context, id core.RunID, by access.Principal) (jobs.Run, error)
}

// CancelRun stops a run and goes back to it.
func CancelRun(desk RunCanceller) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		run, err := desk.Cancel(r.Context(), core.RunID(r.PathValue("id")), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return seeOther(w, r, saying(runHref(run.ID), "run-cancelled"))
	})
}
