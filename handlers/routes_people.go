package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/core/identity"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
	"berth/handlers/ui"
)

// PeopleDesk is the use cases of accounts beside signing in; *identity.People has them.
type PeopleDesk interface {
	api.Inviter
	api.InvitationAccepter
	api.ResetMaker
	api.ResetSpender
	api.Forgetter
	api.ProfileChanger
	api.PasswordChanger
	api.OwnSessions
	api.OwnFactor
	api.FactorResetter
	ui.InvitationReader
	ui.ResetReader
	ui.Forgetter
	ui.SelfReader
	ui.FactorDesk
	ui.FactorResetter
}

// peopleRoutes are how accounts come to be, and what people change about their own.
func peopleRoutes(d Deps) []Route {
	of, app := d.Identity, d.origin()
	return append(meRoutes(of), []Route{
		{Method: http.MethodPost, Pattern: "/api/custom/users/invite", Capability: access.Administer, Surface: guard.API, Handler: api.Invite(of.People, app),
			Operation: Operation{Summary: "Invite a person; the answer is the only one that shows the link", Tag: "users", Request: api.InvitationRequest{}, Response: api.IssuedInvitation{}, Status: http.StatusCreated,
				Detail: "The link is good for seven days and once. An open invitation to the same address is good no more.", Problems: []int{http.StatusConflict}}},
		{Method: http.MethodGet, Pattern: "/api/custom/invites", Capability: access.Administer, Surface: guard.API, Handler: api.ListInvitations(of.Store),
			Operation: Operation{Summary: "List the invitations that are open, oldest first", Tag: "users", Response: endpoint.Items[api.Invitation]{}, Status: http.StatusOK, Query: pageParams}},
		{Method: http.MethodDelete, Pattern: "/api/custom/invites/{id}", Capability: access.Administer, Surface: guard.API, Handler: api.RevokeInvitation(of.Store),
			Operation: Operation{Summary: "Revoke an invitation", Tag: "users", Status: http.StatusNoContent}},
		{Method: http.MethodPost, Pattern: "/api/custom/invites/{token}/accept", Capability: access.Public, Surface: guard.API, Handler: api.AcceptInvitation(of.People),
			Operation: Operation{Summary: "Make the account that an invitation offers, once", Tag: "users", Request: api.AcceptRequest{}, Response: api.User{}, Status: http.StatusCreated, Problems: []int{http.StatusConflict}}},
		{Method: http.MethodPost, Pattern: "/api/custom/users/{id}/reset", Capability: access.Administer, Surface: guard.API, Handler: api.MakeReset(of.People, app),
			Operation: Operation{Summary: "Make a link for a new password; the answer is the only one that shows it", Tag: "users", Response: api.IssuedReset{}, Status: http.StatusCreated, Problems: []int{http.StatusConflict},
				Detail: "The link is good for a day and once. Nothing changes until it is used; then all sessions of the user end."}},
		{Method: http.MethodDelete, Pattern: "/api/custom/users/{id}/second-factor", Capability: access.Administer, Surface: guard.API, Handler: api.ResetFactor(of.People),
			Operation: Operation{Summary: "Remove the second factor of somebody else who has lost it", Tag: "users", Status: http.StatusNoContent, Problems: []int{http.StatusConflict}}},
		{Method: http.MethodPost, Pattern: "/api/custom/resets", Capability: access.Public, Surface: guard.API, Handler: api.Forgot(of.People),
			Operation: Operation{Summary: "Have a link for a new password sent by e-mail", Tag: "users", Request: api.ForgotRequest{}, Status: http.StatusNoContent,
				Detail: "Nothing tells whether there is such an account. The link is good for an hour and once. Refused with `reset.no_mail` where e-mail is not set up.", Problems: []int{http.StatusConflict}}},
		{Method: http.MethodPost, Pattern: "/api/custom/resets/{token}", Capability: access.Public, Surface: guard.API, Handler: api.SpendReset(of.People),
			Operation: Operation{Summary: "Set a new password by link, once; ends the user's sessions", Tag: "users", Request: api.ResetRequest{}, Status: http.StatusNoContent}},
	}...)
}

func meRoutes(of IdentityDeps) []Route {
	return []Route{
		{Method: http.MethodPatch, Pattern: "/api/custom/me", Capability: access.SignedIn, Surface: guard.API, Handler: api.ChangeMe(of.People),
			Operation: Operation{Summary: "Change one's own name or e-mail address", Tag: "session", Request: api.ProfileChange{}, Response: api.User{}, Status: http.StatusOK, Problems: []int{http.StatusConflict}}},
		{Method: http.MethodPut, Pattern: "/api/custom/me/password", Capability: access.SignedIn, Surface: guard.API, Handler: api.ChangePassword(of.People),
			Operation: Operation{Summary: "Change one's own password; ends one's other sessions", Tag: "session", Request: api.PasswordChange{}, Status: http.StatusNoContent}},
		{Method: http.MethodGet, Pattern: "/api/custom/me/sessions", Capability: access.SignedIn, Surface: guard.API, Handler: api.ListSessions(of.People),
			Operation: Operation{Summary: "List one's own open sessions, newest first", Tag: "session", Response: endpoint.Items[api.OwnSession]{}, Status: http.StatusOK, Problems: []int{http.StatusForbidden}}},
		{Method: http.MethodPost, Pattern: "/api/custom/me/second-factor/offer", Capability: access.SignedIn, Surface: guard.API, Handler: api.OfferFactor(of.People),
			Operation: Operation{Summary: "Make a second factor to take into an authenticator app; nothing is kept of it", Tag: "session", Response: api.FactorOffer{}, Status: http.StatusOK}},
		{Method: http.MethodPut, Pattern: "/api/custom/me/second-factor", Capability: access.SignedIn, Surface: guard.API, Handler: api.ConfirmFactor(of.People),
			Operation: Operation{Summary: "Confirm a second factor that was offered; the answer is the only one that shows the recovery codes", Tag: "session", Request: api.FactorRequest{}, Response: api.FactorCodes{}, Status: http.StatusOK,
				Detail: "From then on signing in takes a code, and one's other sessions end.", Problems: []int{http.StatusConflict}}},
		{Method: http.MethodPost, Pattern: "/api/custom/me/second-factor/remove", Capability: access.SignedIn, Surface: guard.API, Handler: api.RemoveFactor(of.People),
			Operation: Operation{Summary: "Remove one's own second factor", Tag: "session", Request: api.FactorRemoval{}, Status: http.StatusNoContent, Problems: []int{http.StatusNotFound}}},
		{Method: http.MethodGet, Pattern: "/api/custom/me/sso", Capability: access.SignedIn, Surface: guard.API, Handler: api.GetSignOn(of.SignOn),
			Operation: Operation{Summary: "How one may sign in with single sign-on", Tag: "session", Response: api.SignOnAnswer{}, Status: http.StatusOK, Problems: []int{http.StatusForbidden},
				Detail: "Linking takes a browser, which begins under Your profile: the provider sends it back to `/login/oidc/callback`."}},
		{Method: http.MethodDelete, Pattern: "/api/custom/me/sso", Capability: access.SignedIn, Surface: guard.API, Handler: api.UnlinkSignOn(of.SignOn),
			Operation: Operation{Summary: "Unlink one's own account from single sign-on", Tag: "session", Status: http.StatusNoContent, Problems: []int{http.StatusNotFound, http.StatusConflict},
				Detail: "Refused with `oidc.made` for an account that single sign-on made."}},
		{Method: http.MethodDelete, Pattern: "/api/custom/me/sessions/{id}", Capability: access.SignedIn, Surface: guard.API, Handler: api.EndSession(of.People),
			Operation: Operation{Summary: "End one of one's own sessions", Tag: "session", Status: http.StatusNoContent}},
	}
}

// uiPeopleRoutes are the pages of the same.
func uiPeopleRoutes(d Deps) []Route {
	of, u, secure, app := d.Identity.People, d.UI, d.secure(), d.origin()
	own := ui.ProfileDeps{People: of, SignOn: d.Identity.SignOn, Now: u.Now}
	const one = "/users/{id}"
	return []Route{
		page("/users", access.Administer, ui.Users(u.Store, u.Now)),
		form("/users/invite", access.Administer, ui.Invite(u.Store, of, app, u.Now)),
		form("/users/invites/{id}/delete", access.Administer, ui.RevokeInvitation(u.Store)),
		page(one, access.Administer, ui.User(u.Store, u.Now)),
		form(one, access.Administer, ui.ChangeUser(u.Store, u.Now)),
		form(one+"/reset", access.Administer, ui.MakeReset(u.Store, of, app, u.Now)),
		form(one+"/second-factor", access.Administer, ui.ResetFactor(u.Store, of, u.Now)),
		form(one+"/delete", access.Administer, ui.DeleteUser(u.Store, u.Now)),
		page("/invites/{token}", access.Public, ui.Invitation(of, u.Now)),
		form("/invites/{token}", access.Public, ui.AcceptInvitation(of, u.SignIn, u.Now, secure)),
		page("/resets", access.Public, ui.Forgotten(of)),
		form("/resets", access.Public, ui.Forgot(of)),
		page("/resets/{token}", access.Public, ui.Reset(of)),
		form("/resets/{token}", access.Public, ui.SpendReset(of)),
		page("/profile", access.SignedIn, ui.Profile(own)),
		form("/profile", access.SignedIn, ui.ChangeProfile(own)),
		form("/profile/password", access.SignedIn, ui.ChangePassword(own)),
		form("/profile/sso/link", access.SignedIn, ui.LinkSignOn(own, secure)),
		form("/profile/sso/unlink", access.SignedIn, ui.UnlinkSignOn(own)),
		page(ui.SignOnPath, access.Public, ui.SignOn(u.SetUp, own.SignOn, secure)),
		page(identity.SSOCallback, access.Public, ui.SignedOn(own, secure)),
		page(guard.EnrolPath, access.SignedIn, ui.SecondFactor(of, u.Codes)),
		form(guard.EnrolPath, access.SignedIn, ui.ConfirmFactor(of, u.Codes)),
		form(guard.EnrolPath+"/remove", access.SignedIn, ui.RemoveFactor(of)),
		form("/profile/sessions/{id}/end", access.SignedIn, ui.EndSession(of)),
	}
}
