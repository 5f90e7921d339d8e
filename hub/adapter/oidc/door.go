package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"berth/core/fault"

	coreos "github.com/coreos/go-oidc/v3/oidc"
)

var away = fault.New(fault.Unavailable, "oidc.away", "The single sign-on provider cannot be reached or does not answer in time. Nobody was signed in. Try again in a minute, or sign in with a password.")

// malformed names the issuer that is configured, which people compare; what the provider calls itself is its own word.
func malformed(issuer string) error {
	return fault.New(fault.Conflict, "oidc.malformed", "The single sign-on provider does not describe itself as OpenID Connect Discovery demands, or under another issuer than %q, which OIDC_ISSUER has. An administrator of this server compares that with \"issuer\" in its .well-known/openid-configuration, to the letter. Nobody was signed in.", issuer)
}

// asked is the transport of questions to the provider. One that cannot answer says nothing of what it was asked.
type asked struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (a asked) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := a.RoundTripper.RoundTrip(r)
	if err != nil || r.Method != http.MethodGet || answer.StatusCode < http.StatusInternalServerError {
		return answer, err
	}
	answer.Body.Close()
	return nil, fmt.Errorf("it answers %d", answer.StatusCode)
}

// isTransport reports whether no answer came.
func isTransport(err error) bool {
	var transport *url.Error
	return errors.As(err, &transport)
}

// awayFor is away with what the log is to tell, which nothing that the provider wrote gets into.
func awayFor(err error) error {
	var transport *url.Error
	if errors.As(err, &transport) {
		return away.Because(transport)
	}
	return away
}

// keysAsked keeps why keys could not be asked for, which the library makes a text of.
type keysAsked struct {
	coreos.KeySet
	err error
}

// VerifySignature implements coreos.KeySet.
func (k *keysAsked) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, token)
	k.err = err
	return payload, err
}

// safe reports whether all that a provider says of itself is reached as safely as it was: its word must not lead our secret, or
// the keys that tokens are checked with, onto a line that others read.
func safe(issuer string, known *coreos.Provider) bool {
	for _, address := range []string{known.Endpoint().AuthURL, known.Endpoint().TokenURL, keysOf(known)} {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || strings.HasPrefix(issuer, "https:")) {
			return false
		}
	}
	return true
}

// keysOf is where the keys are that ID tokens are signed with; empty: the provider does not say.
func keysOf(known *coreos.Provider) string {
	var said struct {
		Keys string `json:"jwks_uri"`
	}
	if known.Claims(&said) != nil {
		return ""
	}
	return said.Keys
}
