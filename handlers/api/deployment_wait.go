package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// DeploymentFinder finds one deployment; NotFound "deployment.not_found".
type DeploymentFinder interface {
	Deployment(ctx context.Context, id core.DeploymentID) (stacks.Deployment, error)
}

// The pause between two looks at a deployment that is waited for is a twentieth of the
// time waited so far, within these bounds: the answer comes at most that much late.
const (
	shortestPause = 5 * time.Millisecond
	longestPause  = 500 * time.Millisecond
)

// answerDeployment answers with a deployment that was just asked for: 202 at once, or with
// ?wait= its state once it has ended or the time is up.
func answerDeployment(w http.ResponseWriter, r *http.Request, finder DeploymentFinder, d stacks.Deployment) error {
	wait, err := endpoint.WaitOf(r)
	if err != nil {
		return err
	}
	if d, err = held(w, r, finder, d, wait); err != nil {
		return err
	}
	return endpoint.JSON(w, http.StatusAccepted, showDeployment(d))
}

// held returns a deployment once it has ended or the time is up: that which was asked for, or
// what the host leaves of it.
func held(w http.ResponseWriter, r *http.Request, finder DeploymentFinder, d stacks.Deployment, wait time.Duration) (stacks.Deployment, error) {
	if wait == 0 || d.State.Ended() {
		return d, nil
	}
	return awaitEnd(r.Context(), finder, d, endpoint.WaitWithin(w, r, wait))
}

// awaitEnd looks at a deployment until it has ended or the time is up.
func awaitEnd(ctx context.Context, finder DeploymentFinder, d stacks.Deployment, wait time.Duration) (stacks.Deployment, error) {
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	for began := time.Now(); !d.State.Ended(); {
		select {
		case <-ctx.Done():
			return d, ctx.Err()
		case <-deadline.C:
			return d, nil
		case <-time.After(min(max(time.Since(began)/20, shortestPause), longestPause)):
		}
		current, err := finder.Deployment(ctx, d.ID)
		if err != nil {
			return d, err
		}
		d = current
	}
	return d, nil
}
