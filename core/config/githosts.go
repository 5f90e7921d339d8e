package config

import "berth/core/secrets"

// The Git hosts that people can connect to with OAuth, as addresses have them.
const (
	GitHub = "github"
	Gitea  = "gitea" // and Forgejo
	GitLab = "gitlab"
)

// GitHostApp is an OAuth app at a Git host.
type GitHostApp struct {
	Slug     string
	Address  string // scheme://host[:port] in lower case
	Variable string // that has the address, or would have
	ClientID string
	Secret   secrets.Value
}

// gitOAuth are the variables of Git hosts.
type gitOAuth struct {
	id, url         string
	secret          secrets.Value
	variables       [3]string // of client ID, client secret and address
	slug, otherwise string    // otherwise is the address without the variable
}

func gitHosts(all ...gitOAuth) (apps []GitHostApp) {
	for _, g := range all {
		address := orElse(g.url, g.otherwise)
		if g.id != "" && !g.secret.Empty() && address != "" {
			apps = append(apps, GitHostApp{Slug: g.slug, Address: address, Variable: g.variables[2], ClientID: g.id, Secret: g.secret})
		}
	}
	return apps
}

// check wants all variables of a host, or none. An address may be left out where there is one otherwise.
func (g gitOAuth) check(found *findings) {
	set := [3]bool{g.id != "", !g.secret.Empty(), g.url != ""}
	given := ""
	for i, name := range g.variables {
		if given == "" && (set[i] || found.failed[name]) {
			given = name
		}
	}
	for i, name := range g.variables {
		if given != "" && !set[i] && (i < 2 || g.otherwise == "") {
			found.add(name, "is not set, but "+given+" is; a Git host needs its client ID and its client secret, and Gitea its address too. Set them, or remove all of them")
		}
	}
}

func gitHubApp(url, id string, secret secrets.Value) gitOAuth {
	return gitOAuth{id: id, url: url, secret: secret, variables: [3]string{"GIT_OAUTH_CLIENT_ID", "GIT_OAUTH_CLIENT_SECRET", "GIT_OAUTH_GITHUB_URL"}, slug: GitHub, otherwise: "https://github.com"}
}

func giteaApp(url, id string, secret secrets.Value) gitOAuth {
	return gitOAuth{id: id, url: url, secret: secret, variables: [3]string{"GIT_OAUTH_GITEA_CLIENT_ID", "GIT_OAUTH_GITEA_CLIENT_SECRET", "GIT_OAUTH_GITEA_URL"}, slug: Gitea}
}

func gitLabApp(url, id string, secret secrets.Value) gitOAuth {
	return gitOAuth{id: id, url: url, secret: secret, variables: [3]string{"GIT_OAUTH_GITLAB_CLIENT_ID", "GIT_OAUTH_GITLAB_CLIENT_SECRET", "GIT_OAUTH_GITLAB_URL"}, slug: GitLab, otherwise: "https://gitlab.com"}
}

// GitHosts returns the Git hosts that people can connect to.
func (s Server) GitHosts() []GitHostApp { return gitHosts(s.gitOAuth()...) }

func (s Server) gitOAuth() []gitOAuth {
	return []gitOAuth{gitHubApp(s.GitOAuthGitHubURL, s.GitOAuthClientID, s.GitOAuthClientSecret),
		giteaApp(s.GitOAuthGiteaURL, s.GitOAuthGiteaClientID, s.GitOAuthGiteaClientSecret),
		gitLabApp(s.GitOAuthGitLabURL, s.GitOAuthGitLabClientID, s.GitOAuthGitLabClientSecret)}
}

// GitHosts returns the Git hosts that people can connect to.
func (f Function) GitHosts() []GitHostApp { return gitHosts(f.gitOAuth()...) }

func (f Function) gitOAuth() []gitOAuth {
	return []gitOAuth{gitHubApp(f.GitOAuthGitHubURL, f.GitOAuthClientID, f.GitOAuthClientSecret),
		giteaApp(f.GitOAuthGiteaURL, f.GitOAuthGiteaClientID, f.GitOAuthGiteaClientSecret),
		gitLabApp(f.GitOAuthGitLabURL, f.GitOAuthGitLabClientID, f.GitOAuthGitLabClientSecret)}
}
