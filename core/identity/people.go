package identity

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/pace"
	"berth/core/seal"
	"berth/core/secrets"
)

// PeopleStore keeps how accounts come to be and what people change about their own. Each change is audited in the
// transaction that makes it.
type PeopleStore interface {
	FactorStore

	// AddInvitation stores an invitation in place of an open one to the same address. Conflict "user.email_taken".
	AddInvitation(ctx context.Context, who access.Principal, invitation StoredInvitation) error
	// StoredInvitation returns an invitation, good or not. NotFound "invitation.not_found".
	StoredInvitation(ctx context.Context, id core.InvitationID) (StoredInvitation, error)
	// AcceptInvitation spends an invitation and adds its user, all or nothing. NotFound "invitation.not_found" when
	// somebody was first, Conflict "user.email_taken".
	AcceptInvitation(ctx context.Context, who access.Principal, id core.InvitationID, user User, hash string) error

	// UserByEmail returns the user with a normalised address. NotFound when there is none.
	UserByEmail(ctx context.Context, email string) (User, string, error)
	// UserWithPassword returns a user and the hash of their password. NotFound "user.not_found".
	UserWithPassword(ctx context.Context, id core.UserID) (User, string, error)
	// AddReset stores a password reset; of a user's at most a few are kept. NotFound "user.not_found".
	AddReset(ctx context.Context, who access.Principal, reset StoredReset) error
	// StoredReset returns a password reset with its user as they are now. NotFound "reset.not_found".
	StoredReset(ctx context.Context, id core.ResetID) (StoredReset, error)
	// SpendReset sets the password of a reset's user, ends their sessions and all their resets. NotFound
	// "reset.not_found" when it was spent.
	SpendReset(ctx context.Context, who access.Principal, id core.ResetID, hash string) error

	// SetPassword sets the asker's password and ends their other sessions and all their resets.
	SetPassword(ctx context.Context, who access.Principal, hash string) error
	// ChangeProfile stores name and e-mail address of the asker. Conflict "user.email_taken".
	ChangeProfile(ctx context.Context, who access.Principal, user User) error
	// OpenSessions lists the sessions of a user that are open, newest first.
	OpenSessions(ctx context.Context, user core.UserID) ([]OpenSession, error)
	// EndSession ends one session of the asker. NotFound "session.not_found", also when it is another's.
	EndSession(ctx context.Context, who access.Principal, id core.SessionID) error
}

// inviting is how often one administrator may make links that let somebody in.
var inviting = pace.Rule{Burst: 50, Every: 10 * time.Second}

// guessing is how often codes of an account may be tried from addresses where nobody has signed in to it: there are only
// a million, of which three are good at any time.
var guessing = pace.Rule{Burst: 10, Every: 5 * time.Minute}

// People holds the use cases of accounts beside signing in: invitations, password resets and what people change about
// themselves. Its fields are set once.
type People struct {
	store     PeopleStore
	passwords *Passwords
	macs      MACs
	keys      Keys
	now       core.Clock
	links     *pace.Buckets // made, by who makes them
	codes     *throttle     // of second factors
	throttle  *throttle     // of links that are opened, and of passwords that are asked again
	letters   Letters       // nil: nothing is sent
	app       string        // origin of the server
	forgotten *pace.Buckets // links that were sent, by address; nil without letters
	refusals  *Refusals     // of passwords and codes that were asked again; nil: nobody notes them
}

// NewPeople returns a People.
func NewPeople(store PeopleStore, passwords *Passwords, keys Keys, now core.Clock) *People {
	codes := newThrottle(now)
	codes.account = pace.New(guessing, maxKeys, now)
	return &People{store: store, passwords: passwords, macs: keys, keys: keys, codes: codes, now: now, links: pace.New(inviting, maxKeys, now), throttle: newThrottle(now)}
}

// Noting makes People note wrong passwords and codes of those who have signed in.
func (p *People) Noting(refusals *Refusals) *People {
	p.refusals = refusals
	return p
}

// Invite makes an invitation; the token is shown to the caller once and kept by nobody. One that is open for the
// same address is good no more. Invalid "invitation.invalid", Conflict "user.email_taken", TooMany "auth.too_many".
func (p *People) Invite(ctx context.Context, who access.Principal, email string, role access.Role) (Invitation, seal.Token, error) {
	email = NormalEmail(email)
	if err := fault.BadFields("invitation.invalid", checkRole(checkEmail(nil, email), role)); err != nil {
		return Invitation{}, seal.Token{}, err
	}
	if err := p.mayLink(who); err != nil {
		return Invitation{}, seal.Token{}, err
	}
	now := stamp(p.now)
	kept := StoredInvitation{Invitation: Invitation{ID: core.InvitationID(core.NewID(core.PrefixInvitation, now)), Email: email, Role: role,
		By: userOf(who), ByName: who.Name, CreatedAt: now, ExpiresAt: now.Add(InvitationLife)}}
	token := seal.NewToken(seal.TokenInvitation, string(kept.ID))
	kept.MAC = p.macs.MACToken(token)
	if err := p.store.AddInvitation(ctx, who, kept); err != nil {
		return kept.Invitation, token, err
	}
	kept.Sent = p.sendInvitation(ctx, kept.Invitation, token)
	return kept.Invitation, token, nil
}

func (p *People) mayLink(who access.Principal) error {
	if wait := p.links.Take(string(who.Kind) + " " + who.ID); wait > 0 {
		return tooMany(wait)
	}
	return nil
}

// userOf returns the user who asks; empty when a program does.
func userOf(who access.Principal) core.UserID {
	if who.Kind != access.KindUser {
		return ""
	}
	return core.UserID(who.ID)
}

// Invited returns what an invitation's link offers. NotFound "invitation.ended", TooMany "auth.too_many".
func (p *People) Invited(ctx context.Context, who access.Principal, link string) (Invitation, error) {
	token, try, err := p.follow(who, link, seal.TokenInvitation, errInvitation)
	if err != nil {
		return Invitation{}, err
	}
	kept, err := p.store.StoredInvitation(ctx, core.InvitationID(token.ID()))
	if err != nil && !fault.Is(err, fault.NotFound) {
		try.giveBack() // nothing was learnt from it
		return Invitation{}, err
	}
	// An unknown invitation has no code, and no token has that one.
	if genuine := p.macs.VerifyToken(token, kept.MAC); !genuine || !p.now().Before(kept.ExpiresAt) {
		return Invitation{}, errInvitation
	}
	try.succeeded()
	return kept.Invitation, nil
}

// follow reads the token of a link and counts the try. ended is what is wrong with one that is none.
func (p *People) follow(who access.Principal, link string, kind seal.TokenKind, ended error) (seal.Token, try, error) {
	token, err := seal.ParseToken(link)
	if err != nil || token.Kind() != kind {
		return seal.Token{}, try{}, ended
	}
	try, err := p.throttle.begin(token.ID(), who.Address)
	return token, try, err
}

// Accept makes the account that a link offers; who says where the request came from. NotFound "invitation.ended",
// Invalid "user.invalid" with every bad field, Conflict "user.email_taken", TooMany "auth.too_many".
func (p *People) Accept(ctx context.Context, who access.Principal, link, name string, password secrets.Value) (User, error) {
	invitation, err := p.Invited(ctx, who, link)
	if err != nil {
		return User{}, err
	}
	if err := fault.BadFields("user.invalid", checkPassword(checkName(nil, name), password, invitation.Email)); err != nil {
		return User{}, err
	}
	hash, err := p.passwords.Hash(ctx, password)
	if err != nil {
		return User{}, err
	}
	now := stamp(p.now)
	user := User{ID: core.UserID(core.NewID(core.PrefixUser, now)), Email: invitation.Email, Name: name, Role: invitation.Role, CreatedAt: now, UpdatedAt: now}
	err = p.store.AcceptInvitation(ctx, user.from(who), invitation.ID, user, hash)
	if fault.Is(err, fault.NotFound) {
		err = errInvitation
	}
	return user, err
}

// from is the user as who asks, from where another asked.
func (u User) from(who access.Principal) access.Principal {
	p := u.Principal("")
	p.Address, p.Agent = who.Address, who.Agent
	return p
}
