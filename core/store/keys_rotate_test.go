package store_test

import (
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
)

func TestAKeyIsFollowedByAnother(t *testing.T) {
	hour := time.Hour
	for name, c := range map[string]struct {
		life  time.Duration // of the old key; 0: for ever
		until time.Duration // for which it is to stay good
		ends  time.Duration // when it does; both from now on
		next  time.Duration // life of the new one
	}{
		"of a key for ever":             {0, hour, hour, 0},
		"at once":                       {0, 0, 0, 0},
		"of one that ends later":        {10 * hour, hour, hour, 10 * hour},
		"of one that ends before, then": {2 * hour, 24 * hour, 2 * hour, 2 * hour},
	} {
		t.Run(name, func(t *testing.T) {
			r := openRegister(t)
			a := r.account("ci")
			old := r.key(a)
			if c.life > 0 {
				r.exec(`UPDATE api_keys SET expires_at = created_at + ? WHERE id = ?`, c.life.Microseconds(), old.ID)
			}
			k := identity.APIKey{ID: core.APIKeyID(r.id(core.PrefixAPIKey)), Account: a.ID, CreatedAt: old.CreatedAt}
			got, err := r.RotateAPIKey(t.Context(), access.System, old.ID, k, []byte("another mac"), old.CreatedAt.Add(c.until))
			r.must(err)
			before, err := r.StoredKey(t.Context(), old.ID)
			r.must(err)
			after, err := r.StoredKey(t.Context(), k.ID)
			r.must(err)
			if !before.Key.ExpiresAt.Equal(old.CreatedAt.Add(c.ends)) || string(before.MAC) != "mac" {
				t.Errorf("the old one ends at %s", before.Key.ExpiresAt)
			}
			if before.Key.FollowedBy != k.ID || after.Key != got || got.Name != old.Name || string(after.MAC) != "another mac" || c.next == 0 != got.ExpiresAt.IsZero() || c.next > 0 && !got.ExpiresAt.Equal(k.CreatedAt.Add(c.next)) {
				t.Errorf("the new one is %+v, returned as %+v", after.Key, got)
			}
			if r.count(`SELECT count(*) FROM audit_events WHERE action = 'api_key.rotate' AND resource = ?`, old.ID) != 1 {
				t.Error("it is not in the audit")
			}
		})
	}
}

func TestWhatCannotBeFollowed(t *testing.T) {
	r := openRegister(t)
	a, b := r.account("a"), r.account("b")
	old := r.key(a)
	k := identity.APIKey{ID: core.APIKeyID(r.id(core.PrefixAPIKey)), Account: b.ID, CreatedAt: old.CreatedAt}
	if _, err := r.RotateAPIKey(t.Context(), access.System, old.ID, k, nil, old.CreatedAt); fault.CodeOf(err) != "api_key.not_found" {
		t.Errorf("a key of another account: %v", err)
	}
	k.Account = "sva_none"
	if _, err := r.RotateAPIKey(t.Context(), access.System, old.ID, k, nil, old.CreatedAt); fault.CodeOf(err) != "service_account.not_found" {
		t.Errorf("of no account: %v", err)
	}
	k.Account = a.ID
	next := r.key(a)
	r.exec(`UPDATE api_keys SET followed_by = 'key_next' WHERE id = ?`, next.ID)
	if _, err := r.RotateAPIKey(t.Context(), access.System, next.ID, k, nil, old.CreatedAt); fault.CodeOf(err) != "api_key.followed" || !strings.Contains(err.Error(), "key_next") {
		t.Errorf("one that another follows already: %v", err)
	}
	r.exec(`UPDATE api_keys SET expires_at = created_at WHERE id = ?`, old.ID)
	if _, err := r.RotateAPIKey(t.Context(), access.System, old.ID, k, nil, old.CreatedAt.Add(time.Hour)); fault.CodeOf(err) != "api_key.expired" {
		t.Errorf("an expired one, which would be good again: %v", err)
	}
	for range identity.MaxKeys - 1 {
		r.key(b)
	}
	last := r.key(b)
	k.Account = b.ID
	if _, err := r.RotateAPIKey(t.Context(), access.System, last.ID, k, nil, old.CreatedAt); fault.CodeOf(err) != "api_key.too_many" {
		t.Errorf("one too many: %v", err)
	}
	if kept, err := r.StoredKey(t.Context(), last.ID); err != nil || !kept.Key.ExpiresAt.IsZero() {
		t.Errorf("what was refused left %+v, %v", kept, err)
	}
}

func TestTheLastUseOfAKeyIsKept(t *testing.T) {
	r := openRegister(t)
	k := r.key(r.account("a"))
	at := k.CreatedAt.Add(time.Hour)
	r.must(r.NoteKeyUsed(t.Context(), k.ID, at, at.Add(-time.Minute), "192.0.2.1"))
	r.must(r.NoteKeyUsed(t.Context(), k.ID, at.Add(time.Second), at.Add(-time.Minute), "192.0.2.2")) // noted by somebody else just now
	kept, err := r.StoredKey(t.Context(), k.ID)
	if err != nil || !kept.Key.LastUsedAt.Equal(at) || kept.Key.LastUsedFrom != "192.0.2.1" {
		t.Errorf("%+v, %v", kept.Key, err)
	}
	r.must(r.NoteKeyUsed(t.Context(), "key_none", at, at, ""))
}

// TestTheLifeOfAKeyOutlivesItsRotations rotates a key of 90 days as a script would that kept the id of the first one, and as one
// that goes on with the newest.
func TestTheLifeOfAKeyOutlivesItsRotations(t *testing.T) {
	r := openRegister(t)
	a := r.account("ci")
	first := r.key(a)
	life := 90 * 24 * time.Hour
	r.exec(`UPDATE api_keys SET expires_at = created_at + ? WHERE id = ?`, life.Microseconds(), first.ID)
	rotate := func(old core.APIKeyID, at time.Time) (identity.APIKey, error) {
		k := identity.APIKey{ID: core.APIKeyID(r.id(core.PrefixAPIKey)), Account: a.ID, CreatedAt: at}
		return r.RotateAPIKey(t.Context(), access.System, old, k, []byte("mac"), at.Add(24*time.Hour))
	}
	at := first.CreatedAt
	second, err := rotate(first.ID, at)
	r.must(err)
	if _, err := rotate(first.ID, at); fault.CodeOf(err) != "api_key.followed" {
		t.Errorf("a key that was rotated before: %v", err)
	}
	third, err := rotate(second.ID, at)
	if err != nil || !third.ExpiresAt.Equal(at.Add(life)) {
		t.Errorf("the third lives until %s, %v", third.ExpiresAt, err)
	}
}
