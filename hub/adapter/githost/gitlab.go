package githost

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"berth/core/repositories"
	"berth/core/secrets"
)

// gitLab is GitLab, at gitlab.com or on a server of one's own. Its tokens expire after two hours.
type gitLab struct{ *base }

func newGitLab(b *base) repositories.GitHost {
	g := gitLab{b}
	b.endpoints("/oauth/authorize", "/oauth/token", "read_api", "read_repository")
	b.root = "/api/v4"
	b.missing, b.whoami = missingOfGitLab, g.account
	return g
}

// missingOfGitLab: api includes both.
func missingOfGitLab(granted string) (missing []string) {
	have := strings.Fields(granted)
	for _, scope := range []string{"read_api", "read_repository"} {
		if granted != "" && !slices.Contains(have, scope) && !slices.Contains(have, "api") {
			missing = append(missing, scope)
		}
	}
	return missing
}

func (g gitLab) account(ctx context.Context, token secrets.Value) (account, username string, err error) {
	var me struct {
		Username string `json:"username"`
	}
	if _, err := g.ask(ctx, get(token, "/user", nil), &me); err != nil {
		return "", "", err
	}
	if me.Username == "" || len(me.Username) > 255 {
		return "", "", g.api.Malformed()
	}
	return me.Username, "oauth2", nil
}

type labGroup struct {
	FullPath string `json:"full_path"`
	FullName string `json:"full_name"`
}

// Organizations implements repositories.HostLists: groups, subgroups among them.
func (g gitLab) Organizations(ctx context.Context, token secrets.Value) (repositories.HostList[repositories.Organization], error) {
	me, _, err := g.account(ctx, token)
	if err != nil {
		return repositories.HostList[repositories.Organization]{}, err
	}
	const reporter = "20" // the least access level that reads code of private projects
	list, err := pages(ctx, g.base, get(token, "/groups", url.Values{"min_access_level": {reporter}, "order_by": {"path"}}), "per_page", func(o labGroup) (repositories.Organization, string, bool) {
		name := o.FullName
		if name == "" || len(name) > maxName {
			name = o.FullPath
		}
		return repositories.Organization{ID: o.FullPath, Name: name}, o.FullPath, true
	})
	list.Items = append([]repositories.Organization{{ID: me, Name: me, Own: true}}, list.Items...)
	return list, err
}

type labProject struct {
	Path       string `json:"path_with_namespace"`
	Name       string `json:"path"`
	Default    string `json:"default_branch"`
	Visibility string `json:"visibility"`
	Archived   bool   `json:"archived"`
}

// Repositories implements repositories.HostLists.
func (g gitLab) Repositories(ctx context.Context, token secrets.Value, organization string) (repositories.HostList[repositories.HostRepository], error) {
	me, _, err := g.account(ctx, token)
	if err != nil {
		return repositories.HostList[repositories.HostRepository]{}, err
	}
	path, query := "/groups/"+url.PathEscape(organization)+"/projects", url.Values{"archived": {"false"}, "with_shared": {"false"}, "order_by": {"path"}, "sort": {"asc"}}
	if strings.EqualFold(me, organization) {
		path = "/users/" + url.PathEscape(me) + "/projects"
		query.Del("with_shared")
	}
	return pages(ctx, g.base, get(token, path, query), "per_page", func(p labProject) (repositories.HostRepository, string, bool) {
		return repositories.HostRepository{ID: p.Path, Name: p.Name, URL: g.cloneURL(p.Path), Default: p.Default, Private: p.Visibility == "private" || p.Visibility == "internal", Archived: p.Archived}, p.Path, true
	})
}

// Branches implements repositories.HostLists.
func (g gitLab) Branches(ctx context.Context, token secrets.Value, repository string) (repositories.HostList[string], error) {
	return pages(ctx, g.base, get(token, "/projects/"+url.PathEscape(repository)+"/repository/branches", nil), "per_page", branchName)
}
