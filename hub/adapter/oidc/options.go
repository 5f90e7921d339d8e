package oidc

import (
	"berth/core"
	"berth/core/config"
	"berth/core/identity"
	"berth/hub/adapter/outbound"
)

// SignOn is what the configuration says of single sign-on; without a provider when it says nothing.
func SignOn(c config.OIDC, app string, now core.Clock) identity.SSOOptions {
	if c.Issuer == "" {
		return identity.SSOOptions{}
	}
	provider := New(Options{Issuer: c.Issuer, ClientID: c.ClientID, ClientSecret: c.Secret.Reveal(), Scopes: c.Scopes, RoleClaim: c.RoleClaim, Now: now,
		Outbound: outbound.Options{Where: "in OIDC_ISSUER"}})
	return identity.SSOOptions{Provider: provider, Issuer: c.Issuer, Name: c.Name, Roles: c.Roles, App: app}
}
