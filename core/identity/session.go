package identity

import (
	"encoding/base64"
	"strings"
	"time"

	"berth/core"
	"berth/core/seal"
	"berth/core/secrets"
)

// SessionLife is how long a session lasts at most, whatever it is used for. Sessions are not
// prolonged by use: no request writes to the database just by being made.
const SessionLife = 30 * 24 * time.Hour

const sessionSecretSize = 32 // bytes

// MACs makes and checks the keyed codes that are stored of sessions and API keys.
// *seal.Ring implements it.
type MACs interface {
	// MAC returns the code of message under the subkey of a purpose.
	MAC(purpose seal.Purpose, message []byte) []byte
	// VerifyMAC reports, in constant time, whether mac is the code of message.
	VerifyMAC(purpose seal.Purpose, message, mac []byte) bool
	// MACToken returns the code of a token.
	MACToken(token seal.Token) []byte
	// VerifyToken reports, in constant time, whether mac is the code of token.
	VerifyToken(token seal.Token, mac []byte) bool
}

// Session is what a browser is given when somebody has signed in.
type Session struct {
	ID        core.SessionID
	User      User
	Cookie    secrets.Value // shown to the browser once; not kept
	ExpiresAt time.Time
}

// StoredSession is a session as it is kept, with the user as they are now.
type StoredSession struct {
	ID        core.SessionID
	User      User
	MAC       []byte // of the cookie's secret part and the id
	Address   string // from which it was opened
	Agent     string // what the browser called itself then
	Way       string // how it was opened, for the audit alone; empty: with a password
	CreatedAt time.Time
	ExpiresAt time.Time
}

// newSession makes a session and what is to be kept of it.
func newSession(macs MACs, user User, now time.Time) (Session, StoredSession) {
	id := core.SessionID(core.NewID(core.PrefixSession, now))
	secret := base64.RawURLEncoding.EncodeToString(random(sessionSecretSize))
	kept := StoredSession{ID: id, User: user, CreatedAt: now, ExpiresAt: now.Add(SessionLife)}
	kept.MAC = macs.MAC(seal.PurposeSession, sessionMessage(id, secret))
	return Session{ID: id, User: user, Cookie: secrets.NewValue(string(id) + "." + secret), ExpiresAt: kept.ExpiresAt}, kept
}

// splitCookie takes a cookie's value apart; false when it has not the form of one.
func splitCookie(value string) (id core.SessionID, secret string, ok bool) {
	before, secret, found := strings.Cut(value, ".")
	size := base64.RawURLEncoding.EncodedLen(sessionSecretSize)
	return core.SessionID(before), secret, found && core.ValidID(core.PrefixSession, before) && len(secret) == size
}

// sessionMessage is what the stored code authenticates. Its first part keeps sessions apart from
// the tokens that share their purpose.
func sessionMessage(id core.SessionID, secret string) []byte {
	return []byte("session\x00" + string(id) + "\x00" + secret)
}
