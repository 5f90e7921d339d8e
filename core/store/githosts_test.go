package store_test

import (
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/core/seal"
)

// connected is a key as connecting a host makes it.
func (y *yard) connected(account string, by access.Principal) repositories.Credential {
	y.t.Helper()
	c := repositories.Credential{ID: core.CredentialID(core.NewID(core.PrefixCredential, y.tick())), Name: "GitHub: " + account, Type: repositories.TypeOAuth, Host: "github.com",
		Username: "x-access-token", Account: account, ConnectedBy: by.Name, ExpiresAt: y.at.Add(time.Hour).Truncate(time.Microsecond), CreatedAt: y.at}
	var placed core.CredentialID
	kept, err := y.Connect(y.t.Context(), c, func(c repositories.Credential) (seal.Sealed, error) {
		placed = c.ID
		return envelope(y.t), nil
	}, by)
	y.must(err)
	if placed != kept.ID {
		y.t.Errorf("the token was sealed for %s, and is kept in %s", placed, kept.ID)
	}
	return kept
}

func TestAStateIsSpentOnce(t *testing.T) {
	y := openYard(t)
	y.must(y.SpendState(t.Context(), "00ff", y.at.Add(10*time.Minute)))
	y.refused("the second time", y.SpendState(t.Context(), "00ff", y.at), "git_provider.state_used")
	y.must(y.SpendState(t.Context(), "00fe", y.at.Add(10*time.Minute)))
	if _, err := y.Prune(t.Context(), y.at.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	y.refused("before it has expired long ago", y.SpendState(t.Context(), "00ff", y.at), "git_provider.state_used")
	if _, err := y.Prune(t.Context(), y.at.Add(72*time.Minute)); err != nil {
		t.Fatal(err)
	}
	y.must(y.SpendState(t.Context(), "00ff", y.at))
}

func TestConnectedKeys(t *testing.T) {
	y := openYard(t)
	ada, bob := access.Principal{Kind: access.KindUser, ID: "usr_1", Name: "ada@example.org"}, access.Principal{Kind: access.KindUser, ID: "usr_2", Name: "bob@example.org"}
	first := y.connected("octo", ada)
	y.exec(t, `UPDATE credentials SET name = 'ours'`)
	again := y.connected("octo", bob)
	if again.ID != first.ID || again.Name != "ours" || again.ConnectedBy != bob.Name || !again.ChangedAt.After(first.CreatedAt) {
		t.Errorf("the same account has %+v", again)
	}
	found, sealed, err := y.Connection(t.Context(), "github.com", bob.Name)
	if err != nil || found.ID != first.ID || len(sealed) == 0 || found.Account != "octo" || !found.ExpiresAt.Equal(again.ExpiresAt) {
		t.Errorf("%+v, %v", found, err)
	}
	_, _, err = y.Connection(t.Context(), "github.com", ada.Name)
	y.refused("what somebody else connected", err, "credential.not_found")
	y.exec(t, `UPDATE credentials SET name = 'GitHub: cat'`)
	if cat := y.connected("cat", ada); cat.ID == first.ID || cat.Name == "GitHub: cat" {
		t.Errorf("a name that another key has: %+v", cat)
	}
}

func TestDeletingAConnectedKeyCutsTheAccess(t *testing.T) {
	y := openYard(t)
	key := y.connected("octo", someone)
	y.exec(t, `UPDATE repositories SET credential_id = ?, asked_at = 0`, string(key.ID))
	y.must(y.DeleteCredential(t.Context(), key.ID, someone))
	r, err := y.Repository(t.Context(), "rep_1")
	if err != nil || r.Credential != "" || r.AskedAt.IsZero() || r.AskedBy != someone.Name {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestATokenIsRenewedByOne(t *testing.T) {
	y := openYard(t)
	key := y.connected("octo", someone)
	claim := func(until time.Duration) bool {
		mine, err := y.ClaimRenewal(t.Context(), key.ID, y.at.Add(until))
		y.must(err)
		return mine
	}
	if !claim(time.Minute) || claim(time.Minute) {
		t.Error("two may renew one token")
	}
	y.at = y.at.Add(2 * time.Minute)
	if !claim(time.Minute) {
		t.Error("nobody may renew it after whoever began went away")
	}
	y.must(y.Renewed(t.Context(), key.ID, envelope(t), y.at.Add(5*time.Hour)))
	if c, _, err := y.Credential(t.Context(), key.ID); err != nil || !c.ExpiresAt.Equal(y.at.Add(5*time.Hour).Truncate(time.Microsecond)) || !claim(time.Minute) {
		t.Errorf("%+v, %v", c, err)
	}
	y.refused("a key that is gone", y.Renewed(t.Context(), "cred_none", envelope(t), y.at), "credential.not_found")
}
