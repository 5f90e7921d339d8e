package githost

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"berth/core/repositories"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
)

// GitHub is GitHub, in its own cloud or as GitHub Enterprise Server.
type gitHub struct{ *base }

func newGitHub(b *base) repositories.GitHost {
	g := gitHub{b}
	b.endpoints("/login/oauth/authorize", "/login/oauth/access_token", "repo", "read:org")
	b.root, b.accept, b.headers = "/api/v3", "application/vnd.github+json", map[string]string{"X-GitHub-Api-Version": "2022-11-28"}
	if b.facts.Host == "github.com" || strings.HasSuffix(b.facts.Host, ".ghe.com") {
		b.root, b.api = "", b.apiAt("https://api."+b.facts.Host)
	}
	b.missing, b.whoami = missingOfGitHub, g.account
	return g
}

// apiAt is the API at an address of its own.
func (b *base) apiAt(address string) *outbound.Service {
	api := *b.door
	api.Address = address
	return &api
}

// missingOfGitHub reads the scopes that GitHub grants, separated by commas. A wider one stands for those that
// it includes.
func missingOfGitHub(granted string) (missing []string) {
	got := strings.FieldsFunc(granted, func(r rune) bool { return r == ',' || r == ' ' })
	for scope, enough := range map[string][]string{"repo": {"repo"}, "read:org": {"read:org", "write:org", "admin:org"}} {
		if !slices.ContainsFunc(enough, func(s string) bool { return slices.Contains(got, s) }) {
			missing = append(missing, scope)
		}
	}
	slices.Sort(missing)
	return missing
}

type hubAccount struct {
	Login string `json:"login"`
}

// account returns the login, and the user name that GitHub asks for before a token.
func (g gitHub) account(ctx context.Context, token secrets.Value) (account, username string, err error) {
	account, err = g.login(ctx, token)
	return account, "x-access-token", err
}

// login is that of the person whose token it is.
func (b *base) login(ctx context.Context, token secrets.Value) (string, error) {
	var me hubAccount
	if _, err := b.ask(ctx, get(token, "/user", nil), &me); err != nil {
		return "", err
	}
	if me.Login == "" || len(me.Login) > 255 {
		return "", b.api.Malformed()
	}
	return me.Login, nil
}

// Organizations implements repositories.HostLists.
func (g gitHub) Organizations(ctx context.Context, token secrets.Value) (repositories.HostList[repositories.Organization], error) {
	return g.memberships(ctx, token, "per_page")
}

// memberships lists the person's account and organizations, where the host calls them so.
func (b *base) memberships(ctx context.Context, token secrets.Value, limit string) (repositories.HostList[repositories.Organization], error) {
	me, err := b.login(ctx, token)
	if err != nil {
		return repositories.HostList[repositories.Organization]{}, err
	}
	list, err := pages(ctx, b, get(token, "/user/orgs", nil), limit, func(o orgAccount) (repositories.Organization, string, bool) {
		return repositories.Organization{ID: o.name(), Name: o.name()}, o.name(), true
	})
	own := repositories.Organization{ID: me, Name: me, Own: true}
	list.Items = append([]repositories.Organization{own}, list.Items...)
	return list, err
}

// orgAccount is an organization: GitHub names it by login, Gitea by username or, since 1.22, name.
type orgAccount struct {
	Login    string `json:"login"`
	Username string `json:"username"`
	Name     string `json:"name"`
}

func (o orgAccount) name() string {
	switch {
	case o.Login != "":
		return o.Login
	case o.Username != "":
		return o.Username
	}
	return o.Name
}

// hubRepository is a repository as GitHub and Gitea list it.
type hubRepository struct {
	FullName string `json:"full_name"`
	Name     string `json:"name"`
	Default  string `json:"default_branch"`
	Private  bool   `json:"private"`
	Archived bool   `json:"archived"`
}

func (b *base) show(r hubRepository) (repositories.HostRepository, string, bool) {
	return repositories.HostRepository{ID: r.FullName, Name: r.Name, URL: b.cloneURL(r.FullName), Default: r.Default, Private: r.Private, Archived: r.Archived}, r.FullName, true
}

// Repositories implements repositories.HostLists.
func (g gitHub) Repositories(ctx context.Context, token secrets.Value, organization string) (repositories.HostList[repositories.HostRepository], error) {
	me, err := g.login(ctx, token)
	if err != nil {
		return repositories.HostList[repositories.HostRepository]{}, err
	}
	if strings.EqualFold(me, organization) {
		return pages(ctx, g.base, get(token, "/user/repos", url.Values{"affiliation": {"owner"}, "sort": {"full_name"}}), "per_page", g.show)
	}
	return pages(ctx, g.base, get(token, "/orgs/"+url.PathEscape(organization)+"/repos", url.Values{"type": {"all"}, "sort": {"full_name"}}), "per_page", g.show)
}

type namedBranch struct {
	Name string `json:"name"`
}

func branchName(b namedBranch) (item, name string, belongs bool) { return b.Name, b.Name, true }

// Branches implements repositories.HostLists.
func (g gitHub) Branches(ctx context.Context, token secrets.Value, repository string) (repositories.HostList[string], error) {
	return pages(ctx, g.base, get(token, "/repos/"+escaped(repository)+"/branches", nil), "per_page", branchName)
}
