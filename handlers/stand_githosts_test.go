package handlers_test

import (
	"context"
	"net/url"
	"strings"

	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
)

// fakeHost is a Git host in memory. Its account is ada, who is in acme.
type fakeHost struct {
	slug string
	err  error // what it answers everything with; nil: it answers
}

// gitHosts is the real use cases on the stand's store, with hosts in memory.
func (s *stand) gitHosts() *repositories.GitHosts {
	s.host = &fakeHost{slug: "github"}
	return repositories.NewGitHosts(s.store, s.ring, s.ring, []repositories.GitHost{s.host, &fakeHost{slug: "gitlab"}}, origin, s.now)
}

// Facts implements repositories.HostDoor.
func (f *fakeHost) Facts() repositories.HostFacts {
	return repositories.HostFacts{Slug: f.slug, Name: map[string]string{"github": "GitHub", "gitlab": "GitLab"}[f.slug], Address: "https://" + f.slug + ".example.com", Host: f.slug + ".example.com"}
}

// AuthorizationURL implements repositories.HostDoor.
func (f *fakeHost) AuthorizationURL(t repositories.Trip) string {
	return "https://" + f.slug + ".example.com/authorize?" + url.Values{"state": {t.State}, "redirect_uri": {t.Callback}, "code_challenge": {"of-" + t.Verifier[:4]}}.Encode()
}

const canaryToken = "canary-access-token"

// Exchange implements repositories.HostDoor: the code is the account's name.
func (f *fakeHost) Exchange(_ context.Context, t repositories.Trip, code string) (repositories.Grant, error) {
	if len(t.Verifier) != 43 || code == "" {
		return repositories.Grant{}, fault.New(fault.Conflict, "git_provider.exchange", "no")
	}
	return repositories.Grant{Access: secrets.NewValue(canaryToken), Account: code, Username: "x-access-token"}, f.err
}

// Renew implements repositories.HostDoor.
func (f *fakeHost) Renew(context.Context, secrets.Value) (repositories.Grant, error) {
	return repositories.Grant{}, f.err
}

// Organizations implements repositories.HostLists.
func (f *fakeHost) Organizations(_ context.Context, token secrets.Value) (repositories.HostList[repositories.Organization], error) {
	if token.Reveal() != canaryToken {
		return repositories.HostList[repositories.Organization]{}, fault.New(fault.Conflict, "git_provider.revoked", "revoked")
	}
	return repositories.HostList[repositories.Organization]{Items: []repositories.Organization{{ID: "ada", Name: "ada", Own: true}, {ID: "acme", Name: "<b>Acme</b>"}}}, f.err
}

// Repositories implements repositories.HostLists.
func (f *fakeHost) Repositories(_ context.Context, _ secrets.Value, organization string) (repositories.HostList[repositories.HostRepository], error) {
	if organization != "acme" {
		return repositories.HostList[repositories.HostRepository]{Items: []repositories.HostRepository{}}, f.err
	}
	return repositories.HostList[repositories.HostRepository]{Truncated: true, Items: []repositories.HostRepository{
		{ID: "acme/old", Name: "old", URL: "https://" + f.slug + ".example.com/acme/old.git", Archived: true},
		{ID: "acme/shop", Name: "shop", URL: "https://" + f.slug + ".example.com/acme/shop.git", Default: "main", Private: true}}}, f.err
}

// Branches implements repositories.HostLists.
func (f *fakeHost) Branches(_ context.Context, _ secrets.Value, repository string) (repositories.HostList[string], error) {
	if !strings.HasPrefix(repository, "acme/") {
		return repositories.HostList[string]{}, fault.New(fault.NotFound, "git_provider.not_found", "no")
	}
	return repositories.HostList[string]{Items: []string{"main", "release/1"}}, f.err
}

// noGitHosts is the use cases of a server whose variables name none.
func (s *stand) noGitHosts() *repositories.GitHosts {
	return repositories.NewGitHosts(s.store, s.ring, s.ring, nil, origin, s.now)
}
