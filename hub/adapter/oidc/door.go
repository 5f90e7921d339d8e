package oidc

import (
	"errors"
	"net/url"
	"strings"

	"berth/core/fault"

	coreos "github.com/coreos/go-oidc/v3/oidc"
)

var away = fault.New(fault.Unavailable, "oidc.away", "The single sign-on provider cannot be reached or does not answer in time. Nobody was signed in. Try again in a minute, or sign in with a password.")

var malformed = fault.New(fault.Conflict, "oidc.malformed", "The single sign-on provider does not describe itself as OpenID Connect Discovery demands, or under another issuer. An administrator of this server compares OIDC_ISSUER with what the provider documents, to the letter. Nobody was signed in.")

// isTransport reports whether no answer came.
func isTransport(err error) bool {
	var transport *url.Error
	return errors.As(err, &transport)
}

// safe reports whether all that a provider says of itself is reached as safely as it was: its word must not lead our secret, or
// the keys that tokens are checked with, onto a line that others read.
func safe(issuer string, known *coreos.Provider) bool {
	var said struct {
		Keys string `json:"jwks_uri"`
	}
	if known.Claims(&said) != nil {
		return false
	}
	for _, address := range []string{known.Endpoint().AuthURL, known.Endpoint().TokenURL, said.Keys} {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || strings.HasPrefix(issuer, "https:")) {
			return false
		}
	}
	return true
}
