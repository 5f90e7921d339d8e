package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackCreator stores a new stack and queues its first deployment.
type StackCreator interface {
	Create(ctx context.Context, draft stacks.Draft, by access.Principal) (stacks.Stack, stacks.Deployment, error)
}

// CreateStackRequest describes a stack to be added.
type CreateStackRequest struct {
	Name         string            `json:"name" required:"yes"` // lower-case letters, digits, - and _; also the Compose project's name
	RepositoryID core.RepositoryID `json:"repository_id" required:"yes"`
	Path         string            `json:"path"`        // folder in the repository; "" or "." is its root
	WorkerID     core.WorkerID     `json:"worker_id"`   // "": any worker with the tags
	WorkerTags   []string          `json:"worker_tags"` // in addition to those in wireops.yaml
	AutoSync     *bool             `json:"auto_sync"`   // default true: deploy now and whenever the folder changes
}

// CreateStackAnswer is the stack, with the deployment that was queued for it.
type CreateStackAnswer struct {
	StackAnswer
	DeploymentID core.DeploymentID `json:"deployment_id"` // "" when auto_sync is false
}

// CreateStack adds a stack.
func CreateStack(creator StackCreator) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[CreateStackRequest](r)
		if err != nil {
			return err
		}
		s, d, err := creator.Create(r.Context(), stacks.Draft{
			Name: ask.Name, Repository: ask.RepositoryID, Path: ask.Path, Worker: ask.WorkerID, WorkerTags: ask.WorkerTags,
			AutoSync: ask.AutoSync == nil || *ask.AutoSync,
		}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, CreateStackAnswer{StackAnswer: showStack(s), DeploymentID: d.ID})
	})
}
