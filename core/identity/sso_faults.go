package identity

import (
	"slices"

	"berth/core/fault"
)

// providerProblems are the words with which providers end a sign-in that mean that something is set up wrongly, or that they cannot
// (RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6). Any other stays out of what people are told.
var providerProblems = []string{"invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope", "server_error", "temporarily_unavailable",
	"interaction_required", "login_required", "account_selection_required", "consent_required", "request_not_supported", "registration_not_supported"}

// declined says why the provider sent somebody back without a code.
func declined(problem string) error {
	if !slices.Contains(providerProblems, problem) {
		return errDeclined
	}
	return fault.New(fault.Conflict, "oidc.declined", "The provider ended the sign-in with %q. An administrator compares OIDC_SCOPES, the client and its redirect address with what is registered there; its log says more. %s", problem, signInAgain)
}

var (
	errSSOOff           = fault.New(fault.NotFound, "oidc.off", "Single sign-on is not set up on this server: OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET set it up. Sign in with your password.")
	errTripUsed         = fault.New(fault.Conflict, "oidc.state_used", "This answer of the provider was used before; each is good once. %s", signInAgain)
	errTripIssuer       = fault.New(fault.Conflict, "oidc.other_issuer", "What came back names another provider than the one that this server sends people to. %s", signInAgain)
	errDeclined         = fault.New(fault.Conflict, "oidc.declined", "The provider did not let you in, or you cancelled there. %s", signInAgain)
	errNoRole           = fault.New(fault.Forbidden, "oidc.no_role", "The provider knows you, but none of your groups has a role on this server. Ask an administrator to add one to OIDC_ROLE_MAP, or to put you into a group that is in it. Nobody was signed in.")
	errProviderDisabled = fault.New(fault.Forbidden, "oidc.disabled", "Your account on this server is disabled. Ask an administrator. Nobody was signed in.")
	errUnverified       = fault.New(fault.Forbidden, "oidc.email_unverified", "The provider does not say that it has verified an e-mail address of yours, which a new account needs. Verify it there, then begin again. Nobody was signed in.")
	errProviderEmail    = fault.New(fault.Conflict, "oidc.email_taken", "An account with your e-mail address is here already, and an address alone links nothing. Sign in with its password and link it under Your profile. Nobody was signed in.")
	errNoPassword       = fault.New(fault.Conflict, "oidc.no_password", "This account has no password, because it signs in with single sign-on. An administrator makes a link to set one: Users, the person, Make a link.")

	// ErrLinked is for stores, too: one account is one person at a provider, and the other way round.
	ErrLinked = fault.New(fault.Conflict, "oidc.linked", "This account is linked to single sign-on already, or whoever you are there belongs to another account. Unlink that first, under Your profile, signed in to the account that has it.")
	// ErrMade is for stores: an account whose role the provider says does not get rid of that by itself.
	ErrMade = fault.New(fault.Conflict, "oidc.made", "This account was made by single sign-on, which says its role too, so it stays linked. An administrator who wants it to be otherwise deletes it and invites the person.")
)
