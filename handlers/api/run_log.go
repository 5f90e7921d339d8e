package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// RunLogger reads the log of a run.
type RunLogger interface {
	RunFinder
	RunLog(ctx context.Context, id core.RunID, after uint64, limit int) ([]jobs.LogPiece, error)
}

// RunLogAnswer is a page of a run's log, oldest first.
type RunLogAnswer struct {
	Items []LogPiece    `json:"items"`
	Next  string        `json:"next"`  // for ?after=; always set: ask again with it while state is queued or running
	State jobs.RunState `json:"state"` // of the run
}

// RunLog answers with the pieces of a log after the numbered one.
func RunLog(logger RunLogger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := runID(r)
		if err != nil {
			return err
		}
		page, err := logOfRun(logger, id).asked(r)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, RunLogAnswer{Items: page.items, Next: page.next(), State: page.state})
	})
}

// StreamRun sends a run's log as server-sent events, and at its end the run.
func StreamRun(logger RunLogger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := runID(r)
		if err != nil {
			return err
		}
		return logOfRun(logger, id).answer(w, r)
	})
}

func logOfRun(logger RunLogger, id core.RunID) logSource[jobs.RunState] {
	return logSource[jobs.RunState]{
		state: func(ctx context.Context) (jobs.RunState, error) {
			run, err := logger.Run(ctx, id)
			return run.State, err
		},
		pieces: func(ctx context.Context, after uint64, limit int) ([]LogPiece, error) {
			stored, err := logger.RunLog(ctx, id, after, limit)
			pieces := make([]LogPiece, len(stored))
			for i, p := range stored {
				pieces[i] = LogPiece{Number: p.Number, At: p.At, Text: p.Text}
			}
			return pieces, err
		},
		shown: func(ctx context.Context) (any, error) {
			run, err := logger.Run(ctx, id)
			return showRun(run), err
		},
	}
}
