package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/core/intake"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// RepositoriesDeps is what repositories and repository keys need.
type RepositoriesDeps struct {
	Desk    RepositoriesDesk
	Browser RepositoriesBrowser
}

// RepositoriesDesk is the use cases of repositories; *repositories.Desk has them.
type RepositoriesDesk interface {
	api.RepositoryFinder
	api.RepositoryLister
	api.RepositoryCreator
	api.RepositoryUpdater
	api.RepositoryDeleter
	api.RepositorySyncer
	api.RepositoryEventLister
	api.RepositoryKeyLister
	api.RepositoryKeyCreator
	api.RepositoryKeyDeleter
	api.RepositoryTrier
	api.RepositoryKeyFinder
	api.RepositoryKeyUpdater
	api.SSHHostScanner
	api.SSHHostKeeper
}

// RepositoriesBrowser shows what was fetched; repositories.Browser does, where the
// mirrors are.
type RepositoriesBrowser interface {
	api.CommitLister
	api.RepositoryShower
	api.Discoverer
}

// unreadable is what may be wrong with the content of a repository: it was not fetched yet,
// or it is more than can be shown.
var unreadable = []int{http.StatusConflict, http.StatusRequestEntityTooLarge}

func repositoryRoutes(d Deps) []Route {
	s := d.Repositories
	const all, single = "/api/custom/repositories", "/api/custom/repositories/{id}"
	row := func(method, pattern string, may access.Capability, handler http.Handler, op Operation) Route {
		op.Tag = "repositories"
		return Route{Method: method, Pattern: pattern, Capability: may, Surface: guard.API, Handler: handler, Operation: op}
	}
	return []Route{
		row(http.MethodGet, all, access.View, api.ListRepositories(s.Desk),
			Operation{Summary: "List repositories by name", Live: true, Response: endpoint.Items[api.RepositoryAnswer]{}, Status: http.StatusOK, Query: pageParams}),
		row(http.MethodPost, all, access.Operate, api.CreateRepository(s.Desk),
			Operation{Summary: "Add a repository", Request: api.CreateRepositoryRequest{}, Response: api.RepositoryAnswer{}, Status: http.StatusCreated}),
		row(http.MethodGet, single, access.View, api.GetRepository(s.Desk),
			Operation{Summary: "Read a repository", Live: true, Response: api.RepositoryAnswer{}, Status: http.StatusOK}),
		row(http.MethodPatch, single, access.Operate, api.UpdateRepository(s.Desk),
			Operation{Summary: "Edit a repository", Request: api.UpdateRepositoryRequest{}, Response: api.RepositoryAnswer{}, Status: http.StatusOK}),
		row(http.MethodDelete, single, access.Operate, api.DeleteRepository(s.Desk),
			Operation{Summary: "Delete a repository that no stack and no job uses", Status: http.StatusNoContent}),
		row(http.MethodPost, single+"/sync", access.Operate, api.SyncRepository(s.Desk),
			Operation{Summary: "Look at the repository now", Response: api.RepositoryAnswer{}, Status: http.StatusAccepted}),
		row(http.MethodGet, single+"/events", access.View, api.ListRepositoryEvents(s.Desk),
			Operation{Summary: "List what happened to a repository at its Git host, newest first", Detail: "Rewritten history, another default branch, a tag that moved, a higher version, an address that redirects. The newest 200 are kept.",
				Response: endpoint.Items[api.RepositoryEventAnswer]{}, Status: http.StatusOK, Query: pageParams}),
		row(http.MethodGet, single+"/commits", access.View, api.ListCommits(s.Desk, s.Browser),
			Operation{Summary: "List the newest commits", Response: endpoint.Items[api.CommitAnswer]{}, Status: http.StatusOK, Problems: []int{http.StatusConflict},
				Query: []Param{number("limit", "how many, 1 to 500, default 50")}}),
		row(http.MethodGet, single+"/files", access.View, api.ShowFiles(s.Desk, s.Browser),
			Operation{Summary: "Show a folder or a text file of at most 256 KiB", Response: api.FilesAnswer{}, Status: http.StatusOK, Problems: unreadable, Query: []Param{
				text("path", "relative to the root; default: the root"), text("ref", "a full commit hash; default: the head")}}),
		row(http.MethodPost, single+"/add", access.Operate, api.AddFound(intake.NewDesk(s.Desk, d.Stacks.Desk, d.Jobs.Desk)),
			Operation{Summary: "Add several folders of a repository as stacks and jobs", Detail: "Each is added for itself; `items` of the answer tells which were refused, and why.",
				Request: api.AddFoundRequest{}, Response: api.AddFoundAnswer{}, Status: http.StatusOK}),
		row(http.MethodGet, single+"/follow", access.View, api.RepositoryFollowed(s.Desk, d.Stacks.Store),
			Operation{Summary: "Tell what following a repository came to", Detail: "`waiting` are new folders that were not added by themselves, and why. `proposals` are stacks and jobs whose folder is gone: delete them (`DELETE /stacks/{id}?teardown=true`), or have them follow another folder (`PATCH` their `path`).",
				Response: api.FollowedAnswer{}, Status: http.StatusOK}),
		row(http.MethodGet, single+"/discover", access.View, api.DiscoverRepository(s.Desk, s.Browser),
			Operation{Summary: "Find every folder that could be a stack or a job", Response: api.DiscoverAnswer{}, Status: http.StatusOK, Problems: unreadable}),
	}
}

func repositoryKeyRoutes(d Deps) []Route {
	desk := d.Repositories.Desk
	const all, hosts = "/api/custom/repository-keys", "/api/custom/repository-keys/hosts"
	row := func(method, pattern string, may access.Capability, handler http.Handler, op Operation) Route {
		op.Tag = "repository keys"
		return Route{Method: method, Pattern: pattern, Capability: may, Surface: guard.API, Handler: handler, Operation: op}
	}
	return []Route{
		row(http.MethodGet, all, access.View, api.ListRepositoryKeys(desk),
			Operation{Summary: "List repository keys by name", Response: endpoint.Items[api.RepositoryKeyAnswer]{}, Status: http.StatusOK, Query: pageParams}),
		row(http.MethodPost, all, access.Operate, api.CreateRepositoryKey(desk),
			Operation{Summary: "Add a repository key", Request: api.CreateRepositoryKeyRequest{}, Response: api.RepositoryKeyAnswer{}, Status: http.StatusCreated}),
		row(http.MethodGet, all+"/{id}", access.View, api.GetRepositoryKey(desk),
			Operation{Summary: "Read a repository key, the public half of an SSH key included", Response: api.RepositoryKeyAnswer{}, Status: http.StatusOK}),
		row(http.MethodPatch, all+"/{id}", access.Operate, api.UpdateRepositoryKey(desk),
			Operation{Summary: "Edit a repository key, or replace its secret", Request: api.UpdateRepositoryKeyRequest{}, Response: api.RepositoryKeyAnswer{}, Status: http.StatusOK}),
		row(http.MethodPost, all+"/keyscan", access.Operate, api.Keyscan(desk),
			Operation{Summary: "Ask an SSH host for its keys, to compare and accept", Request: api.KeyscanRequest{}, Response: api.KeyscanAnswer{}, Status: http.StatusOK}),
		row(http.MethodGet, hosts, access.View, api.ListSSHHosts(desk),
			Operation{Summary: "List SSH hosts with the keys that were accepted", Response: endpoint.Items[api.SSHHostAnswer]{}, Status: http.StatusOK, Query: pageParams}),
		row(http.MethodPut, hosts, access.Operate, api.AcceptSSHHost(desk),
			Operation{Summary: "Accept the keys of an SSH host, in place of those before", Request: api.AcceptSSHHostRequest{}, Response: api.SSHHostAnswer{}, Status: http.StatusOK}),
		row(http.MethodDelete, hosts+"/{address}", access.Operate, api.ForgetSSHHost(desk),
			Operation{Summary: "Forget the keys of an SSH host", Status: http.StatusNoContent}),
		row(http.MethodDelete, all+"/{id}", access.Operate, api.DeleteRepositoryKey(desk),
			Operation{Summary: "Delete a repository key that no repository uses", Detail: "One of the type `oauth` is deleted while repositories use it, too: they lose it, which cuts the access.", Status: http.StatusNoContent}),
		row(http.MethodPost, all+"/test", access.Operate, api.TestRepositoryKey(desk),
			Operation{Summary: "Ask the Git host whether a repository can be read", Request: api.TestRepositoryKeyRequest{}, Response: api.TestRepositoryKeyAnswer{}, Status: http.StatusOK, Problems: []int{http.StatusNotFound}}),
	}
}
