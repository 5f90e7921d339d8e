package api

import (
	"net/http"
	"time"

	"berth/core"
	"berth/core/fault"
)

// orEmpty returns items, never nil, so that a list encodes as [] and not as null.
func orEmpty[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// optionalTime returns nil, null in JSON, for a time that has not come.
func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// pathID reads {id}. What does not have the shape of an identifier names nothing: the
// answer is the same as for one that does not exist.
func pathID[T ~string](r *http.Request, prefix string, missing error) (T, error) {
	id := r.PathValue("id")
	if !core.ValidID(prefix, id) {
		return "", missing
	}
	return T(id), nil
}

func stackID(r *http.Request) (core.StackID, error) {
	return pathID[core.StackID](r, core.PrefixStack, fault.New(fault.NotFound, "stack.not_found", "There is no such stack."))
}

func deploymentID(r *http.Request) (core.DeploymentID, error) {
	return pathID[core.DeploymentID](r, core.PrefixDeployment, fault.New(fault.NotFound, "deployment.not_found", "There is no such deployment."))
}

func jobID(r *http.Request) (core.JobID, error) {
	return pathID[core.JobID](r, core.PrefixJob, fault.New(fault.NotFound, "job.not_found", "There is no such job."))
}

func runID(r *http.Request) (core.RunID, error) {
	return pathID[core.RunID](r, core.PrefixRun, fault.New(fault.NotFound, "run.not_found", "There is no such run."))
}
