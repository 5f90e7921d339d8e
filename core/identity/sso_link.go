package identity

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/secrets"
)

// OwnLink is how the asker's account may sign in at the provider.
type OwnLink struct {
	ProviderLink
	Provider string // its name, for people
	Linked   bool   // else the account signs in with its password alone
}

// aimLink is the aim of a trip that links the account of who asks, from this session alone.
func aimLink(who access.Principal) string { return "link\x00" + who.ID + "\x00" + who.Session }

// Own returns how the asker's account may sign in. NotFound "oidc.off", Forbidden "profile.not_a_person".
func (s *SSO) Own(ctx context.Context, who access.Principal) (OwnLink, error) {
	if who.Kind != access.KindUser {
		return OwnLink{}, errNotAPerson
	}
	if s.options.Provider == nil {
		return OwnLink{}, errSSOOff
	}
	link, err := s.store.ProviderLink(ctx, core.UserID(who.ID), s.options.Issuer)
	if fault.Is(err, fault.NotFound) {
		return OwnLink{Provider: s.options.Name}, nil
	}
	return OwnLink{ProviderLink: link, Provider: s.options.Name, Linked: err == nil}, err
}

// BeginLink sends the asker to the provider to have their account linked. It demands their password: what is linked is one
// more way in, for as long as it stays. Forbidden "profile.not_a_person", Invalid "profile.invalid", Conflict
// "oidc.no_password", "oidc.linked", and what Begin says.
func (s *SSO) BeginLink(ctx context.Context, who access.Principal, password secrets.Value) (Departure, error) {
	if who.Kind != access.KindUser || who.Session == "" {
		return Departure{}, errNotAPerson
	}
	if err := s.may(who); err != nil {
		return Departure{}, err
	}
	_, hash, err := s.signIn.people.self(ctx, who)
	if err != nil {
		return Departure{}, err
	}
	if own, err := s.Own(ctx, who); err != nil {
		return Departure{}, err
	} else if own.Linked {
		return Departure{}, ErrLinked
	}
	if err := s.signIn.people.prove(ctx, who, "oidc.link", hash, password); err != nil {
		return Departure{}, err
	}
	return s.depart(ctx, aimLink(who), "")
}

// Links reports whether a state that came back was begun to link the asker's account.
func (s *SSO) Links(who access.Principal, back Return) bool {
	if who.Kind != access.KindUser || who.Session == "" {
		return false
	}
	_, err := readProviderState(s.signIn.macs, aimLink(who), back.State, back.Cookie, s.signIn.now())
	return err == nil
}

// FinishLink ends a trip to link the asker's account. Conflict "oidc.linked", and what Finish says of trips.
func (s *SSO) FinishLink(ctx context.Context, who access.Principal, back Return) error {
	if err := s.may(who); err != nil {
		return err
	}
	said, err := s.arrive(ctx, aimLink(who), back)
	if err == nil {
		err = s.store.LinkProvider(ctx, who, said.Issuer, said.Subject)
	}
	if err != nil {
		s.refused(ctx, who, "oidc.link", userOf(who), err)
	}
	return err
}

// Unlink has the asker sign in with their password alone. Forbidden "profile.not_a_person", NotFound "oidc.off",
// "oidc.not_linked", Conflict "oidc.made".
func (s *SSO) Unlink(ctx context.Context, who access.Principal) error {
	if who.Kind != access.KindUser {
		return errNotAPerson
	}
	if s.options.Provider == nil {
		return errSSOOff
	}
	return s.store.UnlinkProvider(ctx, who, s.options.Issuer)
}
