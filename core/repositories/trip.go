package repositories

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"time"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
)

// tripLife is how long a person may take at the Git host.
const tripLife = 10 * time.Minute

// Parts of a state, in bytes. It says by itself all that is known of a trip, so nothing is stored when one begins.
const (
	nonceSize = 16
	whenSize  = 8
	whoseSize = 16
	stateSize = nonceSize + whenSize + whoseSize + 32
)

// MACs makes and checks keyed codes; *seal.Ring does.
type MACs interface {
	MAC(purpose seal.Purpose, message []byte) []byte
	VerifyMAC(purpose seal.Purpose, message, mac []byte) bool
}

// arrivalState is what a state that came back says.
type arrivalState struct {
	nonce string // hexadecimal; it is spent once
	until time.Time
}

// newState returns the state of a trip to a host that begins now. Only whoever begins it can end it.
func newState(macs MACs, slug string, by access.Principal, now time.Time) string {
	state := make([]byte, nonceSize, stateSize)
	rand.Read(state) // never fails: it ends the process instead
	state = binary.BigEndian.AppendUint64(state, uint64(now.Add(tripLife).Unix()))
	state = append(state, whose(macs, by)...)
	state = append(state, macs.MAC(seal.PurposeOAuthState, stateMessage(slug, state))...)
	return base64.RawURLEncoding.EncodeToString(state)
}

// readState judges a state that came back with whoever by is. It does not know whether it was used.
func readState(macs MACs, slug, text string, by access.Principal, now time.Time) (arrivalState, error) {
	state, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(state) != stateSize || !macs.VerifyMAC(seal.PurposeOAuthState, stateMessage(slug, state[:stateSize-32]), state[stateSize-32:]) {
		return arrivalState{}, errState
	}
	until := time.Unix(int64(binary.BigEndian.Uint64(state[nonceSize:])), 0)
	if string(state[nonceSize+whenSize:stateSize-32]) != string(whose(macs, by)) {
		return arrivalState{}, errOtherSession
	}
	if !now.Before(until) {
		return arrivalState{}, errStateExpired
	}
	return arrivalState{nonce: hex.EncodeToString(state[:nonceSize]), until: until}, nil
}

// whose tells sessions apart without showing any.
func whose(macs MACs, by access.Principal) []byte {
	return macs.MAC(seal.PurposeOAuthState, []byte("session\x00"+by.Session+"\x00"+by.ID))[:whoseSize]
}

func stateMessage(slug string, state []byte) []byte {
	return append([]byte("state\x00"+slug+"\x00"), state...)
}

// verifierOf is the PKCE verifier of a trip: 43 characters that follow from its state for whoever has the keys.
func verifierOf(macs MACs, state string) string {
	return base64.RawURLEncoding.EncodeToString(macs.MAC(seal.PurposeOAuthState, []byte("verifier\x00"+state)))
}

const connectAgain = "Nothing was connected. Begin again under Repositories, Add a repository."

var (
	errState        = fault.New(fault.Conflict, "git_provider.state_invalid", "What came back from the Git host does not belong to a connection that was begun here: its state is missing or was changed. %s", connectAgain)
	errStateExpired = fault.New(fault.Conflict, "git_provider.state_expired", "The connection was begun more than %d minutes ago, which is as long as it may take. %s", int(tripLife.Minutes()), connectAgain)
	errOtherSession = fault.New(fault.Conflict, "git_provider.other_session", "The connection was begun in another session, by somebody else or before you signed in anew. %s", connectAgain)
	ErrStateUsed    = fault.New(fault.Conflict, "git_provider.state_used", "This answer of the Git host was used before; each is good once. If the key is not under Settings, Repository Keys, begin again under Repositories, Add a repository.")
)
