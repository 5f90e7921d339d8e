package githost

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"berth/core/config"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"

	"golang.org/x/oauth2"
)

// codes are those of what fails as a whole.
var codes = outbound.Codes{Address: "git_provider.address", Unreachable: "git_provider.unreachable", Untrusted: "git_provider.untrusted", Slow: "git_provider.slow",
	TooLarge: "git_provider.too_large", Malformed: "git_provider.malformed", Redirected: "git_provider.redirected", Busy: "git_provider.busy", Failed: "git_provider.failed"}

// New returns the hosts that are configured.
func New(apps []config.GitHostApp, o outbound.Options) ([]repositories.GitHost, error) {
	makers := map[string]func(*base) repositories.GitHost{config.GitHub: newGitHub, config.Gitea: newGitea, config.GitLab: newGitLab}
	var all []repositories.GitHost
	for _, app := range apps {
		make, known := makers[app.Slug]
		if !known {
			return nil, fmt.Errorf("git host %q: nobody knows how to speak to one", app.Slug)
		}
		b, err := newBase(app, o)
		if err != nil {
			return nil, err
		}
		all = append(all, make(b))
	}
	return all, nil
}

// base is what hosts share. Its fields are set once.
type base struct {
	facts   repositories.HostFacts
	door    *outbound.Service // where people and codes go
	api     *outbound.Service // often the same
	root    string            // of the API's paths
	accept  string            // media type of the API's answers
	headers map[string]string // of every question to the API
	oauth   oauth2.Config
	missing func(granted string) []string                                                        // scopes that are needed and were not granted
	whoami  func(ctx context.Context, token secrets.Value) (account, username string, err error) // as Git wants the user name
}

func newBase(app config.GitHostApp, o outbound.Options) (*base, error) {
	o.Where = "in the variable " + app.Variable
	u, err := url.Parse(app.Address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", app.Variable, err)
	}
	name := map[string]string{config.GitHub: "GitHub", config.Gitea: "Gitea", config.GitLab: "GitLab"}[app.Slug]
	door, err := outbound.New(name, app.Address, codes, o)
	if err != nil {
		return nil, err
	}
	b := &base{facts: repositories.HostFacts{Slug: app.Slug, Name: name, Address: door.Address, Host: boundHost(u)}, door: door, api: door, accept: "application/json"}
	b.oauth = oauth2.Config{ClientID: app.ClientID, ClientSecret: app.Secret.Reveal(), Endpoint: oauth2.Endpoint{AuthStyle: oauth2.AuthStyleInParams}}
	return b, nil
}

// boundHost is the host as addresses of repositories have it in their normal form.
func boundHost(u *url.URL) string {
	standard := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	return strings.TrimSuffix(strings.ToLower(u.Host), standard)
}

// Facts implements repositories.HostDoor.
func (b *base) Facts() repositories.HostFacts { return b.facts }

// endpoints says where people and codes go.
func (b *base) endpoints(authorize, token string, scopes ...string) {
	b.oauth.Endpoint.AuthURL, b.oauth.Endpoint.TokenURL, b.oauth.Scopes = b.door.Address+authorize, b.door.Address+token, scopes
}

// cloneURL is where a repository is cloned from; what the host says of that may name another one.
func (b *base) cloneURL(path string) string {
	u := url.URL{Path: "/" + path + ".git"}
	return b.facts.Address + u.EscapedPath()
}
