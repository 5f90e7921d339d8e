package identity

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/secrets"
)

// How long the link of a password reset is good.
const (
	ResetLife       = 24 * time.Hour // made by an administrator, who hands it over
	MailedResetLife = time.Hour      // asked for by whoever has forgotten a password
)

// MaxResets is how many password resets of a user are open at most; the oldest end beyond that.
const MaxResets = 3

// Reset lets one person set a new password without the old one.
type Reset struct {
	ID        core.ResetID
	User      core.UserID
	ByName    string // who made it, as the audit shows them
	CreatedAt time.Time
	ExpiresAt time.Time
	Sent      bool // its link was sent by e-mail, too, just now
}

// StoredReset is a reset as it is kept.
type StoredReset struct {
	Reset
	MAC   []byte // of its token
	Owner User   // as they are now
}

var errReset = fault.New(fault.NotFound, "reset.ended",
	"This link is not good: it was used, has expired, was replaced by a newer one, or was copied in part. Ask an administrator for a new one.")

// MakeReset makes a link with which a user sets a new password; it is shown to the caller once and kept by nobody.
// Nothing else changes until it is used. NotFound "user.not_found", Conflict "user.disabled", TooMany "auth.too_many".
func (p *People) MakeReset(ctx context.Context, who access.Principal, user core.UserID) (Reset, seal.Token, error) {
	if err := p.mayLink(who); err != nil {
		return Reset{}, seal.Token{}, err
	}
	kept, token := p.newReset(user, who.Name, ResetLife)
	if err := p.store.AddReset(ctx, who, kept); err != nil {
		return kept.Reset, token, err
	}
	if owner, _, err := p.store.UserWithPassword(ctx, user); err == nil {
		kept.Sent = p.sendReset(ctx, kept, owner.Email, who.Name+" made a link for a new password", token)
	}
	return kept.Reset, token, nil
}

func (p *People) newReset(user core.UserID, by string, life time.Duration) (StoredReset, seal.Token) {
	now := stamp(p.now)
	kept := StoredReset{Reset: Reset{ID: core.ResetID(core.NewID(core.PrefixReset, now)), User: user, ByName: by, CreatedAt: now, ExpiresAt: now.Add(life)}}
	token := seal.NewToken(seal.TokenReset, string(kept.ID))
	kept.MAC = p.macs.MACToken(token)
	return kept, token
}

// Resetting returns whose password a link sets. NotFound "reset.ended", TooMany "auth.too_many".
func (p *People) Resetting(ctx context.Context, who access.Principal, link string) (User, error) {
	kept, err := p.openReset(ctx, who, link)
	return kept.Owner, err
}

func (p *People) openReset(ctx context.Context, who access.Principal, link string) (StoredReset, error) {
	token, try, err := p.follow(who, link, seal.TokenReset, errReset)
	if err != nil {
		return StoredReset{}, err
	}
	kept, err := p.store.StoredReset(ctx, core.ResetID(token.ID()))
	if err != nil && !fault.Is(err, fault.NotFound) {
		try.giveBack() // nothing was learnt from it
		return StoredReset{}, err
	}
	if genuine := p.macs.VerifyToken(token, kept.MAC); !genuine || !p.now().Before(kept.ExpiresAt) || kept.Owner.Disabled {
		return StoredReset{}, errReset
	}
	try.succeeded()
	return kept, nil
}

// SpendReset sets the password of a link's user and ends all their sessions. NotFound "reset.ended", Invalid
// "user.invalid", TooMany "auth.too_many".
func (p *People) SpendReset(ctx context.Context, who access.Principal, link string, password secrets.Value) (User, error) {
	kept, err := p.openReset(ctx, who, link)
	if err != nil {
		return User{}, err
	}
	if err := fault.BadFields("user.invalid", checkPassword(nil, password, kept.Owner.Email)); err != nil {
		return User{}, err
	}
	hash, err := p.passwords.Hash(ctx, password)
	if err != nil {
		return User{}, err
	}
	err = p.store.SpendReset(ctx, kept.Owner.from(who), kept.ID, hash)
	if fault.Is(err, fault.NotFound) {
		err = errReset
	}
	return kept.Owner, err
}
