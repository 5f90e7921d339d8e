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

// NameTeller tells what many things are called at once, so that a list costs no statement for each of its lines. What there
// is no more is not among the answers.
type NameTeller interface {
	StackNames(ctx context.Context, ids []core.StackID) (map[core.StackID]string, error)
	JobNames(ctx context.Context, ids []core.JobID) (map[core.JobID]string, error)
	RepositoryNames(ctx context.Context, ids []core.RepositoryID) (map[core.RepositoryID]string, error)
	WorkersNamed(ctx context.Context, ids []core.WorkerID) ([]fleet.Worker, error)
}

// names finds what repositories and workers are called, each once while a page is made.
type names struct {
	repositories RepositoryFinder
	workers      WorkerFinder
	known        map[string]known
}

// known is what a name stands for.
type known struct {
	Name    string
	Away    bool // a worker that is offline or revoked: nothing of it can be reached
	Unheard bool // a worker of which nobody knows whether it is there
}

func newNames(repositories RepositoryFinder, workers WorkerFinder) *names {
	return &names{repositories: repositories, workers: workers, known: map[string]known{}}
}

// repository returns a repository's name; its identifier when it is gone.
func (n *names) repository(ctx context.Context, id core.RepositoryID) (string, error) {
	r, err := n.find(string(id), func() (known, error) {
		found, err := n.repositories.Repository(ctx, id)
		return known{Name: found.Name}, err
	})
	return r.Name, err
}

// worker returns what is known of a worker; its identifier when it is gone, and nothing for none.
func (n *names) worker(ctx context.Context, id core.WorkerID) (known, error) {
	return n.find(string(id), func() (known, error) {
		found, err := n.workers.Worker(ctx, id)
		return knownWorker(found), err
	})
}

func knownWorker(w fleet.Worker) known {
	return known{Name: w.Label(), Away: !w.Online && !w.Unheard, Unheard: w.Unheard}
}

// goneName is what is known of something that is there no more.
func goneName(id string) known { return known{Name: id, Away: true} }

// learnWorkers finds what workers are called, all at once.
func (n *names) learnWorkers(ctx context.Context, teller NameTeller, ids []core.WorkerID) error {
	for _, id := range ids {
		n.known[string(id)] = goneName(string(id))
	}
	delete(n.known, "") // no worker is none that is gone
	found, err := teller.WorkersNamed(ctx, ids)
	for _, w := range found {
		n.known[string(w.ID)] = knownWorker(w)
	}
	return err
}

// learnRepositories finds what repositories are called, all at once.
func (n *names) learnRepositories(ctx context.Context, teller NameTeller, ids []core.RepositoryID) error {
	found, err := teller.RepositoryNames(ctx, ids)
	for _, id := range ids {
		n.known[string(id)] = goneName(string(id))
		if name, there := found[id]; there {
			n.known[string(id)] = known{Name: name}
		}
	}
	return err
}

func (n *names) find(id string, look func() (known, error)) (known, error) {
	if found, before := n.known[id]; before || id == "" {
		return found, nil
	}
	found, err := look()
	if fault.Is(err, fault.NotFound) {
		found, err = goneName(id), nil
	}
	n.known[id] = found
	return found, err
}
