package identity

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/secrets"
)

// errSignIn does not say which of the two is wrong, nor that an account is disabled.
var errSignIn = fault.New(fault.Unauthenticated, "auth.failed",
	"The e-mail address or the password is wrong, or the account is disabled.")

// Sessions keeps sessions and knows users by their address.
type Sessions interface {
	Journal
	// UserByEmail returns the user with a normalised address and the hash of their
	// password. NotFound when there is none.
	UserByEmail(ctx context.Context, email string) (User, string, error)
	// OpenSession stores a session, ends the one it replaces (empty: none) and those that have expired, and
	// audits it. Unauthenticated when the user has been disabled or removed meanwhile.
	OpenSession(ctx context.Context, who access.Principal, session StoredSession, replaced core.SessionID) error
	// CloseSession ends the session that who asks with. Ending one that has ended is no error.
	CloseSession(ctx context.Context, who access.Principal) error
}

// SignIn opens and closes the sessions of people.
type SignIn struct {
	store     Sessions
	passwords *Passwords
	macs      MACs
	now       core.Clock
	throttle  *throttle
	refusals  *Refusals
	people    *People // asks for second factors; nil: who has one cannot sign in
}

// NewSignIn returns a SignIn.
func NewSignIn(store Sessions, passwords *Passwords, macs MACs, now core.Clock) *SignIn {
	return &SignIn{store: store, passwords: passwords, macs: macs, now: now, throttle: newThrottle(now), refusals: NewRefusals(store, now)}
}

// Open opens a session; who says where the request came from and, with its session, which
// one this replaces: a session never survives signing in. Unauthenticated "auth.failed", or
// "auth.code_required" for who has a second factor; TooMany "auth.too_many", Unavailable "auth.busy".
func (s *SignIn) Open(ctx context.Context, who access.Principal, email string, password secrets.Value) (Session, error) {
	return s.OpenWithCode(ctx, who, email, password, "")
}

// first finds out whose password this is.
func (s *SignIn) first(ctx context.Context, who access.Principal, email string, password secrets.Value) (User, string, error) {
	email = NormalEmail(email)
	if len(email) > maxEmail || len(password.Reveal()) > maxPassword {
		return User{}, "", errSignIn
	}
	try, err := s.throttle.begin(email, who.Address)
	if err != nil {
		return User{}, "", err
	}
	user, hash, err := s.prove(ctx, email, password)
	if err != nil {
		if !fault.Is(err, fault.Unauthenticated) {
			try.giveBack() // nothing was learnt from it
			return User{}, "", err
		}
		s.refusals.NoteOf(ctx, who.Audit("session.open", string(user.ID), "the password is wrong, or the account unknown or disabled"), email)
		return User{}, "", err
	}
	try.succeeded()
	return user, hash, nil
}

// open opens the session of somebody who has proven who they are.
func (s *SignIn) open(ctx context.Context, who access.Principal, user User) (Session, error) {
	return s.openBy(ctx, who, user, "")
}

func (s *SignIn) openBy(ctx context.Context, who access.Principal, user User, way string) (Session, error) {
	session, kept := newSession(s.macs, user, stamp(s.now))
	kept.Address, kept.Agent, kept.Way = who.Address, who.Agent, way
	asker := user.from(who)
	asker.Session = string(session.ID)
	return session, s.store.OpenSession(ctx, asker, kept, core.SessionID(who.Session))
}

// prove returns the enabled user whose password this is, and its hash, and with errSignIn whoever has the address. It costs the same
// whoever they are.
func (s *SignIn) prove(ctx context.Context, email string, password secrets.Value) (User, string, error) {
	user, hash, err := s.store.UserByEmail(ctx, email)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return User{}, "", err
	}
	fits, err := s.passwords.Verify(ctx, hash, password)
	if err != nil {
		return User{}, "", err
	}
	if !fits || user.Disabled {
		return user, "", errSignIn
	}
	return user, hash, nil
}

// Close ends the session that who asks with; an API key has none to end.
func (s *SignIn) Close(ctx context.Context, who access.Principal) error {
	if who.Session == "" {
		return nil
	}
	return s.store.CloseSession(ctx, who)
}
