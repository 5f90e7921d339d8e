package githost

import (
	"context"
	"net/url"
	"strings"

	"berth/core/repositories"
	"berth/core/secrets"
)

// gitea is Gitea or Forgejo. What people see of their tokens' scopes there came with Gitea 1.23; older ones
// give a token every right of its account, and say nothing of it.
type gitea struct{ *base }

func newGitea(b *base) repositories.GitHost {
	g := gitea{b}
	b.endpoints("/login/oauth/authorize", "/login/oauth/access_token", "read:user", "read:organization", "read:repository")
	b.root = "/api/v1"
	b.missing, b.whoami = func(string) []string { return nil }, g.account
	return g
}

// account returns the login. Gitea takes any user name before a token that is the password; the person's own tells
// more in its log.
func (g gitea) account(ctx context.Context, token secrets.Value) (account, username string, err error) {
	account, err = g.login(ctx, token)
	return account, account, err
}

// Organizations implements repositories.HostLists.
func (g gitea) Organizations(ctx context.Context, token secrets.Value) (repositories.HostList[repositories.Organization], error) {
	return g.memberships(ctx, token, "limit")
}

// Repositories implements repositories.HostLists.
func (g gitea) Repositories(ctx context.Context, token secrets.Value, organization string) (repositories.HostList[repositories.HostRepository], error) {
	me, err := g.login(ctx, token)
	if err != nil {
		return repositories.HostList[repositories.HostRepository]{}, err
	}
	if !strings.EqualFold(me, organization) {
		return pages(ctx, g.base, get(token, "/orgs/"+url.PathEscape(organization)+"/repos", nil), "limit", g.show)
	}
	// /user/repos has those of organizations among the person's own.
	return pages(ctx, g.base, get(token, "/user/repos", nil), "limit", func(r hubRepository) (repositories.HostRepository, string, bool) {
		item, name, _ := g.show(r)
		owner, _, _ := strings.Cut(r.FullName, "/")
		return item, name, strings.EqualFold(owner, me)
	})
}

// Branches implements repositories.HostLists.
func (g gitea) Branches(ctx context.Context, token secrets.Value, repository string) (repositories.HostList[string], error) {
	return pages(ctx, g.base, get(token, "/repos/"+escaped(repository)+"/branches", nil), "limit", branchName)
}
