package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// DeploymentLogger reads the log of a deployment.
type DeploymentLogger interface {
	DeploymentFinder
	DeploymentLog(ctx context.Context, id core.DeploymentID, after uint64, limit int) ([]stacks.LogLine, error)
}

// LogAnswer is a page of a deployment's log, oldest first.
type LogAnswer struct {
	Items []LogPiece             `json:"items"`
	Next  string                 `json:"next"`  // for ?after=; always set: ask again with it while state is queued or running
	State stacks.DeploymentState `json:"state"` // of the deployment
}

// DeploymentLog answers with the pieces of a log after the numbered one.
func DeploymentLog(logger DeploymentLogger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := deploymentID(r)
		if err != nil {
			return err
		}
		page, err := logOfDeployment(logger, id).asked(r)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, LogAnswer{Items: page.items, Next: page.next(), State: page.state})
	})
}

// StreamDeployment sends a deployment's log as server-sent events, and at its end the deployment.
func StreamDeployment(logger DeploymentLogger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := deploymentID(r)
		if err != nil {
			return err
		}
		return logOfDeployment(logger, id).answer(w, r)
	})
}

func logOfDeployment(logger DeploymentLogger, id core.DeploymentID) logSource[stacks.DeploymentState] {
	return logSource[stacks.DeploymentState]{
		state: func(ctx context.Context) (stacks.DeploymentState, error) {
			d, err := logger.Deployment(ctx, id)
			return d.State, err
		},
		pieces: func(ctx context.Context, after uint64, limit int) ([]LogPiece, error) {
			lines, err := logger.DeploymentLog(ctx, id, after, limit)
			pieces := make([]LogPiece, len(lines))
			for i, l := range lines {
				pieces[i] = LogPiece{Number: l.Number, At: l.At, Text: l.Text}
			}
			return pieces, err
		},
		shown: func(ctx context.Context) (any, error) {
			d, err := logger.Deployment(ctx, id)
			return showDeployment(d), err
		},
	}
}
