package handlers

import (
	"context"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/guard"
)

// meteredSetUp counts bootstrap tokens that were wrong.
type meteredSetUp struct {
	*identity.SetUp
	meter guard.Meter // nil: nobody counts
}

// Create implements api.Founder and ui.Founder.
func (s meteredSetUp) Create(ctx context.Context, who access.Principal, ask identity.FirstAdministrator) (identity.User, error) {
	user, err := s.SetUp.Create(ctx, who, ask)
	if s.meter != nil && fault.CodeOf(err) == "setup.token_wrong" {
		s.meter.AuthenticationFailed("bootstrap_token")
	}
	return user, err
}

// meteredSignIn counts passwords that were wrong.
type meteredSignIn struct {
	*identity.SignIn
	meter guard.Meter // nil: nobody counts
}

// OpenWithCode implements api.SessionOpener.
func (s meteredSignIn) OpenWithCode(ctx context.Context, who access.Principal, email string, password secrets.Value, code string) (identity.Session, error) {
	session, err := s.SignIn.OpenWithCode(ctx, who, email, password, code)
	s.count(err)
	return session, err
}

// Begin implements ui.SessionOpener.
func (s meteredSignIn) Begin(ctx context.Context, who access.Principal, email string, password secrets.Value) (identity.Session, secrets.Value, error) {
	session, ticket, err := s.SignIn.Begin(ctx, who, email, password)
	s.count(err)
	return session, ticket, err
}

// Continue implements ui.SessionOpener.
func (s meteredSignIn) Continue(ctx context.Context, who access.Principal, ticket, code string) (identity.Session, error) {
	session, err := s.SignIn.Continue(ctx, who, ticket, code)
	s.count(err)
	return session, err
}

func (s meteredSignIn) count(err error) {
	if s.meter != nil && fault.Is(err, fault.Unauthenticated) && fault.CodeOf(err) != "auth.code_required" {
		s.meter.AuthenticationFailed("password")
	}
}

// meteredSignOn counts what came back from the provider and was refused.
type meteredSignOn struct {
	*identity.SSO
	meter guard.Meter // nil: nobody counts
}

// Finish implements ui.SignOnDesk.
func (s meteredSignOn) Finish(ctx context.Context, who access.Principal, back identity.Return) (identity.Arrival, error) {
	arrival, err := s.SSO.Finish(ctx, who, back)
	s.count(err)
	return arrival, err
}

// FinishLink implements ui.SignOnDesk.
func (s meteredSignOn) FinishLink(ctx context.Context, who access.Principal, back identity.Return) error {
	err := s.SSO.FinishLink(ctx, who, back)
	s.count(err)
	return err
}

// count counts err unless it says that nobody could judge: the provider is away, or there were too many tries.
func (s meteredSignOn) count(err error) {
	if s.meter != nil && (fault.Is(err, fault.Unauthenticated) || fault.Is(err, fault.Forbidden) || fault.Is(err, fault.Conflict)) {
		s.meter.AuthenticationFailed("oidc")
	}
}
