package handlers_test

import (
	"context"
	"strings"

	"berth/core"
	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/core/variables"
	"berth/handlers"
	"berth/hub/adapter/agekey"
	"berth/hub/adapter/sops"
	"berth/hub/adapter/ssh"
)

// repositoriesDeps is what repositories need: the real use cases on the stand's store, and
// Git hosts in memory.
func (s *stand) repositoriesDeps() handlers.RepositoriesDeps {
	s.git = coretest.NewFakeGit()
	return handlers.RepositoriesDeps{
		Desk:    repositories.NewDesk(s.store, s.ring, agekey.Maker{}, repositories.HeadProber{Git: s.git}, noHub{}, s.now).OverSSH(ssh.Keys{}, &s.sshHosts),
		Browser: repositories.NewBrowser(s.git),
	}
}

// sshHosts are the SSH hosts that can be scanned: by address the one key of each.
type sshHosts map[string]string

// ScanHost implements repositories.HostScanner.
func (h *sshHosts) ScanHost(_ context.Context, address string) ([]repositories.HostKey, error) {
	key, found := (*h)[address]
	if !found {
		return nil, fault.New(fault.Unavailable, "ssh_host.unreachable", "The SSH host %s cannot be scanned: nobody is there.", address)
	}
	return []repositories.HostKey{{Type: "ssh-ed25519", Key: key}}, nil
}

// Two host keys of the form that real ones have.
const (
	oneHostKey     = "AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
	anotherHostKey = "AAAAC3NzaC1lZDI1NTE5AAAAIB8eHRwbGhkYFxYVFBMSERAPDg0MCwoJCAcGBQQDAgEA"
)

// variablesDeps is what variables need.
func (s *stand) variablesDeps() handlers.VariablesDeps {
	return handlers.VariablesDeps{Desk: variables.NewDesk(s.store, s.ring, s.integrationsDesk(), s.now), Stacks: s.store, Jobs: s.store, Environment: s.plans(), Rotations: s.store}
}

// integrationsDesk is the real use cases on the stand's store, and backends in memory.
func (s *stand) integrationsDesk() *integrations.Desk {
	maker := func(o integrations.Opened) (integrations.Backend, error) { return backend(o), nil }
	makers := map[string]integrations.Maker{secrets.Vault: maker, secrets.Manager: maker}
	return integrations.NewDesk(s.store, s.ring, integrations.NewBackends(s.store, s.ring, makers), s.now)
}

// backend is a secret backend that answers unless its secret setting is "refused".
type backend integrations.Opened

// Name implements secrets.Provider.
func (backend) Name() string { return secrets.Vault }

// Resolve implements secrets.Provider.
func (backend) Resolve(context.Context, []secrets.Ref) (map[string]secrets.Value, error) {
	return nil, nil
}

// Test implements integrations.Backend.
func (b backend) Test(context.Context) error {
	for _, value := range b.Secrets {
		if value.Reveal() == "refused" {
			return fault.New(fault.Conflict, "vault.refused", "the server refuses the token")
		}
	}
	return nil
}

// Pick implements integrations.Backend.
func (backend) Pick(_ context.Context, s integrations.Step) ([]integrations.Choice, error) {
	return []integrations.Choice{{ID: strings.Trim(s.Mount+s.Project+"/"+s.Environment+s.Path, "/") + "/db", Name: string(s.Kind), Folder: true}}, nil
}

// look does what the hub does when it looks at a repository.
func (s *stand) look(id string) core.Commit {
	s.t.Helper()
	ctx := context.Background()
	r, err := s.store.Repository(ctx, core.RepositoryID(id))
	s.must(err)
	head, err := s.git.Fetch(ctx, core.GitSource{Repository: r.ID, URL: r.URL, Branch: r.Branch})
	s.must(err)
	s.must(s.store.SetFetched(ctx, r.ID, head, core.LineageUnknown, s.now()))
	s.must(s.store.ClearAsked(ctx, r.ID, r.AskedAt))
	return head.Commit
}

// sopsDeps is what secrets files need: the real use cases, with the real libraries.
func (s *stand) sopsDeps() handlers.SopsDeps {
	desk := repositories.NewDesk(s.store, s.ring, agekey.Maker{}, repositories.HeadProber{Git: s.git}, noHub{}, s.now)
	return handlers.SopsDeps{Keys: desk, Files: repositories.NewSecretsReader(s.git, repositories.NewSecretsFiles(desk, sops.Files{})), Stacks: s.store, Repositories: s.store}
}
