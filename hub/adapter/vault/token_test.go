package vault_test

import (
	"net/http"
	"os"
	"slices"
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

const renewal = "PUT /v1/auth/token/renew-self"

// V5: what is refused is asked for again once, after the token was renewed.
func TestTokenIsRenewedOnceWhenItIsRefused(t *testing.T) {
	r := newRoom(t, "")
	r.server.Put("kv", "app", map[string]any{"key": "canary-value"})
	refs := []secrets.Ref{ref("A", "kv/data/app#key")}
	if _, err := r.client.Resolve(t.Context(), refs); err != nil {
		t.Fatal(err)
	}
	r.server.Asked()

	r.server.Once("GET /v1/kv/", faultyhttp.Status(403, `{"errors":["permission denied"]}`))
	if values, err := r.client.Resolve(t.Context(), refs); err != nil || values["A"].Reveal() != "canary-value" {
		t.Errorf("after a renewal: %v", err)
	}
	want := []string{"GET /v1/kv/data/app", renewal, "GET /v1/kv/data/app"}
	if asked := r.server.Asked(); !slices.Equal(asked, want) {
		t.Errorf("the server was asked %v", asked)
	}

	r.server.Always("GET /v1/kv/", faultyhttp.Status(403, `{"errors":["permission denied"]}`))
	_, err := r.client.Resolve(t.Context(), refs)
	coretest.WantFault(t, err, fault.Conflict, "vault.forbidden", "kv/data/app#key", "read on kv/data/app")
	if asked := r.server.Asked(); !slices.Equal(asked, want) {
		t.Errorf("the server was asked %v", asked)
	}
}

func TestEndedTokenIsTold(t *testing.T) {
	r := newRoom(t, "kv")
	r.server.Put("kv", "app", map[string]any{"key": "canary-value"})
	r.server.Put("kv", "other", map[string]any{"key": "canary-value"})
	refs := []secrets.Ref{ref("A", "kv/data/app#key"), ref("B", "kv/data/other#key")}
	if _, err := r.client.Resolve(t.Context(), refs); err != nil {
		t.Fatal(err)
	}
	r.server.Change(token, func(t *vaultstand.Token) { t.Ended = true })
	_, err := r.client.Resolve(t.Context(), refs)
	coretest.WantFault(t, err, fault.Conflict, "vault.token_invalid", "expired or was revoked")
	coretest.WantFault(t, r.client.Test(t.Context()), fault.Conflict, "vault.token_invalid")
	r.server.Heal()
	r.server.Always("", faultyhttp.Status(401, `canary`))
	_, err = r.client.Resolve(t.Context(), refs)
	coretest.WantFault(t, err, fault.Conflict, "vault.token_invalid")
}

// A token with an end is renewed when half of its time has passed, without anybody waiting for it.
func TestTokenIsRenewedInTime(t *testing.T) {
	for name, c := range map[string]struct {
		token vaultstand.Token
		want  int // renewals asked for in a day of questions each quarter of an hour
	}{
		"of an hour":            {vaultstand.Token{TTL: time.Hour, Renewable: true}, 48},
		"without an end":        {vaultstand.Token{Renewable: true}, 24},
		"that is not renewable": {vaultstand.Token{TTL: 48 * time.Hour}, 24},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := vaultstand.New()
				server.Issue(token, c.token)
				server.Put("kv", "app", map[string]any{"key": "canary-value"})
				pipe, end := faultyhttp.Serve(server)
				defer end()
				client := newClient(t, "http://vault.test:8200", "", outbound.Options{Dial: pipe.Dial})
				defer client.Close()
				for range 96 {
					if _, err := client.Resolve(t.Context(), []secrets.Ref{ref("A", "kv/data/app#key")}); err != nil {
						t.Fatal(err)
					}
					time.Sleep(15 * time.Minute)
				}
				renewals := slices.DeleteFunc(server.Asked(), func(asked string) bool { return asked != renewal })
				if len(renewals) != c.want {
					t.Errorf("%d renewals were asked for, want %d", len(renewals), c.want)
				}
			})
		})
	}
}

// No variable of the process tells the library anything.
func TestEnvironmentDoesNotMatter(t *testing.T) {
	r := newRoom(t, "")
	r.server.Put("kv", "app", map[string]any{"key": "canary-value"})
	for name, value := range map[string]string{
		"VAULT_ADDR": "http://127.0.0.1:1", "VAULT_AGENT_ADDR": "http://127.0.0.1:1", "VAULT_TOKEN": "other", "VAULT_NAMESPACE": "other", "VAULT_CACERT": "/none",
		"VAULT_MAX_RETRIES": "many", "VAULT_CLIENT_TIMEOUT": "soon", "VAULT_HEADERS": "{", "VAULT_HTTP_PROXY": "http://127.0.0.1:1", "VAULT_PROXY_ADDR": "http://127.0.0.1:1",
		"VAULT_WRAP_TTL": "1h", "VAULT_RATE_LIMIT": "x", "VAULT_SKIP_VERIFY": "perhaps", "VAULT_SRV_LOOKUP": "true", "VAULT_DISABLE_REDIRECTS": "x",
	} {
		t.Setenv(name, value)
	}
	var header []string
	r.server.Always("GET /v1/kv/", func(w http.ResponseWriter, q *http.Request) {
		header = append(header, q.Header.Get("X-Vault-Token"), q.Header.Get("X-Vault-Namespace"), q.Header.Get("X-Vault-Wrap-TTL"))
		r.server.Handler.ServeHTTP(w, q)
	})
	values, err := newClient(t, r.http.URL, "", patient).Resolve(t.Context(), []secrets.Ref{ref("A", "kv/data/app#key")})
	if err != nil || values["A"].Reveal() != "canary-value" {
		t.Errorf("%v", err)
	}
	if !slices.Equal(header, []string{token, "", ""}) {
		t.Errorf("token, namespace and wrapping were %q", header)
	}
	if os.Getenv("VAULT_ADDR") != "http://127.0.0.1:1" || os.Getenv("VAULT_TOKEN") != "other" {
		t.Error("the variables of the process are not what they were")
	}
}
