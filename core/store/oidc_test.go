package store_test

import (
	"sync"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
)

const issuer = "https://id.example"

func (r *register) made(email, subject string, role access.Role) identity.User {
	r.t.Helper()
	u := identity.User{ID: core.UserID(r.id(core.PrefixUser)), Email: email, Name: "n", Role: role, SignOn: true, CreatedAt: r.at, UpdatedAt: r.at}
	r.must(r.AddProviderUser(r.t.Context(), u.Principal(""), u, issuer, subject))
	return u
}

func TestAccountsOfAProvider(t *testing.T) {
	r := openRegister(t)
	ada := r.made("ada@b", "ada", access.RoleViewer)
	if got, err := r.ProviderUser(t.Context(), issuer, "ada"); err != nil || got.User != ada || !got.Made {
		t.Errorf("%+v, %v", got, err)
	}
	for _, who := range [][2]string{{issuer, "Ada"}, {issuer + "/", "ada"}, {issuer, ""}} {
		if _, err := r.ProviderUser(t.Context(), who[0], who[1]); !fault.Is(err, fault.NotFound) {
			t.Errorf("%v: %v", who, err)
		}
	}
	if _, hash, err := r.UserWithPassword(t.Context(), ada.ID); err != nil || hash != "" {
		t.Errorf("hash %q, %v", hash, err)
	}
	again := ada
	again.ID = core.UserID(r.id(core.PrefixUser))
	if err := r.AddProviderUser(t.Context(), ada.Principal(""), again, issuer, "other"); fault.CodeOf(err) != "user.email_taken" {
		t.Errorf("the same address: %v", err)
	}
	again.Email = "c@d"
	if err := r.AddProviderUser(t.Context(), ada.Principal(""), again, issuer, "ada"); fault.CodeOf(err) != "oidc.linked" {
		t.Errorf("the same subject: %v", err)
	}
	if n := r.count(`SELECT count(*) FROM users WHERE email = 'c@d'`); n != 0 {
		t.Error("half of it was kept")
	}
}

func TestLinksToAProvider(t *testing.T) {
	r := openRegister(t)
	one, two := r.user(access.RoleAdmin), r.user(access.RoleViewer)
	r.must(r.LinkProvider(t.Context(), one.Principal(""), issuer, "one"))
	if got, err := r.ProviderUser(t.Context(), issuer, "one"); err != nil || got.ID != one.ID || got.Made {
		t.Errorf("%+v, %v", got, err)
	}
	if err := r.LinkProvider(t.Context(), two.Principal(""), issuer, "one"); fault.CodeOf(err) != "oidc.linked" {
		t.Errorf("another's: %v", err)
	}
	if err := r.LinkProvider(t.Context(), one.Principal(""), issuer, "more"); fault.CodeOf(err) != "oidc.linked" {
		t.Errorf("a second: %v", err)
	}
	r.must(r.UnlinkProvider(t.Context(), one.Principal(""), issuer))
	if err := r.UnlinkProvider(t.Context(), one.Principal(""), issuer); fault.CodeOf(err) != "oidc.not_linked" {
		t.Errorf("again: %v", err)
	}
	ada := r.made("ada@b", "ada", access.RoleViewer)
	r.exec(`UPDATE users SET password = 'hash' WHERE id = ?`, ada.ID)
	if err := r.UnlinkProvider(t.Context(), ada.Principal(""), issuer); fault.CodeOf(err) != "oidc.made" {
		t.Errorf("one whose role the provider says: %v", err)
	}
	if link, err := r.ProviderLink(t.Context(), ada.ID, issuer); err != nil || !link.Made || !link.At.Equal(r.at) {
		t.Errorf("%+v, %v", link, err)
	}
	if _, err := r.ProviderLink(t.Context(), two.ID, issuer); fault.CodeOf(err) != "oidc.not_linked" {
		t.Errorf("nobody's: %v", err)
	}
	r.must(r.AfterRestore(t.Context()))
	if got, err := r.ProviderUser(t.Context(), issuer, "ada"); err != nil || got.ID != ada.ID {
		t.Errorf("after a restore: %+v, %v", got, err)
	}
	r.must(r.DeleteUser(t.Context(), one.Principal(""), ada.ID))
	if _, err := r.ProviderUser(t.Context(), issuer, "ada"); !fault.Is(err, fault.NotFound) {
		t.Errorf("after the account: %v", err)
	}
}

func TestRolesThatAProviderSays(t *testing.T) {
	r := openRegister(t)
	r.exec(`UPDATE users SET disabled = 1`) // whoever set the server up
	ada := r.made("ada@b", "ada", access.RoleAdmin)
	refresh := func(role, want access.Role, wantKept bool) {
		t.Helper()
		if got, kept, err := r.RefreshRole(t.Context(), ada.Principal(""), ada.ID, role); err != nil || got.Role != want || kept != wantKept || r.find(ada.ID).Role != want {
			t.Errorf("%q: %+v, %t, %v", role, got, kept, err)
		}
	}
	audited := func(action string, want int) {
		t.Helper()
		if n := r.count(`SELECT count(*) FROM audit_events WHERE action = ?`, action); n != want {
			t.Errorf("%d of %s are in the audit, not %d", n, action, want)
		}
	}
	refresh(access.RoleViewer, access.RoleAdmin, true) // the last one
	refresh("", access.RoleAdmin, true)
	audited("user.keep_admin", 2)
	r.user(access.RoleAdmin)
	refresh(access.RoleViewer, access.RoleViewer, false)
	refresh(access.RoleOperator, access.RoleOperator, false)
	refresh(access.RoleOperator, access.RoleOperator, false)
	audited("user.change", 2)
	refresh("", access.RoleViewer, false)
	audited("user.change", 3)
	if n := r.count(`SELECT count(*) FROM audit_events WHERE action = 'user.change' AND actor_kind = 'system' AND detail = 'ada@b: role operator, was viewer, by single sign-on'`); n != 1 {
		t.Error("the audit does not say that the provider changed the role")
	}
}

// TestWhoHasNoRoleAnyMoreIsSignedOut, whatever the role was.
func TestWhoHasNoRoleAnyMoreIsSignedOut(t *testing.T) {
	r := openRegister(t)
	r.user(access.RoleAdmin)
	for email, role := range map[string]access.Role{"o@b": access.RoleOperator, "v@b": access.RoleViewer} {
		u := r.made(email, email, role)
		r.exec(`INSERT INTO sessions (id, user_id, mac, created_at, expires_at) VALUES (?, ?, x'00', 0, 9000000000000000)`, r.id(core.PrefixSession), u.ID)
		if _, _, err := r.RefreshRole(t.Context(), u.Principal(""), u.ID, ""); err != nil {
			t.Fatal(err)
		}
		if n := r.count(`SELECT count(*) FROM sessions WHERE user_id = ?`, u.ID); n != 0 {
			t.Errorf("%s has %d sessions", role, n)
		}
	}
}

// TestTwoAdministratorsAtOnceThatAProviderDemotes: one stays.
func TestTwoAdministratorsAtOnceThatAProviderDemotes(t *testing.T) {
	r := openRegister(t)
	r.exec(`UPDATE users SET disabled = 1`)
	all := []identity.User{r.made("a@b", "a", access.RoleAdmin), r.made("b@b", "b", access.RoleAdmin)}
	var both sync.WaitGroup
	for _, u := range all {
		both.Go(func() {
			if _, _, err := r.RefreshRole(t.Context(), u.Principal(""), u.ID, ""); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if n := r.count(`SELECT count(*) FROM users WHERE role = 'admin' AND disabled = 0`); n != 1 {
		t.Errorf("%d administrators are left", n)
	}
}
