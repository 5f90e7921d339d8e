//go:build realvault

package vault_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/secrets"
	"berth/hub/adapter/vault"
	"berth/local/stand/realvault"
)

// realRoom is a real server with a store at kv and one at team/kv, and a client of its own token.
type realRoom struct {
	*realvault.Server
	client *vault.Client
}

// reader is the policy that the documentation gives to tokens of Berth.
const reader = `
path "kv/data/*" { capabilities = ["read"] }
path "kv/metadata/*" { capabilities = ["list"] }
path "team/kv/data/*" { capabilities = ["read"] }
path "team/kv/metadata/*" { capabilities = ["list"] }
path "kv/data/closed" { capabilities = ["deny"] }`

func realServer(t *testing.T) *realvault.Server {
	t.Helper()
	server := realvault.Start(t)
	for _, mount := range []string{"kv", "team/kv"} {
		server.Must(t, http.MethodPost, "sys/mounts/"+mount, map[string]any{"type": "kv", "options": map[string]string{"version": "2"}})
	}
	server.Must(t, http.MethodPost, "sys/mounts/old", map[string]any{"type": "kv", "options": map[string]string{"version": "1"}})
	return server
}

// with makes a client with a token of the policy.
func (r realRoom) with(t *testing.T, allowed, policy string, options map[string]any) realRoom {
	t.Helper()
	client, err := vault.New(vault.Settings{Address: r.URL, Token: secrets.NewValue(r.Token(t, policy, options)), AllowedMount: allowed}, patient)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return realRoom{r.Server, client}
}

// put stores a secret; a mount that was just made may upgrade itself for a moment.
func (r realRoom) put(t *testing.T, mount, path string, fields map[string]any) {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		answer, err := r.Ask(http.MethodPost, mount+"/data/"+path, map[string]any{"data": fields})
		if err == nil && answer.Status < 300 {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("put %s/%s: %d %v, %v", mount, path, answer.Status, answer.Errors, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func TestRealVaultPassesTheContract(t *testing.T) {
	server := realServer(t)
	coretest.SecretProvider(t, func(t *testing.T) coretest.SecretShelf {
		r := realRoom{Server: server}.with(t, "", reader, nil)
		folder := strings.NewReplacer("/", "-", " ", "-").Replace(t.Name())
		return coretest.SecretShelf{
			Provider: r.client,
			Put: func(t *testing.T, name, value string) string {
				r.put(t, "kv", folder+"/"+name, map[string]any{"key": value})
				return "kv/data/" + folder + "/" + name + "#key"
			},
			Missing: func(*testing.T) string { return "kv/data/" + folder + "/none#key" },
			Break:   func(t *testing.T) { r.Must(t, http.MethodPut, "sys/seal", nil); t.Cleanup(func() { r.Unseal(t) }) },
		}
	})
}

// What the stand-in is believed to say, the real server says.
func TestRealVaultRefusesByRule(t *testing.T) {
	r := realRoom{Server: realServer(t)}.with(t, "", reader, nil)
	r.put(t, "kv", "app", map[string]any{"key": "canary-value", "number": 7, "list": []string{"canary"}, "null": nil, "a #b/c": "canary-odd"})
	r.put(t, "kv", "odd ?x=1&y/%2e%2e/ä", map[string]any{"key": "canary-path"})
	r.put(t, "team/kv", "app", map[string]any{"key": "canary-team"})
	for _, path := range []string{"gone", "burnt", "closed"} {
		r.put(t, "kv", path, map[string]any{"key": "canary"})
	}
	r.Must(t, http.MethodDelete, "kv/data/gone", nil)
	r.Must(t, http.MethodPut, "kv/destroy/burnt", map[string]any{"versions": []int{1}})
	for reference, want := range map[string]string{
		"kv/data/app#key": "canary-value", "kv/data/app#a #b/c": "canary-odd", "team/kv/data/app#key": "canary-team", "kv/data/odd ?x=1&y/%2e%2e/ä#key": "canary-path",
	} {
		values, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("A", reference)})
		if err != nil || values["A"].Reveal() != want {
			t.Errorf("%s gave %q, %v", reference, values["A"].Reveal(), err)
		}
	}
	for reference, code := range map[string]string{
		"kv/data/none#key":   "vault.path_missing",
		"kv/data/gone#key":   "vault.version_deleted",
		"kv/data/burnt#key":  "vault.version_destroyed",
		"kv/data/app#none":   "vault.field_missing",
		"kv/data/app#number": "vault.field_not_text",
		"kv/data/app#list":   "vault.field_not_text",
		"kv/data/app#null":   "vault.field_not_text",
		"kv/data/closed#key": "vault.forbidden",
		"none/data/app#key":  "vault.forbidden", // nobody is told what is not mounted
	} {
		values, err := r.client.Resolve(t.Context(), []secrets.Ref{ref("BAD", reference), ref("GOOD", "kv/data/app#key")})
		coretest.WantFault(t, err, fault.Conflict, code, reference+": ")
		if len(values) != 1 {
			t.Errorf("%s gave %d values", reference, len(values))
		}
	}
	everything := r.with(t, "", `path "*" { capabilities = ["read", "list"] }`, nil)
	for reference, code := range map[string]string{"none/data/app#key": "vault.mount_missing", "old/data/app#key": "vault.path_missing"} {
		_, err := everything.client.Resolve(t.Context(), []secrets.Ref{ref("A", reference)})
		coretest.WantFault(t, err, fault.Conflict, code)
	}
}

func TestRealVaultPicker(t *testing.T) {
	server := realServer(t)
	r := realRoom{Server: server}.with(t, "", reader, nil)
	r.put(t, "kv", "shop", map[string]any{"name": "canary"})
	r.put(t, "kv", "shop/db", map[string]any{"password": "canary", "port": 5432, "user": "canary"})
	r.put(t, "team/kv", "app", map[string]any{"key": "canary"})
	for _, c := range []struct {
		step integrations.Step
		want []integrations.Choice
	}{
		{integrations.Step{Kind: integrations.StepMounts}, []integrations.Choice{same("kv"), same("team/kv")}},
		{integrations.Step{Kind: integrations.StepPaths, Mount: "kv"}, []integrations.Choice{same("shop"), {ID: "shop", Name: "shop", Folder: true}}},
		{integrations.Step{Kind: integrations.StepPaths, Mount: "kv", Path: "shop"}, []integrations.Choice{{ID: "shop/db", Name: "db"}}},
		{integrations.Step{Kind: integrations.StepPaths, Mount: "kv", Path: "none"}, nil},
		{integrations.Step{Kind: integrations.StepFields, Mount: "kv", Path: "shop/db"}, []integrations.Choice{same("password"), same("user")}},
	} {
		got, err := r.client.Pick(t.Context(), c.step)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v gave %+v, %v; want %+v", c.step, got, err, c.want)
		}
	}
	for allowed, code := range map[string]string{"": "", "kv": "", "team/kv": "", "old": "vault.mount_missing", "none": "vault.mount_missing"} {
		if err := r.with(t, allowed, reader, nil).client.Test(t.Context()); code == "" && err != nil {
			t.Errorf("allowed %q: %v", allowed, err)
		} else if code != "" {
			coretest.WantFault(t, err, fault.Conflict, code)
		}
	}
	coretest.WantFault(t, r.with(t, "old", `path "*" { capabilities = ["read", "list"] }`, nil).client.Test(t.Context()), fault.Conflict, "vault.mount_kind")
}

// V1, V5: a sealed server, and tokens that end.
func TestRealVaultSealedAndTokens(t *testing.T) {
	server := realServer(t)
	r := realRoom{Server: server}.with(t, "kv", reader, nil)
	r.put(t, "kv", "app", map[string]any{"key": "canary-value"})
	refs := []secrets.Ref{ref("A", "kv/data/app#key")}
	resolves := func(r realRoom) error {
		_, err := r.client.Resolve(t.Context(), refs)
		return err
	}
	if err := resolves(r); err != nil {
		t.Fatal(err)
	}
	r.Must(t, http.MethodPut, "sys/seal", nil)
	coretest.WantFault(t, resolves(r), fault.Unavailable, "vault.sealed", "unseal it")
	coretest.WantFault(t, r.client.Test(t.Context()), fault.Unavailable, "vault.sealed")
	r.Unseal(t)
	if err := resolves(r); err != nil {
		t.Errorf("after it was unsealed: %v", err)
	}
	for name, options := range map[string]map[string]any{
		"renewable, of 2 seconds": {"ttl": "2s", "explicit_max_ttl": "2s"}, "not renewable": {"ttl": "2s", "renewable": false}, "for 3 questions": {"num_uses": 3},
	} {
		short := r.with(t, "kv", reader, options)
		if err := resolves(short); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var err error
		for deadline := time.After(time.Minute); err == nil; {
			select {
			case <-deadline:
				t.Fatalf("%s: the token never ended", name)
			case <-time.After(100 * time.Millisecond):
				err = resolves(short)
			}
		}
		coretest.WantFault(t, err, fault.Conflict, "vault.token_invalid")
		coretest.WantFault(t, short.client.Test(t.Context()), fault.Conflict, "vault.token_invalid")
	}
	lasting := r.with(t, "kv", reader, map[string]any{"period": "10s"})
	for began := time.Now(); time.Since(began) < 25*time.Second; <-time.After(200 * time.Millisecond) {
		if err := resolves(lasting); err != nil {
			t.Fatalf("a token that is renewed in time, after %v: %v", time.Since(began), err)
		}
	}
}

// How long a hundred references take on a real server, for the report of whoever runs it.
func TestRealVaultHundredReferences(t *testing.T) {
	r := realRoom{Server: realServer(t)}.with(t, "", reader, nil)
	var refs []secrets.Ref
	for i := range 100 {
		r.put(t, "kv", fmt.Sprint("app", i), map[string]any{"key": fmt.Sprint("canary-", i)})
		refs = append(refs, ref(fmt.Sprint("V", i), fmt.Sprintf("kv/data/app%d#key", i)))
	}
	for _, how := range []string{"cold", "warm"} {
		began := time.Now()
		if values, err := r.client.Resolve(t.Context(), refs); err != nil || len(values) != 100 {
			t.Fatalf("%d values, %v", len(values), err)
		}
		t.Logf("100 references of 100 paths, %s: %v", how, time.Since(began).Round(100*time.Microsecond))
	}
}
