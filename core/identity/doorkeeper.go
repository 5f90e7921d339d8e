package identity

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
)

var (
	errSession = fault.New(fault.Unauthenticated, "auth.session_ended", "The session has ended. Sign in again.")
	errKey     = fault.New(fault.Unauthenticated, "auth.key_invalid",
		"The API key is not valid: it is mistyped, expired or revoked, or its service account is disabled. Make a new one under Settings, Service Accounts.")
)

// Credentials looks up what is kept of a credential, with whoever it belongs to as they
// are now. NotFound when there is none.
type Credentials interface {
	// StoredSession returns a session by its id.
	StoredSession(ctx context.Context, id core.SessionID) (StoredSession, error)
	// StoredKey returns an API key by its id.
	StoredKey(ctx context.Context, id core.APIKeyID) (StoredKey, error)
	// NoteKeyUsed keeps when a key was used, and from where, unless that was noted since then.
	NoteKeyUsed(ctx context.Context, id core.APIKeyID, at, since time.Time, address string) error
}

// usedEvery is how often the use of a key is noted, and noteWithin how long a request waits for that.
const (
	usedEvery  = 5 * time.Minute
	noteWithin = 200 * time.Millisecond
)

// Doorkeeper turns the credential of a request into who asks. It keeps nothing: what is
// revoked is refused from the next request on. All it writes is, now and then, that a key was used.
type Doorkeeper struct {
	store Credentials
	macs  MACs
	now   core.Clock

	demanding bool // administrators have to have a second factor
}

// Demanding makes administrators set up a second factor before they may do anything else, when yes says so.
func (d *Doorkeeper) Demanding(yes bool) *Doorkeeper {
	d.demanding = yes
	return d
}

// NewDoorkeeper returns a Doorkeeper.
func NewDoorkeeper(store Credentials, macs MACs, now core.Clock) *Doorkeeper {
	return &Doorkeeper{store: store, macs: macs, now: now}
}

// BySession returns the user whose browser carries this cookie. Unauthenticated "auth.session_ended".
func (d *Doorkeeper) BySession(ctx context.Context, cookie string) (access.Principal, error) {
	id, secret, ok := splitCookie(cookie)
	if !ok {
		return access.Principal{}, errSession
	}
	kept, err := d.store.StoredSession(ctx, id)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return access.Principal{}, err
	}
	// An unknown session has no code, and no message has that one.
	genuine := d.macs.VerifyMAC(seal.PurposeSession, sessionMessage(id, secret), kept.MAC)
	if !genuine || !d.now().Before(kept.ExpiresAt) || kept.User.Disabled {
		return access.Principal{}, errSession
	}
	p := kept.User.Principal(kept.ID)
	p.MustEnrol = d.demanding && p.Role == access.RoleAdmin && !kept.User.SecondFactor
	return p, nil
}

// ByAPIKey returns the service account to which this key belongs, which was shown from an address. Unauthenticated "auth.key_invalid".
func (d *Doorkeeper) ByAPIKey(ctx context.Context, text, address string) (access.Principal, error) {
	token, err := seal.ParseToken(text)
	if err != nil || token.Kind() != seal.TokenAPIKey {
		return access.Principal{}, errKey
	}
	kept, err := d.store.StoredKey(ctx, core.APIKeyID(token.ID()))
	if err != nil && !fault.Is(err, fault.NotFound) {
		return access.Principal{}, err
	}
	now := d.now()
	genuine := d.macs.VerifyToken(token, kept.MAC)
	if !genuine || kept.Key.Expired(now) || kept.Account.Disabled {
		return access.Principal{}, errKey
	}
	if since := now.Add(-usedEvery); kept.Key.LastUsedAt.Before(since) {
		d.noteUsed(ctx, kept.Key.ID, now, since, address)
	}
	p := kept.Account.Principal()
	p.Key = string(kept.Key.ID)
	return p, nil
}

// noteUsed keeps that a key was used. Whoever shows a good key is not turned away because that cannot be written down.
func (d *Doorkeeper) noteUsed(ctx context.Context, id core.APIKeyID, at, since time.Time, address string) {
	ctx, cancel := context.WithTimeout(ctx, noteWithin)
	defer cancel()
	_ = d.store.NoteKeyUsed(ctx, id, at, since, address)
}
