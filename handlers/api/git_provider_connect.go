package api

import (
	"context"
	"net/http"
	"net/url"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// GitConnector takes people to a Git host and back; see repositories.GitHosts.
type GitConnector interface {
	Begin(slug string, by access.Principal) (string, error)
	Finish(ctx context.Context, slug string, a repositories.HostAnswer, by access.Principal) (repositories.Credential, error)
}

// ConnectGitProvider sends a browser to a Git host, where its person lets this server in. It stores
// nothing. A page of another site cannot begin it: the host may agree without asking the person again.
func ConnectGitProvider(hosts GitConnector) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
			return fault.New(fault.Forbidden, "git_provider.cross_site", "A page of another site asked to connect a Git host, so nothing was begun. If you want to, do so under Repositories, Add a repository.")
		}
		to, err := hosts.Begin(r.PathValue("git_host"), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return sendTo(w, http.StatusFound, to)
	})
}

// FinishGitProvider is where a Git host sends the browser back to. It goes on to where a repository is picked
// with the new key.
func FinishGitProvider(hosts GitConnector) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		slug, query := r.PathValue("git_host"), r.URL.Query()
		answer := repositories.HostAnswer{State: query.Get("state"), Code: query.Get("code"), Error: query.Get("error")}
		key, err := hosts.Finish(r.Context(), slug, answer, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return sendTo(w, http.StatusSeeOther, "/git-hosts/"+slug+"/new?"+url.Values{"key": {string(key.ID)}, "said": {"git-connected"}}.Encode())
	})
}

// sendTo leads a browser on. Neither where it goes nor where it comes from is told to others: both hold
// what is good once.
func sendTo(w http.ResponseWriter, status int, to string) error {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Location", to)
	w.WriteHeader(status)
	return nil
}
