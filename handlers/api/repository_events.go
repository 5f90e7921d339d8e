package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// RepositoryEventLister lists what happened to a repository at its Git host, newest first.
type RepositoryEventLister interface {
	Events(ctx context.Context, id core.RepositoryID, p core.Page) (core.List[repositories.Event], error)
}

// RepositoryEventAnswer is something that happened to a repository, apart from plain new commits.
type RepositoryEventAnswer struct {
	ID     core.RepositoryEventID `json:"id"`
	At     time.Time              `json:"at"`
	Kind   repositories.EventKind `json:"kind"` // rewritten, unconnected, default_branch, tag_moved, version or moved; of a repository that is followed folder_added, folder_refused, folder_gone or folder_removed
	Text   string                 `json:"text"`
	Commit core.Commit            `json:"commit"` // the newest one then
	Ref    string                 `json:"ref"`    // branch or tag then, such as refs/heads/main
}

// ListRepositoryEvents lists what happened to a repository at its Git host, newest first.
func ListRepositoryEvents(lister RepositoryEventLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := repositoryID(r)
		if err != nil {
			return err
		}
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		list, err := lister.Events(r.Context(), id, page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showRepositoryEvent)
	})
}

func showRepositoryEvent(e repositories.Event) RepositoryEventAnswer {
	return RepositoryEventAnswer{ID: e.ID, At: e.At, Kind: e.Kind, Text: e.Text, Commit: e.Commit, Ref: e.Ref}
}
