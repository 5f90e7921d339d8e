package oidc

import (
	"context"
	"errors"
	"net/http"
	"time"

	"berth/core/fault"
	"berth/core/identity"
	"berth/hub/adapter/outbound"

	coreos "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// algorithms are those that ID tokens may be signed with: a key that only the provider has. "none" and those where the
// client's own secret is the key are not among them.
var algorithms = []string{coreos.RS256, coreos.RS384, coreos.RS512, coreos.PS256, coreos.PS384, coreos.PS512,
	coreos.ES256, coreos.ES384, coreos.ES512, coreos.EdDSA}

// Options say which provider it is, and how this server is known there.
type Options struct {
	Issuer, ClientID, ClientSecret string

	Scopes    []string // "openid" among them
	RoleClaim string   // empty: none; dots lead into objects
	Now       func() time.Time
	Outbound  outbound.Options // how it is reached
}

// Provider is one provider. It is asked first when somebody signs in: one that is away stops no server.
type Provider struct {
	options Options       // set once
	client  *http.Client  // set once
	turn    chan struct{} // whoever put into it owns last
	last    discovery
}

// New returns a Provider. It asks nothing.
func New(o Options) *Provider {
	client := outbound.NewClient(o.Outbound)
	client.Transport = asked{client.Transport}
	return &Provider{options: o, client: client, turn: make(chan struct{}, 1)}
}

func (p *Provider) with(ctx context.Context) context.Context {
	return coreos.ClientContext(ctx, p.client)
}

func (p *Provider) at(known *coreos.Provider, callback string) *oauth2.Config {
	return &oauth2.Config{ClientID: p.options.ClientID, ClientSecret: p.options.ClientSecret, Endpoint: known.Endpoint(),
		RedirectURL: callback, Scopes: p.options.Scopes}
}

// AuthorizationURL implements identity.Provider.
func (p *Provider) AuthorizationURL(ctx context.Context, t identity.ProviderTrip) (string, error) {
	known, err := p.discovered(ctx)
	if err != nil {
		return "", err
	}
	return p.at(known, t.Callback).AuthCodeURL(t.State, oauth2.S256ChallengeOption(t.Verifier), coreos.Nonce(t.Nonce)), nil
}

// Exchange implements identity.Provider.
func (p *Provider) Exchange(ctx context.Context, t identity.ProviderTrip, code string) (identity.ProviderIdentity, error) {
	known, err := p.discovered(ctx)
	if err != nil {
		return identity.ProviderIdentity{}, err
	}
	token, err := p.at(known, t.Callback).Exchange(p.with(ctx), code, oauth2.VerifierOption(t.Verifier))
	if err != nil {
		return identity.ProviderIdentity{}, unexchanged(err)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return identity.ProviderIdentity{}, badToken("the answer has no ID token; check that OIDC_SCOPES has openid")
	}
	keys := &keysAsked{KeySet: coreos.NewRemoteKeySet(p.with(context.WithoutCancel(ctx)), keysOf(known))}
	verifier := coreos.NewVerifier(p.options.Issuer, keys, &coreos.Config{ClientID: p.options.ClientID, SupportedSigningAlgs: algorithms, Now: p.options.Now})
	verified, err := verifier.Verify(p.with(ctx), raw)
	if err != nil {
		return identity.ProviderIdentity{}, unverified(err, keys.err)
	}
	return p.judge(verified, t.Nonce)
}

// unexchanged is the fault for a code that brought no token.
func unexchanged(err error) error {
	var answer *oauth2.RetrieveError
	switch {
	case errors.As(err, &answer) && answer.Response.StatusCode >= http.StatusInternalServerError, isTransport(err):
		return awayFor(err)
	case errors.As(err, &answer) && answer.ErrorCode == "invalid_client":
		return fault.New(fault.Conflict, "oidc.exchange", "The single sign-on provider does not know this server: OIDC_CLIENT_ID or OIDC_CLIENT_SECRET is wrong. Nobody was signed in.")
	}
	return fault.New(fault.Conflict, "oidc.exchange", "The single sign-on provider gave nothing for this sign-in: its code has expired or was used, or another callback address is registered there. Nobody was signed in. Begin again at the sign-in page.")
}
