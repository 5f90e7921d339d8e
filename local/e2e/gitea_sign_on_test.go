//go:build realgitea

package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"testing"

	"berth/core/access"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/stand/realgitea"
)

// TestRealGiteaSignsPeopleIn: Gitea is an OpenID Connect provider too, with its own mind about issuers, keys and claims.
func TestRealGiteaSignsPeopleIn(t *testing.T) {
	g, port := realgitea.Start(t), rig.FreePort(t)
	g.Must(http.MethodPost, "/orgs", map[string]any{"username": giteaOrganization}, nil)
	var app struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	g.Must(http.MethodPost, "/user/applications/oauth2", map[string]any{"name": "Berth", "confidential_client": true,
		"redirect_uris": []string{"http://127.0.0.1:" + port + "/login/oidc/callback"}}, &app)
	s := rig.Start(t, rig.Options{Web: port, Environment: map[string]string{"OIDC_ISSUER": issuerOf(t, g.URL), "OIDC_CLIENT_ID": app.ID, "OIDC_CLIENT_SECRET": app.Secret,
		"OIDC_SCOPES": "openid profile email groups", "OIDC_ROLE_MAP": giteaOrganization + "=operator"}})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := rig.Client{T: t, URL: s.URL, Jar: jar}
	there := g.SignIn()
	away := browser.Ask(http.MethodGet, "/login/oidc?next=/stacks", nil)
	back, err := url.Parse(there.Grant(away.Header.Get("Location")))
	if err != nil || back.Path != "/login/oidc/callback" {
		t.Fatalf("%d, back to %v: %v", away.Status, back, err)
	}
	if home := browser.Ask(http.MethodGet, back.RequestURI(), nil); home.Status != http.StatusSeeOther || home.Header.Get("Location") != "/stacks" {
		t.Fatalf("the way back: %d %s", home.Status, home.Body)
	}
	if me := rig.Get[api.Me](browser, "/api/custom/me"); me.Name != realgitea.Owner+"@example.com" || me.Role != access.RoleOperator {
		t.Errorf("me is %+v", me)
	}
	if again := browser.Ask(http.MethodGet, back.RequestURI(), nil); again.Status != http.StatusConflict {
		t.Errorf("the same way back again: %d", again.Status)
	}
}

// issuerOf is what a provider calls itself.
func issuerOf(t *testing.T, address string) string {
	t.Helper()
	answer, err := http.Get(address + "/.well-known/openid-configuration")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var said struct{ Issuer string }
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil || said.Issuer == "" {
		t.Fatalf("%+v, %v", said, err)
	}
	return said.Issuer
}
