package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// GitPicker lists what a key shows of a Git host; see repositories.GitHosts.
type GitPicker interface {
	Organizations(ctx context.Context, p repositories.Pick, by access.Principal) (repositories.HostList[repositories.Organization], error)
	Repositories(ctx context.Context, p repositories.Pick, organization string, by access.Principal) (repositories.HostList[repositories.HostRepository], error)
	Branches(ctx context.Context, p repositories.Pick, repository string, by access.Principal) (repositories.HostList[string], error)
}

// GitOrganizationAnswer is whom repositories of a Git host belong to.
type GitOrganizationAnswer struct {
	ID   string `json:"id"`   // what organization= takes
	Name string `json:"name"` // for people
	Own  bool   `json:"own"`  // the account of whoever connected
}

// GitRepositoryAnswer is a repository as its Git host lists it.
type GitRepositoryAnswer struct {
	ID            string `json:"id"` // what repository= takes
	Name          string `json:"name"`
	URL           string `json:"url"`            // what a repository is added with
	DefaultBranch string `json:"default_branch"` // "": it has no branch yet
	Private       bool   `json:"private"`
	Archived      bool   `json:"archived"`
}

// GitBranchAnswer is a branch of a repository.
type GitBranchAnswer struct {
	Name string `json:"name"`
}

// GitOrganizationsAnswer lists organizations.
type GitOrganizationsAnswer struct {
	Items     []GitOrganizationAnswer `json:"items"`
	Truncated bool                    `json:"truncated"` // there are more than are listed
}

// GitRepositoriesAnswer lists repositories of an organization.
type GitRepositoriesAnswer struct {
	Items     []GitRepositoryAnswer `json:"items"`
	Truncated bool                  `json:"truncated"` // there are more than are listed
}

// GitBranchesAnswer lists branches of a repository.
type GitBranchesAnswer struct {
	Items     []GitBranchAnswer `json:"items"`
	Truncated bool              `json:"truncated"` // there are more than are listed
}

func pickOf(r *http.Request) repositories.Pick {
	return repositories.Pick{Host: r.PathValue("git_host"), Credential: core.CredentialID(r.URL.Query().Get("credential_id"))}
}

// ListGitOrganizations answers with whom repositories can be picked of.
func ListGitOrganizations(hosts GitPicker) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		list, err := hosts.Organizations(r.Context(), pickOf(r), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		answer := GitOrganizationsAnswer{Items: make([]GitOrganizationAnswer, len(list.Items)), Truncated: list.Truncated}
		for i, o := range list.Items {
			answer.Items[i] = GitOrganizationAnswer(o)
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}

// ListGitRepositories answers with the repositories of an organization.
func ListGitRepositories(hosts GitPicker) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		list, err := hosts.Repositories(r.Context(), pickOf(r), r.URL.Query().Get("organization"), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		answer := GitRepositoriesAnswer{Items: make([]GitRepositoryAnswer, len(list.Items)), Truncated: list.Truncated}
		for i, o := range list.Items {
			answer.Items[i] = GitRepositoryAnswer{ID: o.ID, Name: o.Name, URL: o.URL, DefaultBranch: o.Default, Private: o.Private, Archived: o.Archived}
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}

// ListGitBranches answers with the branches of a repository.
func ListGitBranches(hosts GitPicker) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		list, err := hosts.Branches(r.Context(), pickOf(r), r.URL.Query().Get("repository"), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		answer := GitBranchesAnswer{Items: make([]GitBranchAnswer, len(list.Items)), Truncated: list.Truncated}
		for i, name := range list.Items {
			answer.Items[i] = GitBranchAnswer{Name: name}
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}
