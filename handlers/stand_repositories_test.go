package handlers_test

import (
	"context"

	"berth/core"
	"berth/core/coretest"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/core/variables"
	"berth/handlers"
)

// repositoriesDeps is what repositories need: the real use cases on the stand's store, and
// Git hosts in memory.
func (s *stand) repositoriesDeps() handlers.RepositoriesDeps {
	s.git = coretest.NewFakeGit()
	return handlers.RepositoriesDeps{
		Desk:    repositories.NewDesk(s.store, s.ring, repositories.HeadProber{Git: s.git}, noHub{}, s.now),
		Browser: repositories.NewBrowser(s.git),
	}
}

// variablesDeps is what variables need, with the internal provider alone.
func (s *stand) variablesDeps() handlers.VariablesDeps {
	gate := secrets.NewGate(variables.NewInternalProvider(s.store, s.ring))
	return handlers.VariablesDeps{Desk: variables.NewDesk(s.store, s.ring, gate, s.now), Stacks: s.store}
}

// look does what the hub does when it looks at a repository.
func (s *stand) look(id string) core.Commit {
	s.t.Helper()
	ctx := context.Background()
	r, err := s.store.Repository(ctx, core.RepositoryID(id))
	s.must(err)
	head, err := s.git.Fetch(ctx, core.GitSource{Repository: r.ID, URL: r.URL, Branch: r.Branch})
	s.must(err)
	s.must(s.store.SetFetched(ctx, r.ID, head, s.now()))
	s.must(s.store.ClearAsked(ctx, r.ID, r.AskedAt))
	return head
}
