package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// RunFinder finds one run; NotFound "run.not_found".
type RunFinder interface {
	Run(ctx context.Context, id core.RunID) (jobs.Run, error)
}

// GetRun answers with one run; with ?wait= once it has ended or the time is up.
func GetRun(finder RunFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := runID(r)
		if err != nil {
			return err
		}
		if _, err := endpoint.WaitOf(r); err != nil {
			return err
		}
		run, err := finder.Run(r.Context(), id)
		if err != nil {
			return err
		}
		if run, err = heldRun(w, r, finder, run); err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showRun(run))
	})
}

// answerRun answers with a run that was just asked for: 202 at once, or with ?wait= its state once it
// has ended or the time is up.
func answerRun(w http.ResponseWriter, r *http.Request, finder RunFinder, run jobs.Run) error {
	run, err := heldRun(w, r, finder, run)
	if err != nil {
		return err
	}
	return endpoint.JSON(w, http.StatusAccepted, showRun(run))
}

func heldRun(w http.ResponseWriter, r *http.Request, finder RunFinder, run jobs.Run) (jobs.Run, error) {
	return held(w, r, run, func(run jobs.Run) bool { return run.State.Ended() }, func(ctx context.Context) (jobs.Run, error) { return finder.Run(ctx, run.ID) })
}
