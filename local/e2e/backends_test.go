package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"berth/core/integrations"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/stand/managerstand"
	"berth/local/stand/vaultstand"
)

// providers are all places in which secrets of stacks may be kept.
var providers = []string{secrets.Internal, secrets.Vault, secrets.Manager, integrations.SOPS}

// variable is the name of the variable for a canary.
func variable(provider, shape string) string {
	return "CANARY_" + strings.ToUpper(provider) + "_" + shape
}

// named are the canaries of a provider by the name of their variable.
func named(provider string) map[string]string {
	all := map[string]string{}
	for shape, value := range canaries(provider) {
		all[variable(provider, shape)] = value
	}
	return all
}

// backends are a vault and a secrets manager that a server is configured to use, with the canaries in them.
type backends struct {
	s       *rig.Server
	vault   *vaultstand.Server
	manager *managerstand.Server
}

func startBackends(t *testing.T, s *rig.Server) *backends {
	t.Helper()
	b := &backends{s: s, vault: vaultstand.New(), manager: managerstand.New()}
	s.Secrets["the vault's token"], s.Secrets["the client secret"] = "hvs.canary-token-99d1e2", "canary-client-secret-4f3a"
	b.vault.Issue(s.Secrets["the vault's token"], vaultstand.Token{})
	b.manager.Identity("machine-1", s.Secrets["the client secret"])
	b.manager.Project("shop", managerstand.Project{Name: "Shop", Environments: []string{"prod"}})
	fields := map[string]any{}
	for name, value := range named(secrets.Vault) {
		fields[name] = value
	}
	b.vault.Put("kv", "shop/web", fields)
	for name, value := range named(secrets.Manager) {
		b.manager.Put("shop", "prod", "web", managerstand.Secret{Name: name, Value: value})
	}
	vault, manager := httptest.NewServer(b.vault), httptest.NewServer(b.manager)
	t.Cleanup(vault.Close)
	t.Cleanup(manager.Close)
	b.configure(secrets.Vault, true, map[string]string{"address": vault.URL, "token": s.Secrets["the vault's token"], "allowed_mount": "kv"})
	b.configure(secrets.Manager, true, map[string]string{"site_url": manager.URL, "client_id": "machine-1", "client_secret": s.Secrets["the client secret"]})
	return b
}

func (b *backends) configure(slug string, enabled bool, settings map[string]string) {
	b.s.T.Helper()
	answer := b.s.Ask(http.MethodPut, "/api/custom/integrations/"+slug, api.SaveIntegrationRequest{Enabled: &enabled, Settings: settings})
	if answer.Status != http.StatusOK {
		b.s.T.Fatalf("%s was not configured: %d %s", slug, answer.Status, answer.Body)
	}
}

// refer gives a stack variables for everything that vault and manager keep.
func (b *backends) refer(stack *rig.Stack) {
	stack.T.Helper()
	for name := range named(secrets.Vault) {
		b.set(stack, secrets.Vault, name, "kv/data/shop/web#"+name)
	}
	for name := range named(secrets.Manager) {
		b.set(stack, secrets.Manager, name, "shop/prod/web#"+name)
	}
}

func (b *backends) set(stack *rig.Stack, provider, name, reference string) {
	stack.T.Helper()
	rig.Post[api.VariableAnswer](stack.Client, "/api/custom/variables", api.CreateVariableRequest{Scope: variables.ScopeStack, ScopeID: string(stack.ID),
		Name: name, Secret: true, SecretProvider: provider, Reference: reference}, http.StatusCreated)
}

// break_ makes both backends fail for a deployment, so that their failures are told.
func (b *backends) break_(stack *rig.Stack) {
	stack.T.Helper()
	b.vault.Change(b.s.Secrets["the vault's token"], func(token *vaultstand.Token) { token.Ended = true })
	b.manager.Refuse("shop")
	d := stack.Sync()
	if d.State != stacks.DeploymentFailed || d.ErrorCode != "secret.unresolved" || !strings.Contains(d.Error, "provider vault") || !strings.Contains(d.Error, "provider manager") {
		stack.T.Errorf("with both backends failing the deployment ended %s (%s): %s", d.State, d.ErrorCode, d.Error)
	}
	for name := range named(secrets.Vault) {
		if !strings.Contains(d.Error, name) {
			stack.T.Errorf("the failure does not name %s", name)
		}
	}
	b.s.Ask(http.MethodPost, "/api/custom/integrations/vault/test", nil)
	b.s.Ask(http.MethodPost, "/api/custom/integrations/manager/test", nil)
}
