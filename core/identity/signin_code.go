package identity

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/secrets"
)

// ticketLife is how long somebody may take between their password and their code.
const ticketLife = 5 * time.Minute

var errTicket = fault.New(fault.Unauthenticated, "auth.failed", "Signing in took too long, or the password was changed meanwhile. Begin again.")

// Asking makes SignIn ask people for the second factor that they have.
func (s *SignIn) Asking(people *People) *SignIn {
	s.people = people
	return s
}

// OpenWithCode is Open for who may have a second factor. Unauthenticated "auth.code_required" when they have and code
// is empty, "auth.code_wrong".
func (s *SignIn) OpenWithCode(ctx context.Context, who access.Principal, email string, password secrets.Value, code string) (Session, error) {
	session, ticket, err := s.Begin(ctx, who, email, password)
	if err != nil || ticket.Empty() {
		return session, err
	}
	return s.Continue(ctx, who, ticket.Reveal(), code)
}

// Begin is the first step of signing in. It opens a session, or returns a ticket when the second step is to follow: that
// the password was right, which is kept by nobody and good for a few minutes. Faults as those of Open.
func (s *SignIn) Begin(ctx context.Context, who access.Principal, email string, password secrets.Value) (Session, secrets.Value, error) {
	user, hash, err := s.first(ctx, who, email, password)
	if err != nil {
		return Session{}, secrets.Value{}, err
	}
	if user.SecondFactor {
		return Session{}, s.ticketFor(user, hash, ""), nil
	}
	session, err := s.open(ctx, who, user)
	return session, secrets.Value{}, err
}

// ticketFor is good for a few minutes. way is how the first step was taken, for the audit; empty: with a password.
func (s *SignIn) ticketFor(user User, hash, way string) secrets.Value {
	return secrets.NewValue(s.ticket(user.ID, hash, way, s.now().Add(ticketLife).Unix()))
}

// ticket says who took the first step, until when that counts, and which way. Another password makes it good no more.
func (s *SignIn) ticket(user core.UserID, hash, way string, until int64) string {
	head := string(user) + "." + strconv.FormatInt(until, 10) + "." + base64.RawURLEncoding.EncodeToString([]byte(way))
	return head + "." + base64.RawURLEncoding.EncodeToString(s.macs.MAC(seal.PurposeSession, []byte("second step\x00"+head+"\x00"+hash)))
}

// Continue is the second step. Unauthenticated "auth.failed" when the ticket is not good, "auth.code_required",
// "auth.code_wrong", TooMany "auth.too_many".
func (s *SignIn) Continue(ctx context.Context, who access.Principal, ticket, code string) (Session, error) {
	if s.people == nil {
		return Session{}, errTicket
	}
	user, way, err := s.ticketHolder(ctx, ticket)
	if err != nil {
		return Session{}, err
	}
	if err := s.people.proveFactor(ctx, who, user, code); err != nil {
		if fault.CodeOf(err) == fault.CodeOf(errCode) {
			s.refusals.Note(ctx, who.Audit("session.open", string(user.ID), wayBefore(way)+"the first step was right, and the code of the second factor wrong"))
		}
		return Session{}, err
	}
	return s.openBy(ctx, who, user, way)
}

// wayBefore is a way with what stands between it and the text behind it.
func wayBefore(way string) string {
	if way == "" {
		return ""
	}
	return way + ": "
}

func (s *SignIn) ticketHolder(ctx context.Context, ticket string) (user User, way string, err error) {
	parts := strings.Split(ticket, ".")
	if len(parts) != 4 || !core.ValidID(core.PrefixUser, parts[0]) {
		return User{}, "", errTicket
	}
	id, given := parts[0], parts[3]
	until, err := strconv.ParseInt(parts[1], 10, 64)
	said, unreadable := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if err != nil || unreadable != nil {
		return User{}, "", errTicket
	}
	user, hash, err := s.people.store.UserWithPassword(ctx, core.UserID(id))
	if err != nil && !fault.Is(err, fault.NotFound) {
		return User{}, "", err
	}
	mac, bad := base64.RawURLEncoding.Strict().DecodeString(given)
	genuine := s.macs.VerifyMAC(seal.PurposeSession, []byte("second step\x00"+strings.Join(parts[:3], ".")+"\x00"+hash), mac)
	if err != nil || bad != nil || !genuine || s.now().Unix() >= until || user.Disabled || !user.SecondFactor {
		return User{}, "", errTicket
	}
	return user, string(said), nil
}
