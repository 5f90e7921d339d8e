package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// GitHostsDeps is what connecting Git hosts needs.
type GitHostsDeps struct {
	Desk GitHostsDesk
}

// GitHostsDesk is the use cases of Git hosts that people connect; *repositories.GitHosts has them.
type GitHostsDesk interface {
	api.GitProviders
	api.GitConnector
	api.GitPicker
}

func gitHostRoutes(d Deps) []Route {
	desk := d.GitHosts.Desk
	const all, single = "/api/custom/git-providers", "/api/custom/git-providers/{git_host}"
	row := func(pattern string, may access.Capability, handler http.Handler, op Operation) Route {
		op.Tag = "git providers"
		return Route{Method: http.MethodGet, Pattern: pattern, Capability: may, Surface: guard.API, Handler: handler, Operation: op}
	}
	const bounded = " What the Git host says is asked anew each time, and at most 1,000 are listed; `truncated` says that there are more."
	key := text("credential_id", "a key that was made by connecting this host; default: the newest of whoever asks")
	callback := row(single+"/callback", access.Operate, api.FinishGitProvider(desk), Operation{Summary: "Where a Git host sends browsers back to", Status: http.StatusSeeOther,
		Detail: "Keeps the key that the host gives, or puts its token into the key that the same account has already. A state is good for ten minutes, for the session that began and once. Other parameters than these are passed over.",
		Query:  []Param{text("state", "from the address that the browser was sent to"), text("code", "what the key is given for"), text("error", "why there is no code")}, Problems: []int{http.StatusConflict}})
	callback.AnyQuery = true
	return []Route{
		row(all, access.View, api.ListGitProviders(desk), Operation{Summary: "List the Git hosts that can be connected", Response: endpoint.Items[api.GitProviderAnswer]{}, Status: http.StatusOK,
			Detail: "Those whose OAuth app the server's variables name; none without them."}),
		row(single+"/connect", access.Operate, api.ConnectGitProvider(desk), Operation{Summary: "Send a browser to a Git host, to let this server in", Status: http.StatusFound}),
		callback,
		row(single+"/organizations", access.Operate, api.ListGitOrganizations(desk), Operation{Summary: "List the connected account and its organizations", Detail: "The account is the first." + bounded,
			Response: api.GitOrganizationsAnswer{}, Status: http.StatusOK, Query: []Param{key}, Problems: []int{http.StatusConflict}}),
		row(single+"/repositories", access.Operate, api.ListGitRepositories(desk), Operation{Summary: "List the repositories of an organization by name", Detail: "Add one with its `url` and this key as `credential_id`." + bounded,
			Response: api.GitRepositoriesAnswer{}, Status: http.StatusOK, Query: []Param{required(text("organization", "the id of an organization")), key}, Problems: []int{http.StatusConflict}}),
		row(single+"/branches", access.Operate, api.ListGitBranches(desk), Operation{Summary: "List the branches of a repository by name", Detail: "Those of a repository that the connected account may see." + bounded,
			Response: api.GitBranchesAnswer{}, Status: http.StatusOK, Query: []Param{required(text("repository", "the id of a repository")), key}, Problems: []int{http.StatusConflict}}),
	}
}
