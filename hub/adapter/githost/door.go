package githost

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"

	"golang.org/x/oauth2"
)

// AuthorizationURL implements repositories.HostDoor.
func (b *base) AuthorizationURL(t repositories.Trip) string {
	return b.at(t).AuthCodeURL(t.State, oauth2.S256ChallengeOption(t.Verifier))
}

// at is the client of one trip.
func (b *base) at(t repositories.Trip) *oauth2.Config {
	client := b.oauth
	client.RedirectURL = t.Callback
	return &client
}

// Exchange implements repositories.HostDoor.
func (b *base) Exchange(ctx context.Context, t repositories.Trip, code string) (repositories.Grant, error) {
	asking, cancel := b.briefly(ctx)
	defer cancel()
	token, err := b.at(t).Exchange(asking, code, oauth2.VerifierOption(t.Verifier))
	if err != nil {
		return repositories.Grant{}, b.refused(asking, err, b.exchangeRefused)
	}
	granted, _ := token.Extra("scope").(string)
	if missing := b.missing(granted); len(missing) > 0 {
		return repositories.Grant{}, fault.New(fault.Conflict, "git_provider.scopes",
			"%s was let in with fewer rights than it needs: %s is missing. The key was not kept. Connect again, and leave all rights as they are asked for.", b.facts.Name, strings.Join(missing, " and "))
	}
	grant := grantOf(token)
	grant.Account, grant.Username, err = b.whoami(ctx, grant.Access)
	return grant, err
}

// Renew implements repositories.HostDoor.
func (b *base) Renew(ctx context.Context, refresh secrets.Value) (repositories.Grant, error) {
	ctx, cancel := b.briefly(ctx)
	defer cancel()
	token, err := b.oauth.TokenSource(ctx, &oauth2.Token{RefreshToken: refresh.Reveal()}).Token()
	if err != nil {
		return repositories.Grant{}, b.refused(ctx, err, func(string) error { return b.revoked() })
	}
	return grantOf(token), nil
}

// briefly is the context of one question about tokens. Its end tells that the host was slow: the library keeps
// no more of an error than its text.
func (b *base) briefly(ctx context.Context) (context.Context, context.CancelFunc) {
	client := *b.door.Client()
	client.Timeout = 0 // the context's end tells
	return context.WithTimeout(context.WithValue(ctx, oauth2.HTTPClient, &client), b.door.Limit())
}

func grantOf(token *oauth2.Token) repositories.Grant {
	return repositories.Grant{Access: secrets.NewValue(token.AccessToken), Refresh: secrets.NewValue(token.RefreshToken), ExpiresAt: token.Expiry}
}

// refused is the fault for a code or a refresh token that brought nothing. no says what it means that the host
// gives a reason of its own.
func (b *base) refused(ctx context.Context, err error, no func(reason string) error) error {
	var answer *oauth2.RetrieveError
	if !errors.As(err, &answer) {
		if known := b.door.Trouble(ctx, err); known.Code != codes.Unreachable || isTransport(err) {
			return known
		}
		return b.door.Malformed() // a whole answer without a token
	}
	if known := b.door.Status(answer.Response.StatusCode, answer.Response.Header, time.Now()); known != nil {
		return known
	}
	if answer.ErrorCode == "" && answer.Response.StatusCode != http.StatusBadRequest && answer.Response.StatusCode != http.StatusUnauthorized {
		return b.door.Unexpected(answer.Response.StatusCode)
	}
	return no(answer.ErrorCode)
}

// reasons are what hosts say of a code, and what can be done about it.
var reasons = map[string]string{
	"incorrect_client_credentials": "the client ID or secret is wrong; correct the variables of this server",
	"invalid_client":               "the client ID or secret is wrong; correct the variables of this server",
	"redirect_uri_mismatch":        "another callback address is registered for the OAuth app; register the one in the README, to the letter",
	"bad_verification_code":        "the code has expired or was used; connect again",
	"invalid_grant":                "the code has expired or was used, or another callback address is registered for the OAuth app; connect again",
	"unauthorized_client":          "the code has expired or was used; connect again",
	"unverified_user_email":        "the account has no verified e-mail address; verify one there first",
}

func (b *base) exchangeRefused(reason string) error {
	why, known := reasons[reason]
	if !known {
		why = "it gives no reason that is known; check the OAuth app there, and connect again"
	}
	return fault.New(fault.Conflict, "git_provider.exchange", "%s gave no key for this connection: %s. Nothing was connected.", b.facts.Name, why)
}

func (b *base) revoked() error {
	return fault.New(fault.Conflict, "git_provider.revoked",
		"%s does not accept this key any more: it was revoked there, or has expired. Connect %s again under Repositories, Add a repository: the same account keeps its key, so its repositories can be read again.", b.facts.Name, b.facts.Name)
}
