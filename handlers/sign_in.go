package handlers

import (
	"context"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/guard"
)

// meteredSignIn counts passwords that were wrong.
type meteredSignIn struct {
	*identity.SignIn
	meter guard.Meter // nil: nobody counts
}

// Open implements api.SessionOpener.
func (s meteredSignIn) Open(ctx context.Context, who access.Principal, email string, password secrets.Value) (identity.Session, error) {
	session, err := s.SignIn.Open(ctx, who, email, password)
	if s.meter != nil && fault.Is(err, fault.Unauthenticated) {
		s.meter.AuthenticationFailed("password")
	}
	return session, err
}
