package rig

import (
	"net/http"

	"berth/core"
	"berth/handlers/api"
	"berth/local/stand/githost"
)

// Repository is one on the Git host that the server knows.
type Repository struct {
	*Server
	ID   core.RepositoryID
	Name string
}

// Repository makes a repository with one commit and adds it to the server.
func (s *Server) Repository(files map[string]string) *Repository {
	s.T.Helper()
	name := s.GitRepository(files)
	return s.AddRepository(name, "")
}

// GitRepository makes a repository with one commit, which the server does not know.
func (s *Server) GitRepository(files map[string]string) string {
	s.T.Helper()
	name := Name()
	if err := s.Git.Create(name); err != nil {
		s.T.Fatal(err)
	}
	if _, err := s.Git.Commit(name, "main", files, "Begin"); err != nil {
		s.T.Fatal(err)
	}
	return name
}

// AddRepository adds a repository of the Git host to the server; it goes with the test.
func (s *Server) AddRepository(name string, credential core.CredentialID) *Repository {
	s.T.Helper()
	return s.AddRepositoryAt(name, s.Git.URL+s.Git.Path(name), credential)
}

// AddRepositoryAt adds a repository of the Git host by another of its addresses.
func (s *Server) AddRepositoryAt(name, url string, credential core.CredentialID) *Repository {
	s.T.Helper()
	added := Post[api.RepositoryAnswer](s.Client, "/api/custom/repositories",
		api.CreateRepositoryRequest{Name: name, URL: url, Branch: "main", CredentialID: credential}, http.StatusCreated)
	s.T.Cleanup(func() { // or it would be polled on behalf of nobody
		if s.stop != nil {
			s.Ask(http.MethodDelete, "/api/custom/repositories/"+string(added.ID), nil)
		}
	})
	return &Repository{Server: s, ID: added.ID, Name: name}
}

// Commit writes files on top of main and returns the commit.
func (r *Repository) Commit(files map[string]string) core.Commit {
	r.T.Helper()
	return r.Apply(githost.Change{Files: files})
}

// Apply commits a change to main and returns the commit.
func (r *Repository) Apply(change githost.Change) core.Commit {
	r.T.Helper()
	hash, err := r.Git.Apply(r.Name, "main", change)
	if err != nil {
		r.T.Fatal(err)
	}
	return core.Commit(hash)
}

// Now returns the repository as the server shows it.
func (r *Repository) Now() api.RepositoryAnswer {
	r.T.Helper()
	return Get[api.RepositoryAnswer](r.Client, "/api/custom/repositories/"+string(r.ID))
}

// Until waits until the server shows the repository like this.
func (r *Repository) Until(what string, holds func(api.RepositoryAnswer) bool) api.RepositoryAnswer {
	r.T.Helper()
	var now api.RepositoryAnswer
	Until(r.T, Soon, what, func() (bool, string) {
		now = r.Now()
		return holds(now), quoted(now)
	})
	return now
}
