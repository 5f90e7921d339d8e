package oidc

import (
	"errors"
	"strings"
	"time"

	"berth/core/fault"
	"berth/core/identity"

	coreos "github.com/coreos/go-oidc/v3/oidc"
)

// clockDrift is how far the provider's clock may be off, and maxSubject how long a subject may be, in characters (OpenID
// Connect Core 1.0, section 2).
const (
	clockDrift = 2 * time.Minute
	maxSubject = 255
)

type claims struct {
	Party         string `json:"azp"`
	Email         string `json:"email"`
	EmailVerified bool   `json:"email_verified"`
	Name          string `json:"name"`
}

// judge checks what the library leaves to its callers: nonce, authorised party, subject and when the token was made.
func (p *Provider) judge(token *coreos.IDToken, nonce string) (identity.ProviderIdentity, error) {
	var said claims
	var all map[string]any
	if token.Claims(&said) != nil || token.Claims(&all) != nil {
		return identity.ProviderIdentity{}, badToken("its claims cannot be read")
	}
	now := p.options.Now()
	switch {
	case nonce == "" || token.Nonce != nonce:
		return identity.ProviderIdentity{}, badToken("it was made for another sign-in (nonce)")
	case said.Party != "" && said.Party != p.options.ClientID, said.Party == "" && len(token.Audience) > 1:
		return identity.ProviderIdentity{}, badToken("it was made for another application (azp)")
	case token.Subject == "" || len(token.Subject) > maxSubject:
		return identity.ProviderIdentity{}, badToken("it does not say whom it is about (sub)")
	case all["iat"] == nil || token.IssuedAt.After(now.Add(clockDrift)):
		return identity.ProviderIdentity{}, badToken("it was made in the future, or does not say when; compare the clocks of both servers (iat)")
	}
	return identity.ProviderIdentity{Issuer: p.options.Issuer, Subject: token.Subject, Email: identity.NormalEmail(said.Email),
		EmailVerified: said.EmailVerified, Name: said.Name, Claims: valuesAt(all, p.options.RoleClaim)}, nil
}

// valuesAt returns the texts of a claim: one, or those of a list. A claim of the whole name goes before a path.
func valuesAt(claims map[string]any, name string) []string {
	if name == "" {
		return nil
	}
	found, whole := claims[name]
	if head, rest, deeper := strings.Cut(name, "."); !whole && deeper {
		inner, _ := claims[head].(map[string]any)
		return valuesAt(inner, rest)
	}
	if text, single := found.(string); single {
		return []string{text}
	}
	list, _ := found.([]any)
	var values []string
	for _, item := range list {
		if text, ok := item.(string); ok {
			values = append(values, text)
		}
	}
	return values
}

// unverified is the fault for a token that the library refused; keys is why there were none to check it with.
func unverified(err, keys error) error {
	var expired *coreos.TokenExpiredError
	switch {
	case errors.As(err, &expired):
		return badToken("it has expired; compare the clocks of both servers")
	case isTransport(keys):
		return awayFor(keys)
	}
	return badToken("its signature, issuer, audience or time does not fit")
}

func badToken(why string) error {
	return fault.New(fault.Unauthenticated, "oidc.token", "The single sign-on provider's ID token is refused: %s. Nobody was signed in.", why)
}
