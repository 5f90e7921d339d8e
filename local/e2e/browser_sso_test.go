package e2e_test

import (
	"testing"
	"time"

	"berth/local/stand/oidcstand"
)

// TestSingleSignOnInABrowser goes to a provider at another site and back: to link an account, to sign in with it, and as somebody
// new. A browser decides what it brings back from there and where a form may lead.
func TestSingleSignOnInABrowser(t *testing.T) {
	stand, err := oidcstand.New("berth", "the-secret", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stand.Close)
	r := openRoomWith(t, map[string]string{"OIDC_ISSUER": stand.URL, "OIDC_CLIENT_ID": "berth", "OIDC_CLIENT_SECRET": "the-secret",
		"OIDC_DISPLAY_NAME": "Keycloak", "OIDC_ROLE_MAP": "developers=operator"})
	p := r.openTab()
	p.setUp()
	stand.Person = oidcstand.Object{"sub": "boss"}
	p.open("/profile")
	p.fill("#f-sso", roomPassword)
	p.press("Link Keycloak")
	p.shows("Nothing is linked until you come back.")
	p.press("Go to Keycloak")
	p.shows("The account is linked.")
	p.audit("profile-linked", "/profile")
	leave := func() {
		p.open("/profile")
		p.click(".side .who button")
		p.until("the sign-in page", `location.pathname === "/login"`)
	}
	leave()
	p.audit("login-provider", "/login?next=/profile")
	p.press("Sign in with Keycloak")
	p.shows("this account was linked")
	leave()
	stand.Person = oidcstand.Object{"sub": "dora", "email": "dora@example.org", "email_verified": true, "name": "Dora", "groups": []string{"developers"}}
	p.open("/login?next=/profile")
	p.press("Sign in with Keycloak")
	p.shows("which made this account")
	p.audit("profile-made", "/profile")
	p.clean()
}
