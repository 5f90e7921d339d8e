// Package oidc asks an OpenID Connect provider who somebody is: authorization code flow with PKCE.
//
// It implements identity.Provider. It owns discovery, the exchange of codes and all checks of ID tokens that OpenID
// Connect Core 1.0, section 3.1.3.7 demands; it must not know sessions, stores or what a role may do. What a provider
// writes never gets into a fault, redirects are not followed, and the size of an answer is not the provider's to choose.
//
// Start reading at New; discovery.go finds out where to ask, claims.go judges tokens, options.go has what the configuration says.
package oidc
