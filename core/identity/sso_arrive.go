package identity

import (
	"context"
	"strings"
	"unicode/utf8"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
)

// arrive judges what came back, and asks the provider who it is.
func (s *SSO) arrive(ctx context.Context, aim string, back Return) (ProviderIdentity, error) {
	state, err := readProviderState(s.signIn.macs, aim, back.State, back.Cookie, s.signIn.now())
	if err != nil {
		return ProviderIdentity{}, err
	}
	if err := s.store.SpendState(ctx, state.spend, state.until); fault.Is(err, fault.Conflict) {
		return ProviderIdentity{}, errTripUsed
	} else if err != nil {
		return ProviderIdentity{}, err
	}
	if back.Issuer != "" && back.Issuer != s.options.Issuer {
		return ProviderIdentity{}, errTripIssuer
	}
	if back.Problem != "" || back.Code == "" {
		return ProviderIdentity{}, declined(back.Problem)
	}
	return s.options.Provider.Exchange(ctx, s.trip(back.State), back.Code)
}

// finish finds the account of whoever came back, with the role that it has from now on.
func (s *SSO) finish(ctx context.Context, who access.Principal, back Return) (user User, kept bool, err error) {
	said, err := s.arrive(ctx, aimSignIn, back)
	if err != nil {
		return User{}, false, err
	}
	known, err := s.store.ProviderUser(ctx, said.Issuer, said.Subject)
	switch {
	case fault.Is(err, fault.NotFound):
		user, err = s.newcomer(ctx, who, said)
		return user, false, err
	case err != nil:
		return User{}, false, err
	case known.Disabled:
		return known.User, false, errProviderDisabled
	case !known.Made:
		return known.User, false, nil // its role is what people here say
	}
	role, fits := s.options.Roles.Role(said.Claims)
	user, kept, err = s.store.RefreshRole(ctx, known.User.from(who), known.ID, role)
	if err == nil && !fits && !kept {
		err = errNoRole
	}
	return user, kept, err
}

// newcomer makes the account of somebody who was never here. An address says nothing of who they are: one that an account
// has already gives them no more than any other.
func (s *SSO) newcomer(ctx context.Context, who access.Principal, said ProviderIdentity) (User, error) {
	role, fits := s.options.Roles.Role(said.Claims)
	if !fits {
		return User{}, errNoRole
	}
	if !said.EmailVerified || len(checkEmail(nil, said.Email)) > 0 {
		return User{}, errUnverified
	}
	now := stamp(s.signIn.now)
	user := User{ID: core.UserID(core.NewID(core.PrefixUser, now)), Email: said.Email, Name: nameOf(said), Role: role, SignOn: true, CreatedAt: now, UpdatedAt: now}
	err := s.store.AddProviderUser(ctx, user.from(who), user, said.Issuer, said.Subject)
	if fault.CodeOf(err) == "user.email_taken" {
		err = errProviderEmail
	}
	if err != nil {
		return User{}, err
	}
	return user, nil
}

// nameOf is the name that somebody has at the provider, when people here can have such a one; else their address.
func nameOf(said ProviderIdentity) string {
	if name := strings.TrimSpace(said.Name); len(checkName(nil, name)) == 0 {
		return name
	}
	if utf8.RuneCountInString(said.Email) <= maxName {
		return said.Email
	}
	return string([]rune(said.Email)[:maxName])
}
