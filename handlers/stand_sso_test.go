package handlers_test

import (
	"context"
	"net/url"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
)

const providerIssuer = "https://id.example.org/realms/staff"

// fakeProvider says who somebody is by the code that they bring: people has them by code.
type fakeProvider struct {
	err    error
	people map[string]identity.ProviderIdentity
	trips  map[string]identity.ProviderTrip // by state
}

// AuthorizationURL implements identity.Provider.
func (f *fakeProvider) AuthorizationURL(_ context.Context, t identity.ProviderTrip) (string, error) {
	f.trips[t.State] = t
	return "https://id.example.org/authorize?" + url.Values{"state": {t.State}, "redirect_uri": {t.Callback}}.Encode(), f.err
}

// Exchange implements identity.Provider.
func (f *fakeProvider) Exchange(_ context.Context, t identity.ProviderTrip, code string) (identity.ProviderIdentity, error) {
	said, known := f.people[code]
	if f.err == nil && (!known || f.trips[t.State] != t) {
		return said, fault.New(fault.Conflict, "oidc.exchange", "no")
	}
	return said, f.err
}

// signOn is the real use cases on the stand's store, with a provider in memory.
func (s *stand) signOn() *identity.SSO {
	person := func(subject string, groups ...string) identity.ProviderIdentity {
		return identity.ProviderIdentity{Issuer: providerIssuer, Subject: subject, Email: subject + "@staff.example.org", EmailVerified: true, Name: subject, Claims: groups}
	}
	s.provider = &fakeProvider{trips: map[string]identity.ProviderTrip{}, people: map[string]identity.ProviderIdentity{
		"dora": person("dora", "devs"), "olga": person("olga", "ops"), "nina": person("nina")}}
	return identity.NewSSO(identity.SSOOptions{Provider: s.provider, Issuer: providerIssuer, Name: "Staff", App: origin,
		Roles: identity.RoleMap{"devs": access.RoleOperator, "ops": access.RoleAdmin}}, s.store, s.signIn)
}
