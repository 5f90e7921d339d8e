package identity

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/secrets"
)

// OpenSession is a session as its owner sees it.
type OpenSession struct {
	ID        core.SessionID
	Address   string // from which it was opened; empty: that was not kept
	Agent     string // what the browser called itself then
	CreatedAt time.Time
	ExpiresAt time.Time
}

// ProfileChange is what somebody changes about themselves; nil leaves it alone.
type ProfileChange struct {
	Name  *string
	Email *string
	// Password is the present one. Another e-mail address demands it: whoever has the address can have the account.
	Password secrets.Value
}

var (
	errNotAPerson = fault.New(fault.Forbidden, "profile.not_a_person",
		"This is about the account of a person who has signed in. A service account has none; an administrator changes it under Settings, Service Accounts.")
	errPasswordAsked = fault.BadFields("profile.invalid", []fault.Field{{Path: "password", Problem: "is asked for: give your present password, because another e-mail address demands it"}})
	errOldPassword   = fault.BadFields("profile.invalid", []fault.Field{{Path: "password", Problem: "is not your present password"}})
)

// self returns the user who asks and the hash of their password.
func (p *People) self(ctx context.Context, who access.Principal) (User, string, error) {
	if who.Kind != access.KindUser {
		return User{}, "", errNotAPerson
	}
	return p.store.UserWithPassword(ctx, core.UserID(who.ID))
}

// Self returns the user who asks. Forbidden "profile.not_a_person".
func (p *People) Self(ctx context.Context, who access.Principal) (User, error) {
	user, _, err := p.self(ctx, who)
	return user, err
}

// HasPassword reports whether the asker has a password: who signs in at a provider may have none. Forbidden
// "profile.not_a_person".
func (p *People) HasPassword(ctx context.Context, who access.Principal) (bool, error) {
	_, hash, err := p.self(ctx, who)
	return hash != "", err
}

// proveAny is prove for what an account without a password may do as well.
func (p *People) proveAny(ctx context.Context, who access.Principal, what, hash string, password secrets.Value) error {
	if hash == "" {
		return nil
	}
	return p.prove(ctx, who, what, hash, password)
}

// prove demands the asker's present password for what the audit calls what. Conflict "oidc.no_password" when there is none.
func (p *People) prove(ctx context.Context, who access.Principal, what, hash string, password secrets.Value) error {
	if hash == "" {
		return errNoPassword
	}
	try, err := p.throttle.begin("password "+who.ID, who.Address)
	if err != nil {
		return err
	}
	fits := false
	if len(password.Reveal()) <= maxPassword {
		fits, err = p.passwords.Verify(ctx, hash, password)
	}
	switch {
	case err != nil:
		try.giveBack() // nothing was learnt from it
		return err
	case !fits:
		p.refusals.Note(ctx, who.Audit(what, who.ID, "the present password is wrong"))
		return errOldPassword
	}
	try.succeeded()
	return nil
}

// ChangePassword sets the asker's password and ends their other sessions. Forbidden "profile.not_a_person", Invalid
// "profile.invalid", TooMany "auth.too_many".
func (p *People) ChangePassword(ctx context.Context, who access.Principal, old, fresh secrets.Value) error {
	user, hash, err := p.self(ctx, who)
	if err != nil {
		return err
	}
	var bad []fault.Field
	for _, f := range checkPassword(nil, fresh, user.Email) {
		bad = append(bad, fault.Field{Path: "new_password", Problem: f.Problem})
	}
	if err := fault.BadFields("profile.invalid", bad); err != nil {
		return err
	}
	if err := p.prove(ctx, who, "profile.password", hash, old); err != nil {
		return err
	}
	if hash, err = p.passwords.Hash(ctx, fresh); err != nil {
		return err
	}
	return p.store.SetPassword(ctx, who, hash)
}

// ChangeProfile changes the asker's name or e-mail address. Forbidden "profile.not_a_person", Invalid
// "profile.invalid", Conflict "user.email_taken", TooMany "auth.too_many".
func (p *People) ChangeProfile(ctx context.Context, who access.Principal, change ProfileChange) (User, error) {
	user, hash, err := p.self(ctx, who)
	if err != nil {
		return User{}, err
	}
	before := user
	if change.Name != nil {
		user.Name = *change.Name
	}
	if change.Email != nil {
		user.Email = NormalEmail(*change.Email)
	}
	if user == before {
		return user, nil
	}
	if err := fault.BadFields("profile.invalid", checkName(checkEmail(nil, user.Email), user.Name)); err != nil {
		return User{}, err
	}
	if user.Email != before.Email {
		if hash != "" && change.Password.Empty() {
			return User{}, errPasswordAsked
		}
		if err := p.prove(ctx, who, "profile.change", hash, change.Password); err != nil {
			return User{}, err
		}
	}
	user.UpdatedAt = stamp(p.now)
	return user, p.store.ChangeProfile(ctx, who, user)
}

// Sessions lists the asker's open sessions, newest first. Forbidden "profile.not_a_person".
func (p *People) Sessions(ctx context.Context, who access.Principal) ([]OpenSession, error) {
	if who.Kind != access.KindUser {
		return nil, errNotAPerson
	}
	return p.store.OpenSessions(ctx, core.UserID(who.ID))
}

// EndSession ends one of the asker's sessions. NotFound "session.not_found".
func (p *People) EndSession(ctx context.Context, who access.Principal, id core.SessionID) error {
	return p.store.EndSession(ctx, who, id)
}
