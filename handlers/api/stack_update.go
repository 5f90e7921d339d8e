package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackUpdater edits a stack.
type StackUpdater interface {
	Update(ctx context.Context, id core.StackID, change stacks.Change, by access.Principal) (stacks.Stack, error)
}

// UpdateStackRequest sets what it names; everything else stays.
type UpdateStackRequest struct {
	Name       *string        `json:"name"` // not once it was deployed
	Path       *string        `json:"path"`
	WorkerID   *core.WorkerID `json:"worker_id"` // not once it was deployed
	WorkerTags *[]string      `json:"worker_tags"`
	AutoSync   *bool          `json:"auto_sync"`
}

// UpdateStack edits a stack.
func UpdateStack(updater StackUpdater) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := stackID(r)
		if err != nil {
			return err
		}
		ask, err := endpoint.Decode[UpdateStackRequest](r)
		if err != nil {
			return err
		}
		s, err := updater.Update(r.Context(), id, stacks.Change{
			Name: ask.Name, Path: ask.Path, Worker: ask.WorkerID, WorkerTags: ask.WorkerTags, AutoSync: ask.AutoSync,
		}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showStack(s))
	})
}
