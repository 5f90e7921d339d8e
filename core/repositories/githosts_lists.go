package repositories

import (
	"context"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/secrets"
)

// Pick says what is to be listed of a host, and with which key.
type Pick struct {
	Host       string            // its slug
	Credential core.CredentialID // empty: the newest that the asker connected
}

// Connected returns the key that a pick is made with. NotFound "git_provider.unknown"; Conflict
// "git_provider.not_connected" when there is none.
func (h *GitHosts) Connected(ctx context.Context, p Pick, by access.Principal) (Credential, error) {
	host, err := h.host(p.Host)
	if err != nil {
		return Credential{}, err
	}
	c, _, err := h.connection(ctx, host.Facts(), p.Credential, by)
	return c, err
}

// Organizations lists whom repositories can be picked of.
func (h *GitHosts) Organizations(ctx context.Context, p Pick, by access.Principal) (HostList[Organization], error) {
	host, token, err := h.opened(ctx, p, by, "", "")
	if err != nil {
		return HostList[Organization]{}, err
	}
	return host.Organizations(ctx, token)
}

// Repositories lists those of an organization. Invalid "git_provider.invalid".
func (h *GitHosts) Repositories(ctx context.Context, p Pick, organization string, by access.Principal) (HostList[HostRepository], error) {
	host, token, err := h.opened(ctx, p, by, "organization", segmentsProblem(organization))
	if err != nil {
		return HostList[HostRepository]{}, err
	}
	return host.Repositories(ctx, token, organization)
}

// Branches lists those of a repository, named owner/name. Invalid "git_provider.invalid".
func (h *GitHosts) Branches(ctx context.Context, p Pick, repository string, by access.Principal) (HostList[string], error) {
	problem := segmentsProblem(repository)
	if problem == "" && !strings.Contains(repository, "/") {
		problem = "is written owner/name, as the list of repositories has it"
	}
	host, token, err := h.opened(ctx, p, by, "repository", problem)
	if err != nil {
		return HostList[string]{}, err
	}
	return host.Branches(ctx, token, repository)
}

func badPick(field, problem string) error {
	return fault.BadFields("git_provider.invalid", []fault.Field{{Path: field, Problem: problem}})
}

const maxHostPath = 1024 // bytes of an organization's or repository's name on its host

// segmentsProblem says what is wrong with names between slashes that become part of an address.
func segmentsProblem(path string) string {
	if path == "" || len(path) > maxHostPath {
		return "is required: what was chosen in the step before"
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." || !plainText(name) || strings.ContainsAny(name, `\?#%`) {
			return "is not a name that a Git host gives"
		}
	}
	return ""
}

// opened returns a host with the token of a key for it, unless what is to be asked has a problem.
func (h *GitHosts) opened(ctx context.Context, p Pick, by access.Principal, field, problem string) (GitHost, secrets.Value, error) {
	host, err := h.host(p.Host)
	if err != nil {
		return nil, secrets.Value{}, err
	}
	if problem != "" {
		return nil, secrets.Value{}, badPick(field, problem)
	}
	c, sealed, err := h.connection(ctx, host.Facts(), p.Credential, by)
	if err != nil {
		return nil, secrets.Value{}, err
	}
	token, err := h.token(ctx, c, sealed)
	return host, token, err
}

// connection returns the key for a host that was named, or the newest that by connected.
func (h *GitHosts) connection(ctx context.Context, of HostFacts, id core.CredentialID, by access.Principal) (Credential, seal.Sealed, error) {
	if id == "" {
		c, sealed, err := h.store.Connection(ctx, of.Host, by.Name)
		if fault.Is(err, fault.NotFound) {
			return c, nil, fault.New(fault.Conflict, "git_provider.not_connected", "You have not connected %s yet. Do so under Repositories, Add a repository, or name the key of somebody who has.", of.Name)
		}
		return c, sealed, err
	}
	c, sealed, err := h.store.Credential(ctx, id)
	if err == nil && (c.Type != TypeOAuth || c.Host != of.Host) {
		return c, nil, badPick("credential_id", "is the key of another host, or was not made by connecting it")
	}
	return c, sealed, err
}
