package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// Discoverer finds what a repository's head could deploy.
type Discoverer interface {
	Discover(ctx context.Context, r repositories.Repository) (repositories.Discovery, error)
}

// DiscoverAnswer is what a repository's head could deploy.
type DiscoverAnswer struct {
	Commit    core.Commit   `json:"commit"`
	Items     []FoundAnswer `json:"items"`     // by path
	Truncated bool          `json:"truncated"` // there are more than the 1000 that are listed
}

// FoundAnswer is one folder.
type FoundAnswer struct {
	Path  string            `json:"path"`  // "" is the root
	Kind  repositories.Kind `json:"kind"`  // stack or job
	Files []string          `json:"files"` // the manifest, Compose or job files that tell
}

// DiscoverRepository answers with every folder that holds a manifest, a Compose file or
// a job file.
func DiscoverRepository(finder RepositoryFinder, discoverer Discoverer) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		repository, err := namedRepository(r, finder)
		if err != nil {
			return err
		}
		discovery, err := discoverer.Discover(r.Context(), repository)
		if err != nil {
			return err
		}
		answer := DiscoverAnswer{Commit: discovery.Commit, Items: []FoundAnswer{}, Truncated: discovery.Truncated}
		for _, f := range discovery.Found {
			answer.Items = append(answer.Items, FoundAnswer{Path: f.Path, Kind: f.Kind, Files: f.Files})
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}
