package identity

import "context"

// Provider is where people sign in elsewhere: an OpenID Connect provider. Whatever it returns was verified.
type Provider interface {
	// AuthorizationURL returns where a browser is sent. Unavailable "oidc.away", Conflict "oidc.malformed".
	AuthorizationURL(ctx context.Context, trip ProviderTrip) (string, error)
	// Exchange turns the code that a browser brought back into who the person is. Unavailable "oidc.away", Conflict
	// "oidc.malformed", "oidc.exchange", Unauthenticated "oidc.token".
	Exchange(ctx context.Context, trip ProviderTrip, code string) (ProviderIdentity, error)
}

// ProviderTrip is one person's way to the provider and back.
type ProviderTrip struct {
	State    string
	Nonce    string // which the ID token repeats
	Verifier string // of PKCE (RFC 7636): 43 characters
	Callback string // where the browser comes back to
}

// ProviderIdentity is who the provider says that somebody is.
type ProviderIdentity struct {
	Issuer        string
	Subject       string // with the issuer, what never changes about the person
	Email         string // normalised; empty: not told
	EmailVerified bool
	Name          string
	Claims        []string // values of the claim that says roles
}
