package vault_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"berth/core/coretest"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
	"berth/hub/adapter/vault"
	"berth/local/stand/vaultstand"
)

const token = "hvs.canary-token"

// room is a stand-in with a client of it.
type room struct {
	*testing.T
	server *vaultstand.Server
	http   *httptest.Server
	client *vault.Client
}

// patient waits for a server of this machine as long as it takes; the real limit is tried where time is not real.
var patient = outbound.Options{Limit: 2 * time.Minute}

// newRoom serves a stand-in; allowed is the allowed mount.
func newRoom(t *testing.T, allowed string) room {
	t.Helper()
	server := vaultstand.New()
	server.Issue(token, vaultstand.Token{TTL: time.Hour, Renewable: true})
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	return room{t, server, listening, newClient(t, listening.URL, allowed, patient)}
}

func newClient(t *testing.T, address, allowed string, o outbound.Options) *vault.Client {
	t.Helper()
	client, err := vault.New(vault.Settings{Address: address, Token: secrets.NewValue(token), AllowedMount: allowed}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func ref(variable, reference string) secrets.Ref {
	return secrets.Ref{Variable: variable, Provider: secrets.Vault, Reference: reference}
}

func TestContract(t *testing.T) {
	coretest.SecretProvider(t, func(t *testing.T) coretest.SecretShelf {
		r := newRoom(t, "")
		return coretest.SecretShelf{
			Provider: r.client,
			Put: func(_ *testing.T, name, value string) string {
				r.server.Put("kv", "canary/"+name, map[string]any{"key": value, "other": "canary-other"})
				return "kv/data/canary/" + name + "#key"
			},
			Missing: func(*testing.T) string { return "kv/data/none#key" },
			Break:   func(*testing.T) { r.http.Close() },
		}
	})
}
