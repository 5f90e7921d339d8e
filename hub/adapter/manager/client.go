package manager

import (
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
)

// Settings are what a person configured.
type Settings struct {
	SiteURL        string        // https://host
	ClientID       string        // of the machine identity
	ClientSecret   secrets.Value // of the machine identity
	AllowedProject string        // ID of the one project that is touched; empty: every one that the identity may read
}

// Client reads from one server as one identity. It is safe for concurrent use.
type Client struct {
	service  *outbound.Service
	settings Settings
	session  session
	listing  route // of secrets
	projects route
}

var codes = outbound.Codes{
	Address: "manager.address", Unreachable: "manager.unreachable", Untrusted: "manager.untrusted", Slow: "manager.slow", TooLarge: "manager.too_large",
	Malformed: "manager.malformed", Redirected: "manager.redirected", Busy: "manager.busy", Failed: "manager.failed",
}

// New returns a Client; it asks nobody. Conflict "manager.address", "manager.credential_refused".
func New(s Settings, o outbound.Options) (*Client, error) {
	service, err := outbound.New("the secrets manager", s.SiteURL, codes, o)
	if err != nil {
		return nil, err
	}
	if s.ClientID == "" || s.ClientSecret.Empty() {
		return nil, errCredential
	}
	return &Client{service: service, settings: s, session: newSession(),
		listing:  route{paths: []string{"/api/v4/secrets", "/api/v3/secrets/raw"}},
		projects: route{paths: []string{"/api/v1/projects", "/api/v1/workspace"}},
	}, nil
}

// Close frees the connections that are kept.
func (c *Client) Close() { c.service.Close() }

// Name returns secrets.Manager.
func (*Client) Name() string { return secrets.Manager }
