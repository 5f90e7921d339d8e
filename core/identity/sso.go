package identity

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/pace"
	"berth/core/secrets"
)

// ProviderStore keeps which accounts belong to whom at a provider. Each change is audited in the transaction that makes it.
type ProviderStore interface {
	// SpendState notes that a state came back, until it has expired. Conflict when it did before.
	SpendState(ctx context.Context, spend string, until time.Time) error
	// ProviderUser returns the account of somebody at a provider. NotFound when there is none.
	ProviderUser(ctx context.Context, issuer, subject string) (ProviderUser, error)
	// ProviderLink returns how an account signs in at a provider. NotFound "oidc.not_linked".
	ProviderLink(ctx context.Context, user core.UserID, issuer string) (ProviderLink, error)
	// AddProviderUser adds a user without a password who belongs to somebody at a provider. Conflict "user.email_taken", "oidc.linked".
	AddProviderUser(ctx context.Context, who access.Principal, user User, issuer, subject string) error
	// RefreshRole gives a user the role that the provider says; empty: it says none any more, and the user has the least and no
	// session. Of the last administrator who can sign in nothing changes, and kept reports it.
	RefreshRole(ctx context.Context, who access.Principal, id core.UserID, role access.Role) (user User, kept bool, err error)
	// LinkProvider notes that the asker is somebody at a provider. Conflict "oidc.linked".
	LinkProvider(ctx context.Context, who access.Principal, issuer, subject string) error
	// UnlinkProvider undoes that. NotFound "oidc.not_linked", Conflict "oidc.made".
	UnlinkProvider(ctx context.Context, who access.Principal, issuer string) error
}

// ProviderUser is an account that belongs to somebody at a provider.
type ProviderUser struct {
	User
	Made bool // by the provider's word, which says its role, too; else it was here before, and was linked
}

// ProviderLink is how an account signs in at a provider.
type ProviderLink struct {
	Made bool // as in ProviderUser
	At   time.Time
}

// SSOOptions say where people sign in beside here.
type SSOOptions struct {
	Provider Provider // nil: nowhere
	Issuer   string   // of the provider
	Name     string   // of the provider, for people
	Roles    RoleMap  // of accounts that the provider's word makes
	App      string   // origin of this server, without a slash at its end
}

// SSOCallback is the path that the provider sends browsers back to.
const SSOCallback = "/login/oidc/callback"

// arriving is how often one network may begin and end trips. Those that succeed don't count.
var arriving = pace.Rule{Burst: 60, Every: time.Second}

// SSO lets people sign in at a provider. Its fields are set once.
type SSO struct {
	options SSOOptions
	store   ProviderStore
	signIn  *SignIn
	tries   *pace.Buckets // by network
}

// NewSSO returns an SSO that opens sessions as signIn does, which must be Asking.
func NewSSO(o SSOOptions, store ProviderStore, signIn *SignIn) *SSO {
	return &SSO{options: o, store: store, signIn: signIn, tries: pace.New(arriving, maxKeys, signIn.now)}
}

// On returns the name of the provider, for people; false when there is none.
func (s *SSO) On() (name string, on bool) { return s.options.Name, s.options.Provider != nil }

// Departure is where a browser is sent, and the cookie that it is to bring back from there.
type Departure struct {
	Address string
	Cookie  string
	Life    time.Duration // of the cookie
}

const aimSignIn = "sign in"

// Begin sends somebody to the provider to sign in. next is where they want to go afterwards, a path here. NotFound "oidc.off", TooMany
// "auth.too_many", and what Provider says.
func (s *SSO) Begin(ctx context.Context, who access.Principal, next string) (Departure, error) {
	if err := s.may(who); err != nil {
		return Departure{}, err
	}
	return s.depart(ctx, aimSignIn, next)
}

// may counts a try.
func (s *SSO) may(who access.Principal) error {
	if s.options.Provider == nil {
		return errSSOOff
	}
	if wait := s.tries.Take(access.Network(who.Address)); wait > 0 {
		return tooMany(wait)
	}
	return nil
}

func (s *SSO) depart(ctx context.Context, aim, next string) (Departure, error) {
	cookie := rand.Text() + "." + base64.RawURLEncoding.EncodeToString([]byte(next))
	state := newProviderState(s.signIn.macs, aim, cookie, s.signIn.now())
	address, err := s.options.Provider.AuthorizationURL(ctx, s.trip(state))
	return Departure{Address: address, Cookie: cookie, Life: providerTripLife}, err
}

func (s *SSO) trip(state string) ProviderTrip {
	return tripOf(s.signIn.macs, state, s.options.App+SSOCallback)
}

// Return is what a browser brought back.
type Return struct {
	State, Code string
	Issuer      string // who sent it, where the provider says so (RFC 9207); empty: it does not
	Problem     string // the provider's word for why there is no code; empty: there is one
	Cookie      string // as Begin gave it
}

// Next is where somebody wanted to go. It counts when a trip has ended well: until then it is what a browser says.
func (r Return) Next() string {
	_, text, _ := strings.Cut(r.Cookie, ".")
	next, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	return string(next)
}

// Arrival is how somebody came back from the provider.
type Arrival struct {
	Session Session
	Ticket  secrets.Value // instead of a session: a second factor is asked for, as in SignIn.Begin
	Kept    bool          // they stay an administrator because nobody else is one, whatever the provider says
}

// Finish ends a trip to sign in. Conflict "oidc.state_invalid", "oidc.other_browser", "oidc.state_expired",
// "oidc.state_used", "oidc.declined", "oidc.email_taken", Forbidden "oidc.no_role", "oidc.disabled",
// "oidc.email_unverified", and what Begin says.
func (s *SSO) Finish(ctx context.Context, who access.Principal, back Return) (Arrival, error) {
	if err := s.may(who); err != nil {
		return Arrival{}, err
	}
	user, kept, err := s.finish(ctx, who, back)
	if err != nil {
		s.refused(ctx, who, "session.open", user.ID, err)
		return Arrival{}, err
	}
	arrival := Arrival{Kept: kept}
	arrival.Session, arrival.Ticket, err = s.admit(ctx, who, user)
	if err == nil {
		s.tries.Give(access.Network(who.Address))
	}
	return arrival, err
}

// admit opens a session, or has a second factor asked for: the provider's own is not known here.
func (s *SSO) admit(ctx context.Context, who access.Principal, user User) (Session, secrets.Value, error) {
	if !user.SecondFactor {
		session, err := s.signIn.openBy(ctx, who, user, s.way())
		return session, secrets.Value{}, err
	}
	_, hash, err := s.signIn.people.store.UserWithPassword(ctx, user.ID)
	if err != nil {
		return Session{}, secrets.Value{}, err
	}
	return Session{}, s.signIn.ticketFor(user, hash, s.way()), nil
}

// way is how the audit says that somebody signed in.
func (s *SSO) way() string { return "single sign-on at " + s.options.Issuer }

// refused notes a trip that came to nothing. What anybody can make up, a state that is not ours, is not worth a line.
func (s *SSO) refused(ctx context.Context, who access.Principal, action string, user core.UserID, err error) {
	if err == errTripState {
		return
	}
	s.signIn.refusals.Note(ctx, who.Audit(action, string(user), s.way()+": "+fault.CodeOf(err)))
}
