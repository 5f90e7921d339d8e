package repositories

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/secrets"
)

// oneKey keeps a single oauth key; what it does not have is not asked for.
type oneKey struct {
	GitHostStore
	key     Credential
	sealed  seal.Sealed
	claimed bool  // by another
	lost    error // what storing a renewed token ends with
}

func (o *oneKey) Credential(context.Context, core.CredentialID) (Credential, seal.Sealed, error) {
	return o.key, o.sealed, nil
}

func (o *oneKey) ClaimRenewal(context.Context, core.CredentialID, time.Time) (bool, error) {
	return !o.claimed, nil
}

func (o *oneKey) Renewed(ctx context.Context, _ core.CredentialID, token seal.Sealed, expires time.Time) error {
	o.sealed, o.key.ExpiresAt = token, expires
	return errors.Join(o.lost, ctx.Err())
}

// renewing is a host that renews each refresh token once.
type renewing struct {
	GitHost
	good    string
	expires time.Time
	asked   int
}

func (r *renewing) Facts() HostFacts { return HostFacts{Slug: "gitlab", Host: "gitlab.com"} }

func (r *renewing) Renew(_ context.Context, refresh secrets.Value) (Grant, error) {
	r.asked++
	if refresh.Reveal() != r.good {
		return Grant{}, fault.New(fault.Conflict, "git_provider.revoked", "revoked")
	}
	r.good += "+"
	return Grant{Access: secrets.NewValue("second"), Refresh: secrets.NewValue(r.good), ExpiresAt: r.expires}, nil
}

func TestTokensAreRenewedBeforeTheyExpire(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, c := range map[string]struct {
		left    time.Duration // 0: for ever
		claimed bool          // by another process
		spent   bool          // its refresh token is not good any more
		nobody  bool          // the host is not configured any more
		token   string
		code    string
		asked   int
	}{
		"for ever":                      {0, false, false, false, "first", "internal.error", 0},
		"good for long":                 {time.Hour, false, false, false, "first", "internal.error", 0},
		"soon":                          {time.Minute, false, false, false, "second", "internal.error", 1},
		"expired":                       {-time.Minute, false, false, false, "second", "internal.error", 1},
		"soon, and another renews it":   {time.Minute, true, false, false, "first", "internal.error", 0},
		"gone, and another renews it":   {-time.Minute, true, false, false, "", "git_provider.busy", 0},
		"revoked":                       {time.Minute, false, true, false, "", "git_provider.revoked", 1},
		"of a host that is not set up":  {-time.Minute, false, false, true, "", "git_provider.unknown", 0},
		"good, of one that is not, too": {time.Hour, false, false, true, "first", "internal.error", 0},
	} {
		ring, err := seal.NewRing(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		store := &oneKey{key: Credential{ID: "cred_1", Type: TypeOAuth, Host: "gitlab.com", Username: "oauth2"}, claimed: c.claimed}
		if c.left != 0 {
			store.key.ExpiresAt = now.Add(c.left)
		}
		store.sealed, err = ring.Seal(store.key.place(), sealable(Grant{Access: secrets.NewValue("first"), Refresh: secrets.NewValue("r")}))
		if err != nil {
			t.Fatal(err)
		}
		host := &renewing{good: "r", expires: now.Add(2 * time.Hour)}
		if c.spent {
			host.good = "another"
		}
		hosts := []GitHost{host}
		if c.nobody {
			hosts = nil
		}
		desk := NewGitHosts(store, ring, ring, hosts, "http://berth.test", func() time.Time { return now })
		ctx, end := context.WithCancel(t.Context())
		if c.asked > 0 {
			end() // a renewed token is stored even when whoever asked has gone
		}
		_, token, err := desk.Token(ctx, "cred_1")
		end()
		if token.Reveal() != c.token || (err == nil) != (c.code == "internal.error") || fault.CodeOf(err) != c.code || host.asked != c.asked {
			t.Errorf("%s: %q, %v, asked %d times", name, token.Reveal(), err, host.asked)
		}
		if c.token != "second" {
			continue
		}
		if _, again, err := desk.Token(t.Context(), "cred_1"); err != nil || again.Reveal() != "second" || host.asked != 1 {
			t.Errorf("%s, once more: %q, %v", name, again.Reveal(), err)
		}
	}
}

func TestAKeyWhoseTokenCannotBeOpened(t *testing.T) {
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key := Credential{ID: "cred_1", Type: TypeOAuth}
	for name, text := range map[string]string{"no JSON": "canary", "no token": `{"refresh":"canary"}`} {
		sealed, err := ring.Seal(key.place(), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		desk := NewGitHosts(&oneKey{key: key, sealed: sealed}, ring, ring, nil, "", time.Now)
		if _, _, err := desk.Token(t.Context(), "cred_1"); fault.CodeOf(err) != "credential.unreadable" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
