package vault

import (
	"net/http"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
)

// Whatever a server answers, a value is a text that the answer holds, and no message shows any of it.
func FuzzAnswers(f *testing.F) {
	f.Add(200, `{"data":{"data":{"key":"canary-value","n":1},"metadata":{"version":1}}}`)
	f.Add(404, `{"data":{"data":null,"metadata":{"deletion_time":"2026-01-01T00:00:00Z","destroyed":true}}}`)
	f.Add(403, `{"errors":["canary: permission denied","invalid token"]}`)
	f.Add(503, `{"errors":["Vault is sealed"]}`)
	f.Add(200, `{"data":{"data":{"key":{"a":["canary"]}}}}`)
	f.Add(307, ``)
	client, err := New(Settings{Address: "https://vault.test", Token: secrets.NewValue("token")}, outbound.Options{})
	if err != nil {
		f.Fatal(err)
	}
	asked := secrets.VaultReference{Mount: "kv", Path: "app", Field: "key"}
	f.Fuzz(func(t *testing.T, status int, body string) {
		answer, err := client.judge(status, http.Header{}, []byte(body))
		if err == nil {
			var got secret
			if got, err = client.understand(answer); err == nil {
				value, problem := got.value(asked)
				if problem == nil && (status != http.StatusOK && status != http.StatusNotFound || strings.ContainsRune(value.Reveal(), 0)) {
					t.Fatalf("%d %q gave a value", status, body)
				}
				if problem != nil {
					err = problem
				}
			}
		}
		if err == nil {
			return
		}
		if fault.CodeOf(err) == "internal.error" {
			t.Fatalf("%d %q is no fault: %v", status, body, err)
		}
		if strings.Contains(body, "canary") && strings.Contains(err.Error(), "canary") {
			t.Fatalf("%v shows what the server said", err)
		}
	})
}
