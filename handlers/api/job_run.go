package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// JobRunner queues a run that somebody asks for.
type JobRunner interface {
	RunNow(ctx context.Context, id core.JobID, overrides map[string]string, by access.Principal) (jobs.Run, error)
}

// RunJobRequest says what differs for this run alone; without a body nothing does.
type RunJobRequest struct {
	Variables map[string]string `json:"variables"` // by name: in place of the job's own and the global ones, or beside them; kept sealed, and never shown
}

// RunJob runs a job now: 202 with the run, or with ?wait= once it has ended.
func RunJob(runner JobRunner, finder RunFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := jobID(r)
		if err != nil {
			return err
		}
		if _, err := endpoint.WaitOf(r); err != nil {
			return err
		}
		ask, err := endpoint.DecodeOptional[RunJobRequest](r)
		if err != nil {
			return err
		}
		run, err := runner.RunNow(r.Context(), id, ask.Variables, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return answerRun(w, r, finder, run)
	})
}
