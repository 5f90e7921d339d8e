package identity

import (
	"context"
	"crypto/rand"
	"encoding/base32"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/secrets"
)

// RecoveryCodes is how many recovery codes come with a second factor, each good once.
const RecoveryCodes = 10

const recoverySize = 10 // characters of a recovery code, of five bits each

// FactorStore keeps second factors. Each change is audited in the transaction that makes it.
type FactorStore interface {
	// SecondFactor returns the sealed secret of a user. NotFound "second_factor.not_found".
	SecondFactor(ctx context.Context, user core.UserID) (seal.Sealed, error)
	// SpendStep notes that the code of a step was used; false when it or a later one was before.
	SpendStep(ctx context.Context, user core.UserID, step int64) (bool, error)
	// SpendRecovery notes that a recovery code of the asker was used; false when there is none with this keyed code.
	SpendRecovery(ctx context.Context, who access.Principal, mac []byte) (bool, error)
	// SetSecondFactor gives the asker a second factor, whose code of a step was used, and ends their other sessions.
	// Conflict "second_factor.there".
	SetSecondFactor(ctx context.Context, who access.Principal, sealed seal.Sealed, step int64, recovery [][]byte) error
	// RemoveSecondFactor takes it from a user, with the recovery codes. NotFound "second_factor.not_found".
	RemoveSecondFactor(ctx context.Context, who access.Principal, user core.UserID) error
}

// Keys makes keyed codes and envelopes; *seal.Ring does.
type Keys interface {
	MACs
	Seal(place seal.Place, plaintext []byte) (seal.Sealed, error)
	Open(place seal.Place, sealed seal.Sealed) ([]byte, error)
}

// Offer is a second factor that nobody has yet: it is kept by nobody until it is confirmed.
type Offer struct {
	Secret  string // base32, to be typed into an authenticator app
	Address string // otpauth://…, the same to be read from a picture
}

var (
	errCodeRequired = fault.New(fault.Unauthenticated, "auth.code_required", "This account has a second factor. Give the code that the authenticator app shows, or a recovery code.")
	errCode         = fault.New(fault.Unauthenticated, "auth.code_wrong", "The code is wrong or was used before. Wait for the next one of the authenticator app, or use a recovery code.")
	errOwnFactor    = fault.New(fault.Conflict, "second_factor.own", "This is your own second factor. Remove it under your profile, with your password and a code.")
	errBadCode      = fault.BadFields("second_factor.invalid", []fault.Field{{Path: "code", Problem: "is not the code that the authenticator app shows now; check that its clock is right"}})
	errOffer        = fault.BadFields("second_factor.invalid", []fault.Field{{Path: "secret", Problem: "is not one that was offered; begin again"}})
)

func factorPlace(user core.UserID) seal.Place {
	return seal.Place{Table: "second_factors", Row: string(user), Column: "sealed"}
}

// OfferFactor makes a second factor for the asker to take into an app. Nothing changes until it is confirmed.
// Forbidden "profile.not_a_person".
func (p *People) OfferFactor(ctx context.Context, who access.Principal) (Offer, error) {
	user, _, err := p.self(ctx, who)
	if err != nil {
		return Offer{}, err
	}
	return offerOf(user, totpEncoding.EncodeToString(random(totpSecret))), nil
}

// OfferAgain is the offer whose secret was shown before.
func (p *People) OfferAgain(who access.Principal, secret string) Offer {
	return offerOf(User{Email: who.Name}, secret)
}

func offerOf(user User, secret string) Offer {
	return Offer{Secret: secret, Address: totpAddress("Berth", user.Email, secret)}
}

// ConfirmFactor gives the asker the second factor that was offered, and returns recovery codes, which are shown to the
// caller once. Other sessions end. An account without a password is asked for none. Invalid "second_factor.invalid" or "profile.invalid", Conflict
// "second_factor.there", TooMany "auth.too_many".
func (p *People) ConfirmFactor(ctx context.Context, who access.Principal, secret, code string, password secrets.Value) ([]string, error) {
	user, hash, err := p.self(ctx, who)
	if err != nil {
		return nil, err
	}
	raw, err := totpEncoding.DecodeString(secret)
	if err != nil || len(raw) != totpSecret {
		return nil, errOffer
	}
	step, fits := totpMatch(raw, plainCode(code), p.now())
	if !fits {
		p.refusals.Note(ctx, who.Audit("second_factor.create", who.ID, "the code of the new second factor is wrong"))
		return nil, errBadCode
	}
	if err := p.proveAny(ctx, who, "second_factor.create", hash, password); err != nil {
		return nil, err
	}
	sealed, err := p.keys.Seal(factorPlace(user.ID), raw)
	if err != nil {
		return nil, err
	}
	codes, macs := p.recovery(user.ID)
	return codes, p.store.SetSecondFactor(ctx, who, sealed, step, macs)
}

var recoveryEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// recovery makes recovery codes and what is kept of them.
func (p *People) recovery(user core.UserID) (codes []string, macs [][]byte) {
	for range RecoveryCodes {
		b := make([]byte, 8)
		rand.Read(b) // never fails: it ends the process instead
		code := recoveryEncoding.EncodeToString(b)[:recoverySize]
		codes, macs = append(codes, code[:5]+"-"+code[5:]), append(macs, p.recoveryMAC(user, code))
	}
	return codes, macs
}

func (p *People) recoveryMAC(user core.UserID, code string) []byte {
	return p.macs.MAC(seal.PurposeSession, []byte("recovery\x00"+string(user)+"\x00"+code))
}

// proveFactor demands a code that fits a user's second factor; each is good once. Tries are counted. Unauthenticated
// "auth.code_required" or "auth.code_wrong", TooMany "auth.too_many".
func (p *People) proveFactor(ctx context.Context, who access.Principal, user User, code string) error {
	code = plainCode(code)
	if code == "" {
		return errCodeRequired
	}
	try, err := p.codes.begin(string(user.ID), who.Address)
	if err != nil {
		return err
	}
	fits, err := p.spend(ctx, user.from(who), user.ID, code)
	switch {
	case err != nil:
		try.giveBack() // nothing was learnt from it
		return err
	case !fits:
		return errCode
	}
	try.succeeded()
	return nil
}

func (p *People) spend(ctx context.Context, who access.Principal, user core.UserID, code string) (bool, error) {
	if len(code) == recoverySize {
		return p.store.SpendRecovery(ctx, who, p.recoveryMAC(user, code))
	}
	sealed, err := p.store.SecondFactor(ctx, user)
	if err != nil {
		return false, err
	}
	secret, err := p.keys.Open(factorPlace(user), sealed)
	if err != nil {
		return false, err
	}
	step, fits := totpMatch(secret, code, p.now())
	if !fits {
		return false, nil
	}
	return p.store.SpendStep(ctx, user, step)
}

// RemoveFactor takes the asker's second factor, which demands a code, and their password if they have one. Faults as those of
// ConfirmFactor; NotFound "second_factor.not_found".
func (p *People) RemoveFactor(ctx context.Context, who access.Principal, code string, password secrets.Value) error {
	user, hash, err := p.self(ctx, who)
	if err != nil {
		return err
	}
	if err := p.proveAny(ctx, who, "second_factor.delete", hash, password); err != nil {
		return err
	}
	err = p.proveFactor(ctx, who, user, code)
	if fault.Is(err, fault.Unauthenticated) {
		p.refusals.Note(ctx, who.Audit("second_factor.delete", who.ID, "the code of the second factor is wrong"))
		return errBadCode
	}
	if err != nil {
		return err
	}
	return p.store.RemoveSecondFactor(ctx, who, user.ID)
}

// ResetFactor takes the second factor of somebody else, who has lost it. Conflict "second_factor.own", NotFound
// "second_factor.not_found".
func (p *People) ResetFactor(ctx context.Context, who access.Principal, user core.UserID) error {
	if userOf(who) == user {
		return errOwnFactor
	}
	return p.store.RemoveSecondFactor(ctx, who, user)
}
