package ui

import (
	"context"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/repositories"
)

// RepositoryFinder finds one repository. NotFound "repository.not_found".
type RepositoryFinder interface {
	Repository(ctx context.Context, id core.RepositoryID) (repositories.Repository, error)
}

// WorkerFinder finds one worker. NotFound "worker.not_found".
type WorkerFinder interface {
	Worker(ctx context.Context, id core.WorkerID) (fleet.Worker, error)
}

// names finds what repositories and workers are called, each once while a page is made.
type names struct {
	repositories RepositoryFinder
	workers      WorkerFinder
	known        map[string]string
}

func newNames(repositories RepositoryFinder, workers WorkerFinder) *names {
	return &names{repositories: repositories, workers: workers, known: map[string]string{}}
}

// repository returns a repository's name; its identifier when it is gone.
func (n *names) repository(ctx context.Context, id core.RepositoryID) (string, error) {
	return n.name(string(id), func() (string, error) {
		found, err := n.repositories.Repository(ctx, id)
		return found.Name, err
	})
}

// worker returns a worker's host name; its identifier when it is gone, and "" for none.
func (n *names) worker(ctx context.Context, id core.WorkerID) (string, error) {
	return n.name(string(id), func() (string, error) {
		found, err := n.workers.Worker(ctx, id)
		return found.Hostname, err
	})
}

func (n *names) name(id string, find func() (string, error)) (string, error) {
	if name, found := n.known[id]; found || id == "" {
		return name, nil
	}
	name, err := find()
	if fault.Is(err, fault.NotFound) {
		name, err = id, nil
	}
	n.known[id] = name
	return name, err
}
