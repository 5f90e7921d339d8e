package identity

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
)

// Limits of what people type.
const (
	maxEmail = 254 // bytes, as mail systems have it
	maxName  = 100 // characters
)

// User is a person who signs in.
type User struct {
	ID           core.UserID
	Email        string // normalised: see NormalEmail; no two users share one
	Name         string // for people
	Role         access.Role
	Disabled     bool // may not sign in; has no sessions
	SecondFactor bool // signing in takes a code too
	SignOn       bool // made by single sign-on, which says the role at each sign-in there
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Principal returns the user as who asks; session may be empty.
func (u User) Principal(session core.SessionID) access.Principal {
	return access.Principal{Kind: access.KindUser, ID: string(u.ID), Name: u.Email, Role: u.Role, Session: string(session)}
}

// UserChange is what an administrator changes about a user; nil leaves it alone. A changed
// role or state ends the user's sessions.
type UserChange struct {
	Role     *access.Role
	Disabled *bool
}

// Check returns what is wrong with the change.
func (c UserChange) Check() error {
	var bad []fault.Field
	if c.Role != nil {
		bad = checkRole(bad, *c.Role)
	}
	return fault.BadFields("user.invalid", bad)
}

// NormalEmail returns an e-mail address as it is stored and compared: without
// surrounding space, in lower case.
func NormalEmail(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// checkEmail demands what every address has and refuses what would be read differently
// elsewhere. Whether anybody reads mail there is not its question.
func checkEmail(bad []fault.Field, email string) []fault.Field {
	at := strings.LastIndexByte(email, '@')
	odd := func(r rune) bool {
		return r == utf8.RuneError || unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`<>()[],;:\"`, r)
	}
	if at < 1 || at == len(email)-1 || strings.Count(email, "@") != 1 || len(email) > maxEmail || strings.ContainsFunc(email, odd) {
		bad = append(bad, fault.Field{Path: "email", Problem: "must be an e-mail address such as ada@example.org"})
	}
	return bad
}

// checkName demands something that people can see and tell apart.
func checkName(bad []fault.Field, name string) []fault.Field {
	unseen := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	if name == "" || strings.TrimSpace(name) != name || utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, unseen) {
		bad = append(bad, fault.Field{Path: "name", Problem: "must have 1 to 100 visible characters, without space around it"})
	}
	return bad
}

func checkRole(bad []fault.Field, role access.Role) []fault.Field {
	if !role.Valid() {
		bad = append(bad, fault.Field{Path: "role", Problem: "must be viewer, monitoring, operator or admin"})
	}
	return bad
}

// stamp returns the time as the store keeps it, so that what is answered now is what is
// read later.
func stamp(now core.Clock) time.Time { return now().UTC().Truncate(time.Microsecond) }
