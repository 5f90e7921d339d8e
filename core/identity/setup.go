package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/secrets"
)

// ErrSetupClosed says that there is, or was, an administrator already.
var ErrSetupClosed = fault.New(fault.Conflict, "setup.closed",
	"Berth has been set up already. Sign in, or ask an administrator for an account.")

var (
	errNoBootstrapToken = fault.New(fault.Forbidden, "setup.token_missing",
		"BOOTSTRAP_TOKEN is not set on the server. Set it, restart the server and try again.")
	errBootstrapToken = fault.New(fault.Forbidden, "setup.token_wrong",
		"This is not the bootstrap token. It is the value of BOOTSTRAP_TOKEN in the server's environment.")
)

// Founders keeps the first administrator.
type Founders interface {
	// SetupNeeded reports whether set-up has never been completed.
	SetupNeeded(ctx context.Context) (bool, error)
	// AddFirstAdministrator stores the user with their password's hash, closes set-up for ever and
	// audits it, all or nothing. ErrSetupClosed when somebody was first.
	AddFirstAdministrator(ctx context.Context, who access.Principal, user User, hash string) error
}

// SetupStatus is what anybody may know about set-up.
type SetupStatus struct {
	Needed          bool // there is no administrator yet
	TokenConfigured bool // BOOTSTRAP_TOKEN is set
}

// FirstAdministrator is what the first one says about themselves.
type FirstAdministrator struct {
	BootstrapToken secrets.Value
	Email          string
	Password       secrets.Value
	Name           string
}

// SetUp makes the first administrator, once.
type SetUp struct {
	store     Founders
	passwords *Passwords
	token     secrets.Value // BOOTSTRAP_TOKEN; empty: not set
	now       core.Clock
	throttle  *throttle
	gate      chan struct{} // holds one token: whoever took it is setting up
	refusals  *Refusals     // of tokens; nil: nobody notes them
}

// NewSetUp returns a SetUp; token is BOOTSTRAP_TOKEN and may be empty.
func NewSetUp(store Founders, passwords *Passwords, token secrets.Value, now core.Clock) *SetUp {
	return &SetUp{store: store, passwords: passwords, token: token, now: now, throttle: newThrottle(now), gate: make(chan struct{}, 1)}
}

// Noting makes SetUp note wrong tokens.
func (s *SetUp) Noting(refusals *Refusals) *SetUp {
	s.refusals = refusals
	return s
}

// Status tells whether set-up is needed and possible.
func (s *SetUp) Status(ctx context.Context) (SetupStatus, error) {
	needed, err := s.store.SetupNeeded(ctx)
	return SetupStatus{Needed: needed, TokenConfigured: !s.token.Empty()}, err
}

// Create makes the first administrator; who is anonymous and says where the request came
// from. Conflict "setup.closed", Forbidden "setup.token_wrong" or "setup.token_missing", TooMany
// "auth.too_many", Invalid "setup.invalid" with every bad field. Tries within this process take turns, so
// that only the first costs the work of a password; between processes the store decides.
func (s *SetUp) Create(ctx context.Context, who access.Principal, ask FirstAdministrator) (User, error) {
	select {
	case s.gate <- struct{}{}:
		defer func() { <-s.gate }()
	case <-ctx.Done():
		return User{}, ctx.Err()
	}
	needed, err := s.store.SetupNeeded(ctx)
	if err != nil {
		return User{}, err
	}
	if !needed {
		return User{}, ErrSetupClosed
	}
	if err := s.checkToken(ctx, who, ask.BootstrapToken); err != nil {
		return User{}, err
	}
	return s.create(ctx, who, ask)
}

func (s *SetUp) checkToken(ctx context.Context, who access.Principal, token secrets.Value) error {
	if s.token.Empty() {
		return errNoBootstrapToken
	}
	try, err := s.throttle.begin("setup", who.Address)
	if err != nil {
		return err
	}
	// Sums are compared, so that not even the length shows.
	got, want := sha256.Sum256([]byte(token.Reveal())), sha256.Sum256([]byte(s.token.Reveal()))
	if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
		s.refusals.Note(ctx, who.Audit("setup.complete", "", "the bootstrap token is wrong"))
		return errBootstrapToken
	}
	try.succeeded()
	return nil
}

func (s *SetUp) create(ctx context.Context, who access.Principal, ask FirstAdministrator) (User, error) {
	now := stamp(s.now)
	user := User{ID: core.UserID(core.NewID(core.PrefixUser, now)), Email: NormalEmail(ask.Email), Name: ask.Name,
		Role: access.RoleAdmin, CreatedAt: now, UpdatedAt: now}
	bad := checkPassword(checkName(checkEmail(nil, user.Email), user.Name), ask.Password, user.Email)
	if err := fault.BadFields("setup.invalid", bad); err != nil {
		return User{}, err
	}
	hash, err := s.passwords.Hash(ctx, ask.Password)
	if err != nil {
		return User{}, err
	}
	founder := user.Principal("")
	founder.Address = who.Address
	return user, s.store.AddFirstAdministrator(ctx, founder, user, hash)
}
