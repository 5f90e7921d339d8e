package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/intake"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// RepositoryIntake adds stacks and jobs for folders of a repository.
type RepositoryIntake interface {
	Add(ctx context.Context, id core.RepositoryID, wish intake.Wish, by access.Principal) ([]intake.Added, error)
}

// AddFoundRequest is which folders of a repository are to be added.
type AddFoundRequest struct {
	Items      []PickRequest `json:"items" required:"yes"` // 1 to 100
	WorkerID   core.WorkerID `json:"worker_id"`            // of the stacks; "": any worker with the tags
	WorkerTags []string      `json:"worker_tags"`          // of the stacks, in addition to those in wireops.yaml
	AutoSync   *bool         `json:"auto_sync"`            // of the stacks; default true: deploy now and whenever the folder changes
}

// PickRequest is one folder.
type PickRequest struct {
	Path string            `json:"path"`                // folder in the repository; "" is its root
	Kind repositories.Kind `json:"kind" required:"yes"` // stack or job
	Name string            `json:"name"`                // "": made of the folder's, or of the repository's
}

// AddFoundAnswer is what became of each folder, in the order in which they were picked.
type AddFoundAnswer struct {
	Added int               `json:"added"` // how many were
	Items []AddedItemAnswer `json:"items"`
}

// AddedItemAnswer is what became of one folder.
type AddedItemAnswer struct {
	Path         string            `json:"path"`
	Kind         repositories.Kind `json:"kind"`
	Name         string            `json:"name"`          // that it got
	ID           string            `json:"id"`            // of the stack or job; "": it was not added
	DeploymentID core.DeploymentID `json:"deployment_id"` // of the stack; "": none was queued
	ErrorCode    string            `json:"error_code"`    // why it was not added; "": it was
	Error        string            `json:"error"`
}

// AddFound adds the folders that were picked, each for itself: one that is refused does not keep the others out.
func AddFound(adder RepositoryIntake) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := repositoryID(r)
		if err != nil {
			return err
		}
		ask, err := endpoint.Decode[AddFoundRequest](r)
		if err != nil {
			return err
		}
		wish := intake.Wish{Worker: ask.WorkerID, WorkerTags: ask.WorkerTags, AutoSync: ask.AutoSync == nil || *ask.AutoSync}
		for _, item := range ask.Items {
			wish.Picks = append(wish.Picks, intake.Pick{Path: item.Path, Kind: item.Kind, Name: item.Name})
		}
		all, err := adder.Add(r.Context(), id, wish, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		answer := AddFoundAnswer{Items: []AddedItemAnswer{}}
		for _, a := range all {
			answer.Items = append(answer.Items, showAdded(a))
			if a.Err == nil {
				answer.Added++
			}
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}

func showAdded(a intake.Added) AddedItemAnswer {
	answer := AddedItemAnswer{Path: a.Path, Kind: a.Kind, Name: a.Name, ID: a.ID, DeploymentID: a.DeploymentID}
	if a.Err != nil {
		answer.ErrorCode, answer.Error = fault.CodeOf(a.Err), fault.PublicOf(a.Err)
	}
	return answer
}
