package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// RunCanceller stops runs.
type RunCanceller interface {
	Cancel(ctx context.Context, id core.RunID, by access.Principal) (jobs.Run, error)
}

// CancelRun stops a run: 202 with the run, which has ended once its container has stopped.
func CancelRun(canceller RunCanceller, finder RunFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := runID(r)
		if err != nil {
			return err
		}
		if _, err := endpoint.WaitOf(r); err != nil {
			return err
		}
		run, err := canceller.Cancel(r.Context(), id, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return answerRun(w, r, finder, run)
	})
}
