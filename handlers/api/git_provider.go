package api

import (
	"net/http"

	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// GitProviders are the Git hosts that people can connect to.
type GitProviders interface {
	// Providers returns them; none when none is configured.
	Providers() []repositories.HostFacts
	// Callback is where a host sends browsers back to.
	Callback(slug string) string
}

// GitProviderAnswer is a Git host that people can connect to.
type GitProviderAnswer struct {
	GitHost     string `json:"git_host"`     // what stands for it in paths: github, gitea or gitlab
	Name        string `json:"name"`         // for people
	URL         string `json:"url"`          // where it is
	CallbackURL string `json:"callback_url"` // that its OAuth app has to be registered with, to the letter
}

// ListGitProviders answers with the Git hosts that the server's variables name.
func ListGitProviders(hosts GitProviders) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, _ *http.Request) error {
		items := endpoint.Items[GitProviderAnswer]{Items: []GitProviderAnswer{}}
		for _, p := range hosts.Providers() {
			items.Items = append(items.Items, GitProviderAnswer{GitHost: p.Slug, Name: p.Name, URL: p.Address, CallbackURL: hosts.Callback(p.Slug)})
		}
		return endpoint.JSON(w, http.StatusOK, items)
	})
}
