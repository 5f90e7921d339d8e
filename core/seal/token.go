package seal

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
)

// TokenKind says what a token is good for.
type TokenKind uint8

// The kinds of token.
const (
	TokenAPIKey     TokenKind = iota + 1 // berth_sk_…: API key of a service account
	TokenWorker                          // berth_wt_…: registers one worker; may carry a pin
	TokenInvitation                      // berth_in_…: lets a person create their account
	TokenReset                           // berth_pr_…: lets a person set a new password
)

var tokenKinds = map[TokenKind]struct {
	mark    string // two letters in the text form
	purpose Purpose
}{
	TokenAPIKey:     {"sk", PurposeAPIKey},
	TokenWorker:     {"wt", PurposeWorker},
	TokenInvitation: {"in", PurposeSession},
	TokenReset:      {"pr", PurposeSession},
}

func (k TokenKind) purpose() Purpose {
	if kind, found := tokenKinds[k]; found {
		return kind.purpose
	}
	return purposeCount // none
}

// Pin is the SHA-256 of a TLS key's SubjectPublicKeyInfo (DER).
type Pin [sha256.Size]byte

// PinOf returns the pin of a SubjectPublicKeyInfo in DER.
func PinOf(spki []byte) Pin { return sha256.Sum256(spki) }

// Token is something to show once and to recognise later: the id of the row that it
// belongs to and 256 random bits. It does not print its secret; Reveal does. The
// zero Token stands for "none".
type Token struct {
	kind   TokenKind
	id     string
	secret *[32]byte // a pointer, so that reflection shows an address
	pin    *Pin      // nil: none
}

// NewToken returns a fresh token for the row with the given id, which has the shape
// that core.NewID gives; ParseToken refuses any other.
func NewToken(kind TokenKind, id string) Token {
	token := Token{kind: kind, id: id, secret: new([32]byte)}
	rand.Read(token.secret[:]) // never fails: it ends the process instead
	return token
}

// NewWorkerToken returns a fresh worker token that carries the pin of the server's TLS
// key, so that the worker needs no certificate authority.
func NewWorkerToken(id string, pin Pin) Token {
	token := NewToken(TokenWorker, id)
	token.pin = &pin
	return token
}

// IsZero reports whether there is no token.
func (t Token) IsZero() bool { return t.secret == nil }

// Kind returns what the token is good for.
func (t Token) Kind() TokenKind { return t.kind }

// ID returns the id of the token's row. It is not secret.
func (t Token) ID() string { return t.id }

// Pin returns the pin of the server's TLS key; false when the token carries none.
func (t Token) Pin() (Pin, bool) {
	if t.pin == nil {
		return Pin{}, false
	}
	return *t.pin, true
}

// message is what the stored MAC authenticates: every part of the token. The first
// part keeps tokens apart from whatever else is authenticated for the same purpose.
func (t Token) message() []byte {
	if t.IsZero() {
		return nil
	}
	parts := []string{"token", tokenKinds[t.kind].mark, t.id, string(t.secret[:])}
	if t.pin != nil {
		parts = append(parts, string(t.pin[:]))
	}
	return appendParts(nil, parts...)
}

// String returns the token with a placeholder instead of its secret.
func (t Token) String() string {
	if t.IsZero() {
		return ""
	}
	return t.head() + redacted
}

// Format writes what String returns, for every verb.
func (t Token) Format(s fmt.State, _ rune) { io.WriteString(s, t.String()) }

// MarshalText returns what String returns.
func (t Token) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// LogValue returns what String returns.
func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }
