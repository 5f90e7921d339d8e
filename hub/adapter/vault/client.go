package vault

import (
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/vault/api"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
)

// Settings are what a person configured.
type Settings struct {
	Address      string        // https://host:port
	Token        secrets.Value // of a policy that may read what variables name
	AllowedMount string        // the one mount that is touched; empty: every one that the token may read
}

// Client reads from one server with one token. It is safe for concurrent use.
type Client struct {
	service *outbound.Service
	api     *api.Client
	allowed string // the allowed mount, without slashes at its ends

	mu     sync.Mutex
	renews time.Time // when the token is to be renewed next, at the first question after
}

var codes = outbound.Codes{
	Address: "vault.address", Unreachable: "vault.unreachable", Untrusted: "vault.untrusted", Slow: "vault.slow", TooLarge: "vault.too_large",
	Malformed: "vault.malformed", Redirected: "vault.redirected", Busy: "vault.busy", Failed: "vault.failed",
}

// New returns a Client; it asks nobody. Conflict "vault.address", "vault.token_invalid".
func New(s Settings, o outbound.Options) (*Client, error) {
	service, err := outbound.New("Vault", s.Address, codes, o)
	if err != nil {
		return nil, err
	}
	if token := s.Token.Reveal(); token == "" || strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, errToken
	}
	made, err := withoutEnvironment(&api.Config{Address: service.Address, HttpClient: service.Client(), DisableRedirects: true})
	if err != nil {
		return nil, fault.New(fault.Conflict, "vault.address", "no client can be made for the configured address of Vault; correct it under Settings, Integrations")
	}
	made.SetToken(s.Token.Reveal())
	made.SetWrappingLookupFunc(func(string, string) string { return "" }) // the default one reads the environment
	return &Client{service: service, api: made, allowed: strings.Trim(s.AllowedMount, "/")}, nil
}

// Close frees the connections that are kept.
func (c *Client) Close() { c.service.Close() }

// Name returns secrets.Vault.
func (*Client) Name() string { return secrets.Vault }

var environment sync.Mutex // held while the variables are away

// withoutEnvironment makes the library's client while the process has no variable of the library's: it
// reads them whatever it is told, and fails when it does not like one.
func withoutEnvironment(config *api.Config) (*api.Client, error) {
	environment.Lock()
	defer environment.Unlock()
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "VAULT_") {
			_ = os.Unsetenv(name) // fails for names that no variable has
			defer os.Setenv(name, value)
		}
	}
	return api.NewClient(config)
}
