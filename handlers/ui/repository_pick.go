package ui

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// GitHostDesk lists Git hosts that people can connect, and what a key shows of one; see repositories.GitHosts.
type GitHostDesk interface {
	Providers() []repositories.HostFacts
	Connected(ctx context.Context, p repositories.Pick, by access.Principal) (repositories.Credential, error)
	Organizations(ctx context.Context, p repositories.Pick, by access.Principal) (repositories.HostList[repositories.Organization], error)
	Repositories(ctx context.Context, p repositories.Pick, organization string, by access.Principal) (repositories.HostList[repositories.HostRepository], error)
	Branches(ctx context.Context, p repositories.Pick, repository string, by access.Principal) (repositories.HostList[string], error)
}

// repositoryPickPage has three steps, each a list that follows from the choice before.
type repositoryPickPage struct {
	Host         string
	Account      string // that is connected
	Key          exact
	Action       string
	ConnectHref  string
	Trouble      string
	Organization choice
	Repository   choice // without options: an organization is to be chosen first
	None         bool   // the organization has no repository
	Truncated    bool   // a list is longer than is shown
	URL          exact  // of the chosen repository; empty: none yet
	Branch       choice
	Name         input
}

var repositoryPickView = newView[repositoryPickPage]("repository_pick.html")

// connectLine is a Git host that a repository can be picked from.
type connectLine struct{ Name, ConnectHref, PickHref string }

// connectLines are the ways to Git hosts for whoever asks.
func connectLines(r *http.Request, hosts GitHostDesk) (lines []connectLine, err error) {
	for _, p := range hosts.Providers() {
		line := connectLine{Name: p.Name, ConnectHref: connectHref(p.Slug)}
		_, err := hosts.Connected(r.Context(), repositories.Pick{Host: p.Slug}, endpoint.Principal(r.Context()))
		switch {
		case err == nil:
			line.PickHref = "/git-hosts/" + p.Slug + "/new"
		case !expected(err):
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func connectHref(slug string) string {
	return "/api/custom/git-providers/" + url.PathEscape(slug) + "/connect"
}

// PickRepository leads from an organization by a repository to a branch, one list at a time.
func PickRepository(hosts GitHostDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		slug, query := r.PathValue("git_host"), r.URL.Query()
		by := endpoint.Principal(r.Context())
		key, err := hosts.Connected(r.Context(), repositories.Pick{Host: slug, Credential: core.CredentialID(query.Get("key"))}, by)
		if err != nil {
			return err
		}
		p := picking{hosts: hosts, by: by, pick: repositories.Pick{Host: slug, Credential: key.ID}, page: repositoryPickPage{
			Account: key.Account, Key: exact(key.ID), Action: "/git-hosts/" + slug + "/new", ConnectHref: connectHref(slug)}}
		for _, facts := range hosts.Providers() {
			if facts.Slug == slug {
				p.page.Host = facts.Name
			}
		}
		status := http.StatusOK
		if err := p.fill(r.Context(), query); err != nil {
			c, ours := complain(r, err)
			if !ours {
				return err
			}
			status, p.page.Trouble = c.Status, c.general()
		}
		f := newFrame(r, inRepositories, "Add a repository from "+p.page.Host, crumb{"Repositories", "/repositories"}, crumb{"Add a repository", "/repositories/new"})
		f.Problem = status != http.StatusOK
		return repositoryPickView.write(w, r, status, f, p.page)
	})
}

// picking is one look at the lists.
type picking struct {
	hosts GitHostDesk
	by    access.Principal
	pick  repositories.Pick
	page  repositoryPickPage
}

// fill goes as far as choices were made.
func (p *picking) fill(ctx context.Context, query url.Values) error {
	organizations, err := p.hosts.Organizations(ctx, p.pick, p.by)
	if err != nil {
		return err
	}
	p.page.Truncated = organizations.Truncated
	p.page.Organization = choice{Name: "organization", Label: "Account or organization", Options: []option{{"", "Choose one", query.Get("organization") == ""}}}
	for _, o := range organizations.Items {
		p.page.Organization.Options = append(p.page.Organization.Options, option{exact(o.ID), o.Name, o.ID == query.Get("organization")})
	}
	if query.Get("organization") == "" {
		return nil
	}
	return p.fillRepositories(ctx, query)
}

func (p *picking) fillRepositories(ctx context.Context, query url.Values) error {
	list, err := p.hosts.Repositories(ctx, p.pick, query.Get("organization"), p.by)
	if err != nil {
		return err
	}
	p.page.None, p.page.Truncated = len(list.Items) == 0, p.page.Truncated || list.Truncated
	if p.page.None {
		return nil
	}
	chosen := slices.IndexFunc(list.Items, func(r repositories.HostRepository) bool { return r.ID == query.Get("repository") })
	p.page.Repository = choice{Name: "repository", Label: "Repository", Options: []option{{"", "Choose one", chosen < 0}}}
	for i, r := range list.Items {
		p.page.Repository.Options = append(p.page.Repository.Options, option{exact(r.ID), repositoryWord(r), i == chosen})
	}
	if chosen < 0 {
		return nil
	}
	return p.fillBranches(ctx, list.Items[chosen])
}

func repositoryWord(r repositories.HostRepository) string {
	switch {
	case r.Archived:
		return r.Name + " (archived)"
	case r.Private:
		return r.Name + " (private)"
	}
	return r.Name
}

func (p *picking) fillBranches(ctx context.Context, r repositories.HostRepository) error {
	list, err := p.hosts.Branches(ctx, p.pick, r.ID, p.by)
	if err != nil {
		return err
	}
	p.page.URL, p.page.Truncated = exact(r.URL), p.page.Truncated || list.Truncated
	p.page.Name = input{Name: "name", Label: "Name", Kind: "text", Complete: "off", Value: exact(r.Name)}
	first := "The default branch"
	if r.Default != "" {
		first += ", now " + r.Default
	}
	p.page.Branch = choice{Name: "branch", Label: "Branch", Options: []option{{"", first, true}}}
	for _, name := range list.Items {
		p.page.Branch.Options = append(p.page.Branch.Options, option{exact(name), name, false})
	}
	return nil
}
