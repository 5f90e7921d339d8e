package vault_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
	"berth/local/stand/faultyhttp"
	"berth/local/stand/vaultstand"
)

// V3, V4: what is no value has its own message, which names the reference; what is one is given.
func TestWhatIsNoValueIsRefusedByRule(t *testing.T) {
	r := newRoom(t, "")
	s := r.server
	s.Mount("team/kv", vaultstand.Mount{Type: "kv", Version: "2"})
	s.Mount("old", vaultstand.Mount{Type: "kv", Version: "1"})
	s.Put("kv", "app", map[string]any{"key": "canary-value", "empty": "", "number": 7, "yes": true, "list": []any{"canary"}, "map": map[string]any{"a": "canary"},
		"null": nil, "nul": "canary\x00", "a #b/c": "canary-odd"})
	s.Put("kv", "gone", map[string]any{"key": "canary"})
	s.Delete("kv", "gone")
	s.Put("kv", "burnt", map[string]any{"key": "canary"})
	s.Destroy("kv", "burnt")
	s.Put("kv", "odd ?x=1&y/%2e%2e/ä", map[string]any{"key": "canary-odd-path"})
	s.Put("team/kv", "app", map[string]any{"key": "canary-team"})
	s.Put("kv", "closed", map[string]any{"key": "canary"})
	s.Change(token, func(t *vaultstand.Token) { t.Refused = []string{"kv/data/closed"} })

	for reference, want := range map[string]string{
		"kv/data/app#key": "canary-value", "kv/data/app#empty": "", "kv/data/app#a #b/c": "canary-odd",
		"team/kv/data/app#key": "canary-team", "kv/data/odd ?x=1&y/%2e%2e/ä#key": "canary-odd-path",
	} {
		values, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", reference)})
		if value, found := values["A"]; err != nil || !found || value.Reveal() != want {
			t.Errorf("%s gave %q, %v, %v", reference, value.Reveal(), found, err)
		}
	}
	for reference, code := range map[string]string{
		"kv/data/none#key":       "vault.path_missing",
		"kv/data/app/deeper#key": "vault.path_missing",
		"old/data/app#key":       "vault.path_missing",
		"other/data/app#key":     "vault.mount_missing",
		"kv/data/gone#key":       "vault.version_deleted",
		"kv/data/burnt#key":      "vault.version_destroyed",
		"kv/data/app#none":       "vault.field_missing",
		"kv/data/app#Key":        "vault.field_missing",
		"kv/data/app#number":     "vault.field_not_text",
		"kv/data/app#yes":        "vault.field_not_text",
		"kv/data/app#list":       "vault.field_not_text",
		"kv/data/app#map":        "vault.field_not_text",
		"kv/data/app#null":       "vault.field_not_text",
		"kv/data/app#nul":        "vault.field_not_text",
		"kv/data/closed#key":     "vault.forbidden",
	} {
		values, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("BAD", reference), ref("GOOD", "kv/data/app#empty")})
		coretest.WantFault(t, err, fault.Conflict, code, reference+": ")
		if _, found := values["BAD"]; found || len(values) != 1 {
			t.Errorf("%s gave %d values", reference, len(values))
		}
	}
}

// V4: what a reference may not be never reaches the server.
func TestBadReferencesAreNotAskedFor(t *testing.T) {
	r := newRoom(t, "kv")
	for reference, code := range map[string]string{
		"kv/data/../../sys/seal#key": "secret.bad_reference",
		"kv/data/a//b#key":           "secret.bad_reference",
		"/kv/data/a#key":             "secret.bad_reference",
		"kv/metadata/a#key":          "secret.bad_reference",
		"kv/data/a":                  "secret.bad_reference",
		"other/data/app#key":         "vault.mount_refused",
		"kv/x/data/app#key":          "vault.mount_refused",
		"kvx/data/app#key":           "vault.mount_refused",
	} {
		_, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", reference)})
		coretest.WantFault(t, err, fault.Conflict, code)
	}
	if asked := r.server.Asked(); len(asked) != 0 {
		t.Errorf("the server was asked %v", asked)
	}
}

func TestAllowedMountMayHaveSlashes(t *testing.T) {
	for _, allowed := range []string{"team/kv", "team/kv/", "/team/kv/"} {
		r := newRoom(t, allowed)
		r.server.Mount("team/kv", vaultstand.Mount{Type: "kv", Version: "2"})
		r.server.Put("team/kv", "app", map[string]any{"key": "canary-team"})
		if values, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", "team/kv/data/app#key")}); err != nil || values["A"].Reveal() != "canary-team" {
			t.Errorf("allowed %q: %v", allowed, err)
		}
		_, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", "kv/data/app#key")})
		coretest.WantFault(t, err, fault.Conflict, "vault.mount_refused", "kv/data/app#key: outside team/kv")
	}
}

// A secret is read once however many of its fields are named.
func TestOnePathIsReadOnce(t *testing.T) {
	r := newRoom(t, "")
	fields := map[string]any{}
	var refs []secrets.Ref
	for i := range 50 {
		fields[fmt.Sprint("f", i)] = "canary"
		refs = append(refs, ref(fmt.Sprint("V", i), fmt.Sprint("kv/data/app#f", i)))
	}
	r.server.Put("kv", "app", fields)
	values, err := r.client.Resolve(t.Context(), refs)
	if err != nil || len(values) != 50 {
		t.Fatalf("%d values, %v", len(values), err)
	}
	reads := slices.DeleteFunc(r.server.Asked(), func(asked string) bool { return !strings.HasPrefix(asked, "GET ") })
	if !slices.Equal(reads, []string{"GET /v1/kv/data/app"}) {
		t.Errorf("the server was asked %v", reads)
	}
}

// Hundred paths cost as many rounds as 8 at a time need, not a hundred.
func TestPathsAreReadTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := vaultstand.New()
		server.Issue(token, vaultstand.Token{})
		server.Latency = 100 * time.Millisecond
		pipe, end := faultyhttp.Serve(server)
		defer end()
		client := newClient(t, "http://vault.test:8200", "", outbound.Options{Dial: pipe.Dial})
		defer client.Close()
		var refs []secrets.Ref
		for i := range 100 {
			server.Put("kv", fmt.Sprint("app", i), map[string]any{"key": "canary"})
			refs = append(refs, ref(fmt.Sprint("V", i), fmt.Sprintf("kv/data/app%d#key", i)))
		}
		began := time.Now()
		if values, err := client.Resolve(t.Context(), refs); err != nil || len(values) != 100 {
			t.Fatalf("%d values, %v", len(values), err)
		}
		if took := time.Since(began); took < 1300*time.Millisecond || took > 1400*time.Millisecond {
			t.Errorf("it took %v; 100 paths by 8 are 13 rounds", took)
		}
	})
}

// Many problems are one message of a length that can be read.
func TestManyProblemsAreOneMessage(t *testing.T) {
	r := newRoom(t, "")
	var refs []secrets.Ref
	for i := range 40 {
		refs = append(refs, ref(fmt.Sprint("V", i), fmt.Sprintf("kv/data/none%02d#key", i)))
	}
	_, err := r.client.Resolve(t.Context(), refs)
	coretest.WantFault(t, err, fault.Conflict, "vault.path_missing", "kv/data/none00#key", "kv/data/none09#key", "and 30 more")
}
