package githost

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
)

// Statuses tells Git hosts what became of commits. Whether the host was connected with OAuth does not matter: the
// password of a repository's key is the token.
type Statuses struct{ Options outbound.Options }

// statusWay is how a kind of host is told, from its public reference.
type statusWay struct {
	name  string
	root  string // of the API's paths
	path  func(repository string, commit core.Commit) string
	body  func(c repositories.CommitStatus, target string) map[string]string
	needs string // what the token must be allowed
}

func hubStatus(c repositories.CommitStatus, target string) map[string]string {
	return map[string]string{"state": string(c.State), "target_url": target, "description": c.State.Describe(), "context": c.Context()}
}

// labStatus: GitLab has states of its own, and calls the context a name.
func labStatus(c repositories.CommitStatus, target string) map[string]string {
	state := map[repositories.StatusState]string{repositories.StatusPending: "running", repositories.StatusSuccess: "success", repositories.StatusFailure: "failed", repositories.StatusError: "canceled"}[c.State]
	return map[string]string{"state": state, "target_url": target, "description": c.State.Describe(), "name": c.Context()}
}

func hubPath(repository string, commit core.Commit) string {
	return "/repos/" + escaped(repository) + "/statuses/" + string(commit)
}

var statusWays = map[repositories.StatusHost]statusWay{
	repositories.StatusesGitHub: {"GitHub", "/api/v3", hubPath, hubStatus, "the scope repo or repo:status, or for a fine-grained token the permission to write commit statuses"},
	repositories.StatusesGitea:  {"Gitea", "/api/v1", hubPath, hubStatus, "the scope write:repository"},
	repositories.StatusesGitLab: {"GitLab", "/api/v4", func(repository string, commit core.Commit) string {
		return "/projects/" + url.PathEscape(repository) + "/statuses/" + string(commit)
	}, labStatus, "the scope api, and at least the role Developer in the project"},
}

// Tell tells the host of a source. Faults: those of outbound, "commit_status.refused" when the token is not accepted,
// "commit_status.forbidden" when it may not write, "commit_status.unknown" when the host does not take the status.
func (s Statuses) Tell(ctx context.Context, src core.GitSource, c repositories.CommitStatus, target string) error {
	way, known := statusWays[c.Repository.Statuses]
	u, err := url.Parse(src.URL)
	if !known || err != nil || src.Password.Empty() {
		return fault.New(fault.Conflict, "commit_status.refused", "The repository has no key with a token, so its Git host cannot be told of deployments. Give it one, or turn commit statuses off.")
	}
	address, root := u.Scheme+"://"+u.Host, way.root
	if c.Repository.Statuses == repositories.StatusesGitHub && strings.EqualFold(u.Host, "github.com") {
		address, root = "https://api.github.com", ""
	}
	options := s.Options
	options.Where = "as the repository's address"
	service, err := outbound.New(way.name, address, codes, options)
	if err != nil {
		return err
	}
	defer service.Close()
	repository := strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git")
	r, err := statusRequest(ctx, service.Address+root+way.path(repository, c.Commit), way.body(c, target), src.Password)
	if err != nil {
		return service.Malformed()
	}
	answer, err := service.Client().Do(r)
	if err != nil {
		return service.Trouble(ctx, err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body) // bounded by outbound
	if err != nil {
		return service.Trouble(ctx, err)
	}
	return way.judge(service, answer, said)
}

func statusRequest(ctx context.Context, address string, body map[string]string, token secrets.Value) (*http.Request, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token.Reveal())
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "berth")
	return r, nil
}

// judge is the fault for an answer; nothing that the host wrote is in it.
func (w statusWay) judge(service *outbound.Service, answer *http.Response, said []byte) error {
	limited := answer.Header.Get("X-RateLimit-Remaining") == "0" || answer.Header.Get("Retry-After") != ""
	switch status := answer.StatusCode; {
	case status == http.StatusOK || status == http.StatusCreated:
		return nil
	case status == http.StatusBadRequest && bytes.Contains(said, []byte("Cannot transition status")):
		return nil // GitLab, when a status that it has is told again
	case status == http.StatusUnauthorized:
		return fault.New(fault.Conflict, "commit_status.refused", "%s does not accept the repository's key for its API, so it was not told of a deployment. The key's password has to be an access token that allows %s.", w.name, w.needs)
	case status == http.StatusForbidden && limited:
		return service.Status(http.StatusTooManyRequests, answer.Header, time.Now())
	case status == http.StatusForbidden, status == http.StatusNotFound:
		return fault.New(fault.Conflict, "commit_status.forbidden", "%s does not let the repository's key write commit statuses. It needs a token that allows %s.", w.name, w.needs)
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		return fault.New(fault.Conflict, "commit_status.unknown", "%s does not take the commit status: it may not know the commit any more, or hold as many statuses of it as it allows.", w.name)
	}
	if known := service.Status(answer.StatusCode, answer.Header, time.Now()); known != nil {
		return known
	}
	return service.Unexpected(answer.StatusCode)
}
