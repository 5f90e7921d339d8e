package handlers

import (
	"net/http"
	"slices"

	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
	"berth/handlers/ui"
)

// IdentityDeps is what set-up, sign-in, users and service accounts need.
type IdentityDeps struct {
	SetUp interface { // *identity.SetUp
		api.SetupStatuses
		api.Founder
	}
	SignIn interface { // *identity.SignIn
		api.SessionOpener
		api.SessionCloser
	}
	Accounts interface { // *identity.Accounts
		api.ServiceAccountCreator
		api.KeyIssuer
		api.APIKeyRotator
	}
	People PeopleDesk    // *identity.People
	SignOn SignOnDesk    // *identity.SSO
	Store  identityStore // *store.Store
}

type identityStore interface {
	api.UserLister
	api.UserChanger
	api.UserDeleter
	api.InvitationLister
	api.InvitationRevoker
	api.ServiceAccountLister
	api.ServiceAccountChanger
	api.ServiceAccountDeleter
	api.KeyRevoker
}

// SignOnDesk is single sign-on; *identity.SSO has it.
type SignOnDesk interface {
	api.OwnSignOn
	ui.SignOnDesk
}

func identityRoutes(d Deps) []Route {
	return slices.Concat(sessionRoutes(d), userRoutes(d.Identity), peopleRoutes(d), accountRoutes(d.Identity))
}

func sessionRoutes(d Deps) []Route {
	of, secure := d.Identity, d.secure()
	return []Route{
		{Method: http.MethodGet, Pattern: "/api/custom/setup", Capability: access.Public, Surface: guard.API, Handler: api.GetSetup(of.SetUp),
			Operation: Operation{Summary: "Whether the first administrator is still to be made", Tag: "session", Response: api.SetupStatus{}, Status: http.StatusOK}},
		{Method: http.MethodPost, Pattern: "/api/custom/setup", Capability: access.Public, Surface: guard.API, Handler: api.CreateSetup(of.SetUp),
			Operation: Operation{Summary: "Make the first administrator, once", Tag: "session", Request: api.SetupRequest{}, Response: api.User{}, Status: http.StatusCreated, Problems: []int{http.StatusConflict}}},
		{Method: http.MethodPost, Pattern: "/api/custom/login", Capability: access.Public, Surface: guard.API, Handler: api.Login(of.SignIn, secure),
			Operation: Operation{Summary: "Sign in: the answer sets the session cookie", Tag: "session", Request: api.LoginRequest{}, Response: api.User{}, Status: http.StatusOK}},
		{Method: http.MethodPost, Pattern: "/api/custom/logout", Capability: access.SignedIn, Surface: guard.API, Handler: api.Logout(of.SignIn, secure),
			Operation: Operation{Summary: "Sign out: ends the session", Tag: "session", Status: http.StatusNoContent}},
		{Method: http.MethodGet, Pattern: "/api/custom/me", Capability: access.SignedIn, Surface: guard.API, Handler: api.GetMe(),
			Operation: Operation{Summary: "Who asks", Tag: "session", Response: api.Me{}, Status: http.StatusOK}},
	}
}

func userRoutes(of IdentityDeps) []Route {
	return []Route{
		{Method: http.MethodGet, Pattern: "/api/custom/users", Capability: access.Administer, Surface: guard.API, Handler: api.ListUsers(of.Store),
			Operation: Operation{Summary: "List users, oldest first", Tag: "users", Response: endpoint.Items[api.User]{}, Status: http.StatusOK, Query: pageParams}},
		{Method: http.MethodPatch, Pattern: "/api/custom/users/{id}", Capability: access.Administer, Surface: guard.API, Handler: api.ChangeUser(of.Store),
			Operation: Operation{Summary: "Change a user's role, or bar them; ends their sessions", Tag: "users", Request: api.UserChange{}, Response: api.User{}, Status: http.StatusOK}},
		{Method: http.MethodDelete, Pattern: "/api/custom/users/{id}", Capability: access.Administer, Surface: guard.API, Handler: api.DeleteUser(of.Store),
			Operation: Operation{Summary: "Delete a user, never the last administrator", Tag: "users", Status: http.StatusNoContent}},
	}
}

func accountRoutes(of IdentityDeps) []Route {
	const accounts = "/api/custom/service-accounts"
	return []Route{
		{Method: http.MethodGet, Pattern: accounts, Capability: access.Administer, Surface: guard.API, Handler: api.ListServiceAccounts(of.Store),
			Operation: Operation{Summary: "List service accounts with their keys, oldest first", Tag: "service accounts", Response: endpoint.Items[api.ServiceAccount]{}, Status: http.StatusOK, Query: pageParams}},
		{Method: http.MethodPost, Pattern: accounts, Capability: access.Administer, Surface: guard.API, Handler: api.CreateServiceAccount(of.Accounts),
			Operation: Operation{Summary: "Make a service account", Tag: "service accounts", Request: api.ServiceAccountRequest{}, Response: api.ServiceAccount{}, Status: http.StatusCreated}},
		{Method: http.MethodPatch, Pattern: accounts + "/{id}", Capability: access.Administer, Surface: guard.API, Handler: api.ChangeServiceAccount(of.Store),
			Operation: Operation{Summary: "Change a service account", Tag: "service accounts", Request: api.ServiceAccountChange{}, Response: api.ServiceAccount{}, Status: http.StatusOK}},
		{Method: http.MethodDelete, Pattern: accounts + "/{id}", Capability: access.Administer, Surface: guard.API, Handler: api.DeleteServiceAccount(of.Store),
			Operation: Operation{Summary: "Delete a service account and revoke its keys", Tag: "service accounts", Status: http.StatusNoContent}},
		{Method: http.MethodPost, Pattern: accounts + "/{id}/keys", Capability: access.Administer, Surface: guard.API, Handler: api.CreateAPIKey(of.Accounts),
			Operation: Operation{Summary: "Make an API key; the answer is the only one that shows it", Tag: "service accounts", Request: api.APIKeyRequest{}, Response: api.IssuedKey{}, Status: http.StatusCreated}},
		{Method: http.MethodPost, Pattern: accounts + "/{id}/keys/{key_id}/rotate", Capability: access.Administer, Surface: guard.API, Handler: api.RotateAPIKey(of.Accounts),
			Operation: Operation{Summary: "Make the API key that follows another", Detail: "It has the other's name and as long a life. Both are good for `overlap`, so that programs can be told the new one meanwhile. The answer is the only one that shows it.",
				Tag: "service accounts", Request: api.RotateKeyRequest{}, Optional: true, Response: api.IssuedKey{}, Status: http.StatusCreated, Problems: []int{http.StatusConflict}}},
		{Method: http.MethodDelete, Pattern: accounts + "/{id}/keys/{key_id}", Capability: access.Administer, Surface: guard.API, Handler: api.DeleteAPIKey(of.Store),
			Operation: Operation{Summary: "Revoke an API key", Tag: "service accounts", Status: http.StatusNoContent}},
	}
}
