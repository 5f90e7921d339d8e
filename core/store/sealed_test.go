package store_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"berth/core/keys"
	"berth/core/store"
)

// unsealed are columns of bytes that hold no envelope.
var unsealed = []string{"key_ring.wrapped", "sessions.mac", "api_keys.mac", "invitations.mac", "password_resets.mac", "recovery_codes.mac", "worker_tokens.mac",
	"ssh_hosts.key", "worker_port.pin", "revision_files.content", "hubs.pin", "hubs_gone.pin", "workers.key"}

// TestEveryColumnOfBytesIsKnown: what is sealed in one that is not looked at stays sealed with an old key for ever.
func TestEveryColumnOfBytesIsKnown(t *testing.T) {
	db, clean, err := emptyDatabase()
	if err != nil {
		t.Fatal(err)
	}
	defer clean()
	rows, err := db.Query(`SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.type = 'BLOB'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	seen := 0
	for ; rows.Next(); seen++ {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(store.SealedColumns(), name) == slices.Contains(unsealed, name) {
			t.Errorf("nobody said whether %s holds envelopes, or both was said", name)
		}
	}
	if rows.Err() != nil || seen < len(store.SealedColumns()) {
		t.Errorf("%d columns of bytes, %v", seen, rows.Err())
	}
}

// TestSealedValuesAreFoundAndReplaced walks in steps of each size.
func TestSealedValuesAreFoundAndReplaced(t *testing.T) {
	y := wholeYard(t)
	y.exec(t, `INSERT INTO variables (id, scope, scope_id, name, secret, provider, value, reference, sealed, created_at, updated_at) VALUES ('var_s', 'global', '', 'S', 1, '', '', '', x'00', 0, 0)`)
	y.exec(t, `UPDATE repositories SET sops_age_key = x'00'`)
	y.exec(t, `INSERT INTO sealed_settings (name, public, sealed) VALUES ('port', '', x'00')`)
	var want []keys.Envelope
	for _, limit := range []int{100, 1, 2, 3} {
		var got []keys.Envelope
		for at, end := (keys.Cursor{}), false; !end; {
			all, next, last, err := y.Envelopes(t.Context(), at, limit)
			y.must(err)
			if len(all) > limit {
				t.Fatalf("%d at once, want at most %d", len(all), limit)
			}
			got, at, end = append(got, all...), next, last
		}
		if want == nil {
			want = got
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("in steps of %d: %v, want %v", limit, got, want)
		}
	}
	tables, fresh := map[string]bool{}, envelope(t)
	for _, e := range want {
		tables[e.Place.Table+"."+e.Place.Column] = true
		if done, err := y.Reseal(t.Context(), keys.Envelope{Column: e.Column, Row: e.Row, Sealed: fresh[1:]}, fresh); done || err != nil {
			t.Errorf("%v is replaced though it was changed: %v", e.Place, err)
		}
		if done, err := y.Reseal(t.Context(), e, fresh); !done || err != nil {
			t.Errorf("%v is not replaced: %v", e.Place, err)
		}
	}
	for _, name := range store.SealedColumns() {
		if !tables[name] {
			t.Errorf("no value of %s was found", name)
		}
	}
	all, _, _, err := y.Envelopes(t.Context(), keys.Cursor{}, 1)
	y.must(err)
	if len(all) != 1 || !bytes.Equal(all[0].Sealed, fresh) {
		t.Errorf("now it is %v", all)
	}
}

func TestAPassIsKept(t *testing.T) {
	y := openYard(t)
	if p, err := y.LastPass(t.Context()); err != nil || !p.BeganAt.IsZero() {
		t.Errorf("before the first: %+v, %v", p, err)
	}
	for _, want := range []keys.Pass{{Key: 2, BeganAt: y.at.UTC()}, {Key: 2, BeganAt: y.at.UTC(), EndedAt: y.at.Add(time.Second).UTC(), Values: 7, Renewed: 3, Moved: 1, Lost: 1, Damaged: []string{"variables.sealed of var_1"}}} {
		y.must(y.SavePass(t.Context(), want))
		if got, err := y.LastPass(t.Context()); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("LastPass = %+v, %v; want %+v", got, err, want)
		}
	}
}
