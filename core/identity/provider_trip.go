package identity

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"time"

	"berth/core/fault"
	"berth/core/seal"
)

// providerTripLife is how long a person may take at the provider.
const providerTripLife = 10 * time.Minute

// Parts of a state, in bytes. It says by itself all that is known of a trip, so nothing is stored when one begins.
const (
	tripNonceSize   = 16
	tripWhenSize    = 8
	tripBrowserSize = 16
	tripMACSize     = 32
	tripStateSize   = tripNonceSize + tripWhenSize + tripBrowserSize + tripMACSize
)

// returned is what a state that came back says.
type returned struct {
	spend string // hexadecimal; it is spent once
	until time.Time
}

// newProviderState returns the state of a trip that begins now. Only the browser that holds the cookie can end it. aim is
// what the trip is for, so that one that links an account opens no session.
func newProviderState(macs MACs, aim, cookie string, now time.Time) string {
	state := make([]byte, tripNonceSize, tripStateSize)
	rand.Read(state) // never fails: it ends the process instead
	state = binary.BigEndian.AppendUint64(state, uint64(now.Add(providerTripLife).Unix()))
	state = append(state, tripBrowser(macs, cookie)...)
	state = append(state, macs.MAC(seal.PurposeOAuthState, tripMessage(aim, state))...)
	return base64.RawURLEncoding.EncodeToString(state)
}

// readProviderState judges a state that came back with a cookie. It does not know whether it was used.
func readProviderState(macs MACs, aim, text, cookie string, now time.Time) (returned, error) {
	state, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(state) != tripStateSize {
		return returned{}, errTripState
	}
	said, mac := state[:tripStateSize-tripMACSize], state[tripStateSize-tripMACSize:]
	if !macs.VerifyMAC(seal.PurposeOAuthState, tripMessage(aim, said), mac) {
		return returned{}, errTripState
	}
	if cookie == "" || string(said[tripNonceSize+tripWhenSize:]) != string(tripBrowser(macs, cookie)) {
		return returned{}, errTripBrowser
	}
	until := time.Unix(int64(binary.BigEndian.Uint64(said[tripNonceSize:])), 0)
	if !now.Before(until) {
		return returned{}, errTripLate
	}
	return returned{spend: hex.EncodeToString(said[:tripNonceSize]), until: until}, nil
}

// tripBrowser tells browsers apart without showing their cookie.
func tripBrowser(macs MACs, cookie string) []byte {
	return macs.MAC(seal.PurposeOAuthState, []byte("provider browser\x00"+cookie))[:tripBrowserSize]
}

func tripMessage(aim string, state []byte) []byte {
	return append([]byte("provider state\x00"+aim+"\x00"), state...)
}

// tripOf is the trip of a state: nonce and PKCE verifier follow from it for whoever has the keys.
func tripOf(macs MACs, state, callback string) ProviderTrip {
	derive := func(what string) string {
		return base64.RawURLEncoding.EncodeToString(macs.MAC(seal.PurposeOAuthState, []byte("provider "+what+"\x00"+state)))
	}
	return ProviderTrip{State: state, Nonce: derive("nonce"), Verifier: derive("verifier"), Callback: callback}
}

const signInAgain = "Nobody was signed in. Begin again at the sign-in page."

var (
	errTripState   = fault.New(fault.Conflict, "oidc.state_invalid", "What came back from the provider does not belong to a sign-in that was begun here: its state is missing or was changed. %s", signInAgain)
	errTripBrowser = fault.New(fault.Conflict, "oidc.other_browser", "The sign-in was begun in another browser, or its cookie is gone. %s", signInAgain)
	errTripLate    = fault.New(fault.Conflict, "oidc.state_expired", "The sign-in was begun more than %d minutes ago, which is as long as it may take. %s", int(providerTripLife.Minutes()), signInAgain)
)
