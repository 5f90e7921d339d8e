package store_test

import (
	"slices"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/store"
)

// A key that is shown again and again is read once, until anything is committed.
func TestAKeyIsReadAgainAfterACommit(t *testing.T) {
	db, raw := migrated(t)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r := &register{t: t, raw: raw, at: at, Store: store.New(db, func() time.Time { return at })}
	account := r.account("scraper")
	key := r.key(account)
	var c counter
	db.Measure(&c)
	for range 3 {
		if kept, err := r.StoredKey(t.Context(), key.ID); err != nil || kept.Key != key || string(kept.MAC) != "mac" {
			t.Fatalf("%+v, %v", kept, err)
		}
	}
	want := []string{"read committed"}
	if onPostgres {
		want = slices.Repeat(want, 3) // others may write, too
	}
	if got, _ := c.take(); !slices.Equal(got, want) {
		t.Errorf("showing a key three times made %v, want %v", got, want)
	}
	r.must(r.DeleteAPIKey(t.Context(), access.System, account.ID, key.ID))
	if _, err := r.StoredKey(t.Context(), key.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a key that was deleted: %v", err)
	}
}
