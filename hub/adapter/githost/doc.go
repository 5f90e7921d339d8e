// Package githost connects to Git hosts with OAuth: GitHub and GitHub Enterprise Server, Gitea and Forgejo,
// and GitLab, each at the address that the server's variables name.
//
// It implements repositories.GitHost. It owns which endpoints and scopes each host has, how it pages and how its
// errors read; it must not know sessions, stores or who asks. What a host writes never gets into a fault, a token
// goes to the host that gave it and nowhere else, redirects are not followed, and neither the size of an answer nor the
// number of pages is the host's to choose.
//
// Start reading at New; base in base.go is what hosts share, ask.go how their APIs are asked.
//
// Facts about the hosts are from their public references: docs.github.com/apps/oauth-apps and /rest,
// docs.gitea.com/development/oauth2-provider and the API description that each Gitea serves, and
// docs.gitlab.com/api/oauth2 and /api/rest.
package githost
