package identity

import (
	"context"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"berth/core/fault"
	"berth/core/secrets"
)

// Rounds is how often PBKDF2-HMAC-SHA256 is applied to a password, as OWASP's Password
// Storage Cheat Sheet advises (2023). It costs about a fifth of a second of one core.
const Rounds = 600_000

const (
	minPassword = 12  // bytes
	maxPassword = 256 // bytes
	saltSize    = 16  // bytes
	derivedSize = 32  // bytes
	atOnce      = 2   // passwords being worked on
	mayQueue    = 64  // passwords being worked on or waiting
	algorithm   = "pbkdf2-sha256"
)

var errQueueFull = fault.New(fault.Unavailable, "auth.busy",
	"Too many people are signing in at this moment. Try again in a few seconds.").After(5 * time.Second)

// Passwords derives and checks password hashes, two at a time, so that a flood of sign-ins cannot
// take all processors. Safe for concurrent use.
type Passwords struct {
	rounds int
	queue  chan struct{} // one per password being worked on or waiting
	slots  chan struct{} // one per password being worked on
	nobody string        // a hash that no password fits: unknown users cost as much as known ones
}

// NewPasswords returns Passwords that apply rounds rounds: Rounds, except in tests.
func NewPasswords(rounds int) *Passwords {
	p := &Passwords{rounds: rounds, queue: make(chan struct{}, mayQueue), slots: make(chan struct{}, atOnce)}
	p.nobody = p.format(random(saltSize), random(derivedSize))
	return p
}

// Hash returns what is stored of a password: algorithm$rounds$salt$derived, the last
// two in base64. Unavailable "auth.busy" when too many wait already.
func (p *Passwords) Hash(ctx context.Context, password secrets.Value) (string, error) {
	salt := random(saltSize)
	derived, err := p.derive(ctx, password, salt, p.rounds)
	if err != nil {
		return "", err
	}
	return p.format(salt, derived), nil
}

// Verify reports whether hash is of password. An empty hash, which stands for an unknown
// user, takes as long as any and fits none.
func (p *Passwords) Verify(ctx context.Context, hash string, password secrets.Value) (bool, error) {
	if hash == "" {
		hash = p.nobody
	}
	parts := strings.Split(hash, "$")
	if len(parts) != 4 || parts[0] != algorithm {
		return false, fmt.Errorf("a stored password hash has an unknown form")
	}
	rounds, err := strconv.Atoi(parts[1])
	if err != nil || rounds < 1 {
		return false, fmt.Errorf("a stored password hash has no number of rounds")
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[2])
	want, wantErr := base64.RawStdEncoding.DecodeString(parts[3])
	if saltErr != nil || wantErr != nil {
		return false, fmt.Errorf("a stored password hash is damaged")
	}
	got, err := p.derive(ctx, password, salt, rounds)
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1, err
}

func (p *Passwords) derive(ctx context.Context, password secrets.Value, salt []byte, rounds int) ([]byte, error) {
	select {
	case p.queue <- struct{}{}:
		defer func() { <-p.queue }()
	default:
		return nil, errQueueFull
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return pbkdf2.Key(sha256.New, password.Reveal(), salt, rounds, derivedSize)
}

func (p *Passwords) format(salt, derived []byte) string {
	encode := base64.RawStdEncoding.EncodeToString
	return strings.Join([]string{algorithm, strconv.Itoa(p.rounds), encode(salt), encode(derived)}, "$")
}

// checkPassword demands length and nothing else, as NIST SP 800-63B has it, except that a
// password must not be the address that everybody knows.
func checkPassword(bad []fault.Field, password secrets.Value, email string) []fault.Field {
	text := password.Reveal()
	switch {
	case len(text) < minPassword || len(text) > maxPassword:
		bad = append(bad, fault.Field{Path: "password", Problem: "must have 12 to 256 bytes; a few unrelated words make a good one"})
	case NormalEmail(text) == email:
		bad = append(bad, fault.Field{Path: "password", Problem: "must not be the e-mail address"})
	}
	return bad
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails: it ends the process instead
	return b
}
