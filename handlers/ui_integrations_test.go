package handlers_test

import (
	"net/url"
	"strings"
	"testing"

	"berth/core/access"
)

const vaultPage = "/integrations/vault"

// enableVault configures the vault of the stand as a person would.
func (s *stand) enableVault(t *testing.T, session string) {
	t.Helper()
	leadsTo(t, s.submit(session, vaultPage, url.Values{"enabled": {"on"}, "settings.address": {"https://vault.example.com"}, "settings.token": {"canary-token"}}), vaultPage+"?said=integration-saved")
}

func TestIntegrationsAreConfiguredOnTheirPages(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	says(t, s.browse(session, "/integrations"), 200, "Secret Backend", "Not configured", "Always enabled")
	says(t, s.submit(session, vaultPage, url.Values{"enabled": {"on"}, "settings.address": {"nowhere"}, "settings.token": {"canary-token"}}), 422, `value="nowhere"`, "Must be a URL")
	says(t, s.submit(session, vaultPage, url.Values{"enabled": {"on"}, "settings.address": {"https://vault.example.com"}}), 422, "Is required to enable Vault", `value="https://vault.example.com"`)
	s.enableVault(t, session)
	shown := s.browse(session, vaultPage)
	says(t, shown, 200, "Enabled", "stored; leave empty to keep", `value="https://vault.example.com"`)
	says(t, s.submit(session, vaultPage+"/test", nil), 200, "Vault answers and takes the credential")
	leadsTo(t, s.submit(session, vaultPage, url.Values{"settings.address": {"https://vault.example.com"}, "settings.allowed_mount": {"kv"}, "settings.token": {""}}), vaultPage+"?said=integration-saved")
	says(t, s.browse(session, "/integrations"), 200, "Disabled")
	leadsTo(t, s.submit(session, vaultPage, url.Values{"settings.address": {"http://vault.example.com"}, "settings.token": {"refused"}}), vaultPage+"?said=integration-saved")
	says(t, s.submit(session, vaultPage+"/test", nil), 200, "The test failed: The server refuses the token.", "Address is http")
	moved := s.submit(session, vaultPage, url.Values{"settings.address": {"https://elsewhere.example.com"}})
	says(t, moved, 422, "Must be entered again")
	if strings.Contains(shown.Body.String()+moved.Body.String(), "canary") {
		t.Error("a page shows a secret setting")
	}
	says(t, s.submit(session, "/integrations/sops", url.Values{"enabled": {"on"}}), 409, "SOPS is always enabled")
	says(t, s.browse(session, "/integrations/sops"), 200, "sops --encrypt")
	says(t, s.browse(session, "/variables/new"), 200, "a secrets manager: <a href=\"/integrations\">")
	says(t, s.browse(session, "/integrations/other"), 404)
}

func TestIntegrationsAreForAdministrators(t *testing.T) {
	s := newStand(t)
	s.found()
	operator := s.session(s.user(access.RoleOperator))
	for _, path := range []string{"/integrations", vaultPage} {
		says(t, s.browse(operator, path), 403)
	}
	says(t, s.submit(operator, vaultPage+"/test", nil), 403)
	if strings.Contains(s.browse(operator, "/").Body.String(), "/integrations") {
		t.Error("an operator is shown the way to the integrations")
	}
}
