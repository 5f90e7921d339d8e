package identity_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/seal"
	"berth/core/secrets"
)

var epoch = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return epoch }

// memory keeps one user, one session and one key.
type memory struct {
	user    identity.User
	hash    string
	session identity.StoredSession
	key     identity.StoredKey
	opened  access.Principal
	ended   core.SessionID
	err     error
	refused []access.AuditEvent
	used    []string // what was noted of the key, which fails with unnoted
	unnoted error
	until   time.Time // when the key ends that was followed by another
}

var errMissing = fault.New(fault.NotFound, "x.not_found", "")

func (m *memory) UserByEmail(_ context.Context, email string) (identity.User, string, error) {
	if m.err == nil && email != m.user.Email {
		return identity.User{}, "", errMissing
	}
	return m.user, m.hash, m.err
}

func (m *memory) OpenSession(_ context.Context, who access.Principal, s identity.StoredSession, replaced core.SessionID) error {
	m.opened, m.session, m.ended = who, s, replaced
	return m.err
}

func (m *memory) CloseSession(_ context.Context, who access.Principal) error {
	m.ended = core.SessionID(who.Session)
	return m.err
}

func (m *memory) StoredSession(_ context.Context, id core.SessionID) (identity.StoredSession, error) {
	if m.err == nil && id != m.session.ID {
		return identity.StoredSession{}, errMissing
	}
	return m.session, m.err
}

func (m *memory) RecordEvent(_ context.Context, e access.AuditEvent) error {
	m.refused = append(m.refused, e)
	return m.unnoted
}

func (m *memory) NoteKeyUsed(_ context.Context, id core.APIKeyID, at, _ time.Time, address string) error {
	m.used = append(m.used, fmt.Sprintf("%s at %s from %s", id, at.Format(time.TimeOnly), address))
	m.key.Key.LastUsedAt = at
	return m.unnoted
}

func (m *memory) StoredKey(_ context.Context, id core.APIKeyID) (identity.StoredKey, error) {
	if m.err == nil && id != m.key.Key.ID {
		return identity.StoredKey{}, errMissing
	}
	return m.key, m.err
}

func (m *memory) RotateAPIKey(_ context.Context, _ access.Principal, old core.APIKeyID, key identity.APIKey, mac []byte, until time.Time) (identity.APIKey, error) {
	if old != m.key.Key.ID {
		return key, errMissing
	}
	m.key.Key, m.key.MAC, m.until = key, mac, until
	return key, m.err
}

func (m *memory) AddServiceAccount(context.Context, access.Principal, identity.ServiceAccount) error {
	return m.err
}

func (m *memory) AddAPIKey(_ context.Context, _ access.Principal, key identity.APIKey, mac []byte) error {
	m.key = identity.StoredKey{Key: key, MAC: mac, Account: identity.ServiceAccount{ID: key.Account, Name: "ci", Role: access.RoleOperator}}
	return m.err
}

func ring(t testing.TB) *seal.Ring {
	t.Helper()
	r, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const password = "correct horse battery"

// ada is a memory that holds one user.
func ada(t *testing.T, passwords *identity.Passwords) *memory {
	t.Helper()
	hash, err := passwords.Hash(t.Context(), secrets.NewValue(password))
	if err != nil {
		t.Fatal(err)
	}
	return &memory{user: identity.User{ID: "usr_1", Email: "ada@example.org", Role: access.RoleAdmin}, hash: hash}
}

func TestSigningIn(t *testing.T) {
	passwords := identity.NewPasswords(1)
	m := ada(t, passwords)
	in := identity.NewSignIn(m, passwords, ring(t), clock)
	before := access.Anonymous("192.0.2.1")
	before.Session = "ses_old"
	s, err := in.Open(t.Context(), before, " Ada@Example.org ", secrets.NewValue(password))
	if err != nil {
		t.Fatal(err)
	}
	if !s.ExpiresAt.Equal(epoch.Add(30*24*time.Hour)) || s.User != m.user || s.ID != m.session.ID {
		t.Errorf("session %+v", s)
	}
	if m.ended != "ses_old" {
		t.Errorf("replaced %q", m.ended)
	}
	if m.opened.ID != "usr_1" || m.opened.Address != "192.0.2.1" || m.opened.Session != string(s.ID) {
		t.Errorf("audited as %+v", m.opened)
	}
	if _, secret, _ := strings.Cut(s.Cookie.Reveal(), "."); len(secret) < 43 || strings.Contains(string(m.session.MAC), secret) {
		t.Errorf("the cookie's secret is %q", secret)
	}
	m.user.Disabled = true
	_, err = in.Open(t.Context(), before, "ada@example.org", secrets.NewValue(password))
	_, wrong := in.Open(t.Context(), before, "ada@example.org", secrets.NewValue("wrong"))
	_, unknown := in.Open(t.Context(), before, "bob@example.org", secrets.NewValue(password))
	_, long := in.Open(t.Context(), before, "ada@example.org", secrets.NewValue(strings.Repeat("x", 1000)))
	for _, err := range []error{err, wrong, unknown, long} {
		if fault.CodeOf(err) != "auth.failed" || fault.PublicOf(err) != fault.PublicOf(wrong) {
			t.Errorf("refused with %v", err)
		}
	}
}

func TestAStoreThatIsAwayIsNoWrongPassword(t *testing.T) {
	passwords := identity.NewPasswords(1)
	m := ada(t, passwords)
	m.err = fault.New(fault.Unavailable, "store.away", "")
	in := identity.NewSignIn(m, passwords, ring(t), clock)
	for range 100 { // and does not use up the tries either
		if _, err := in.Open(t.Context(), access.Anonymous("a"), "ada@example.org", secrets.NewValue(password)); !fault.Is(err, fault.Unavailable) {
			t.Fatal(err)
		}
	}
	door := identity.NewDoorkeeper(m, ring(t), clock)
	if _, err := door.BySession(t.Context(), core.NewID("ses", epoch)+"."+strings.Repeat("A", 43)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a session: %v", err)
	}
	if _, err := door.ByAPIKey(t.Context(), seal.NewToken(seal.TokenAPIKey, core.NewID("key", epoch)).Reveal(), "192.0.2.9"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a key: %v", err)
	}
}

func TestGuessingAPasswordIsSlow(t *testing.T) {
	passwords := identity.NewPasswords(1)
	in := identity.NewSignIn(ada(t, passwords), passwords, ring(t), clock)
	open := func(password string) error {
		_, err := in.Open(t.Context(), access.Anonymous("192.0.2.1"), "ada@example.org", secrets.NewValue(password))
		return err
	}
	for range 10 {
		if err := open("wrong"); fault.CodeOf(err) != "auth.failed" {
			t.Fatal(err)
		}
	}
	if err := open(password); !fault.Is(err, fault.TooMany) {
		t.Errorf("the right one after ten wrong ones: %v", err)
	}
}

func TestASessionOpensTheDoorForItsCookieOnly(t *testing.T) {
	passwords, macs := identity.NewPasswords(1), ring(t)
	m := ada(t, passwords)
	s, err := identity.NewSignIn(m, passwords, macs, clock).Open(t.Context(), access.Anonymous(""), "ada@example.org", secrets.NewValue(password))
	if err != nil {
		t.Fatal(err)
	}
	now := epoch
	door := identity.NewDoorkeeper(m, macs, func() time.Time { return now })
	cookie := s.Cookie.Reveal()
	if p, err := door.BySession(t.Context(), cookie); err != nil || p.ID != "usr_1" || p.Role != access.RoleAdmin || p.Session != string(s.ID) {
		t.Fatalf("%+v, %v", p, err)
	}
	flipped := []byte(cookie)
	flipped[len(flipped)-1] ^= 1
	for name, value := range map[string]string{"another secret": string(flipped), "no secret": string(s.ID) + ".", "the id alone": string(s.ID),
		"nothing": "", "something behind": cookie + "x", "another id": core.NewID("ses", epoch) + cookie[30:], "in capital": strings.ToUpper(cookie)} {
		if p, err := door.BySession(t.Context(), value); fault.CodeOf(err) != "auth.session_ended" || p != (access.Principal{}) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	if _, err := identity.NewDoorkeeper(m, ring(t), clock).BySession(t.Context(), cookie); err == nil {
		t.Error("the cookie of another installation is good")
	}
	now = epoch.Add(30*24*time.Hour - time.Second)
	if _, err := door.BySession(t.Context(), cookie); err != nil {
		t.Errorf("a second before its end: %v", err)
	}
	now = epoch.Add(30 * 24 * time.Hour)
	if _, err := door.BySession(t.Context(), cookie); err == nil {
		t.Error("it is good at its end")
	}
	now, m.session.User.Disabled = epoch, true
	if _, err := door.BySession(t.Context(), cookie); err == nil {
		t.Error("it is good for a disabled user")
	}
}

func TestAnAPIKeyOpensTheDoorUntilItExpires(t *testing.T) {
	macs, m := ring(t), &memory{}
	key, token, err := identity.NewAccounts(m, macs, clock).IssueKey(t.Context(), access.System, "sva_1", "ci", epoch.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	now := epoch
	door := identity.NewDoorkeeper(m, macs, func() time.Time { return now })
	if p, err := door.ByAPIKey(t.Context(), token.Reveal(), "192.0.2.9"); err != nil || p.ID != "sva_1" || p.Kind != access.KindServiceAccount || p.Role != access.RoleOperator {
		t.Fatalf("%+v, %v", p, err)
	}
	forged := seal.NewToken(seal.TokenAPIKey, string(key.ID)).Reveal()
	worker := seal.NewToken(seal.TokenWorker, string(key.ID)).Reveal()
	for name, text := range map[string]string{"another secret": forged, "another kind": worker, "nothing": "", "cut short": token.Reveal()[:50]} {
		if _, err := door.ByAPIKey(t.Context(), text, "192.0.2.9"); fault.CodeOf(err) != "auth.key_invalid" || strings.Contains(err.Error(), "berth_") {
			t.Errorf("%s: %v", name, err)
		}
	}
	now = epoch.Add(time.Hour)
	if _, err := door.ByAPIKey(t.Context(), token.Reveal(), "192.0.2.9"); err == nil {
		t.Error("it is good at its end")
	}
	now, m.key.Account.Disabled = epoch, true
	if _, err := door.ByAPIKey(t.Context(), token.Reveal(), "192.0.2.9"); err == nil {
		t.Error("it is good for a disabled account")
	}
}

func TestRefusedSignInsAreNotedAtAPace(t *testing.T) {
	passwords := identity.NewPasswords(1)
	m := ada(t, passwords)
	m.unnoted = errMissing
	s := identity.NewSignIn(m, passwords, ring(t), clock)
	for range 8 {
		s.Open(t.Context(), access.Anonymous("192.0.2.9"), m.user.Email, secrets.NewValue("a wrong password"))
		s.Open(t.Context(), access.Anonymous("192.0.2.9"), "eve@example.org", secrets.NewValue("a wrong password"))
	}
	known := map[string]int{}
	for _, e := range m.refused {
		known[e.Resource]++
		if e.Result != access.Refused || e.Action != "session.open" || e.Actor.Address != "192.0.2.9" || strings.Contains(e.Detail, "eve") {
			t.Errorf("noted was %+v", e)
		}
	}
	if last := m.refused[len(m.refused)-1].Detail; !strings.Contains(last, "more like it are counted only") || strings.Contains(m.refused[0].Detail, "counted") {
		t.Errorf("the last one that is noted says %q", last)
	}
	if known[string(m.user.ID)] != 5 || known[""] != 5 || len(known) != 2 {
		t.Errorf("noted were %v", known)
	}
	for i := range 3 {
		s.Open(t.Context(), access.Anonymous("192.0.2.9"), fmt.Sprintf("eve%d@example.org", i), secrets.NewValue("a wrong password"))
	}
	if got := len(m.refused); got != 13 {
		t.Errorf("%d are noted: one who is not known is told from one who is by what it costs to note them", got)
	}
}

// TestAGapInTheAuditIsTold: the last line before it says so, and the first behind it how many were left out.
func TestAGapInTheAuditIsTold(t *testing.T) {
	m, now := &memory{}, epoch
	refusals := identity.NewRefusals(m, func() time.Time { return now })
	note := func(detail string) {
		refusals.Note(t.Context(), access.Anonymous("192.0.2.1").Audit("session.open", "", detail))
	}
	for range 9 {
		note("a")
	}
	note("b")
	now = now.Add(10 * time.Minute)
	note("a")
	var details []string
	for _, e := range m.refused {
		details = append(details, e.Detail)
	}
	const more = "; more like it are counted only, for some minutes"
	want := []string{"a", "a", "a", "a", "a" + more, "b", "a; 4 more like it before this were counted only" + more}
	if !slices.Equal(details, want) {
		t.Errorf("noted were\n%q, want\n%q", details, want)
	}
	var none *identity.Refusals
	none.Note(t.Context(), access.AuditEvent{})
}

func TestTheUseOfAKeyIsNotedNowAndThen(t *testing.T) {
	macs, m := ring(t), &memory{}
	key, token, err := identity.NewAccounts(m, macs, clock).IssueKey(t.Context(), access.System, "sva_1", "ci", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	now := epoch
	door := identity.NewDoorkeeper(m, macs, func() time.Time { return now })
	m.unnoted = errMissing // which is no reason to turn it away
	for range 4 {
		if _, err := door.ByAPIKey(t.Context(), token.Reveal(), "192.0.2.9"); err != nil {
			t.Fatal(err)
		}
		now = now.Add(2 * time.Minute)
	}
	want := []string{fmt.Sprintf("%s at %s from 192.0.2.9", key.ID, epoch.Format(time.TimeOnly)), fmt.Sprintf("%s at %s from 192.0.2.9", key.ID, epoch.Add(6*time.Minute).Format(time.TimeOnly))}
	if !slices.Equal(m.used, want) {
		t.Errorf("noted was %q, want %q", m.used, want)
	}
	forged := seal.NewToken(seal.TokenAPIKey, string(key.ID)).Reveal()
	now = now.Add(time.Hour)
	if _, err := door.ByAPIKey(t.Context(), forged, "192.0.2.9"); err == nil || len(m.used) != 2 {
		t.Errorf("a forged key is noted: %q, %v", m.used, err)
	}
}

func TestAKeyThatFollowsAnotherIsGood(t *testing.T) {
	macs, m := ring(t), &memory{}
	accounts := identity.NewAccounts(m, macs, clock)
	old, _, err := accounts.IssueKey(t.Context(), access.System, "sva_1", "ci", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for name, overlap := range map[string]time.Duration{"before now": -time.Second, "for too long": identity.MaxOverlap + 1} {
		if _, _, err := accounts.RotateKey(t.Context(), access.System, "sva_1", old.ID, overlap); fault.CodeOf(err) != "api_key.invalid" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := accounts.RotateKey(t.Context(), access.System, "sva_1", "key_other", 0); !fault.Is(err, fault.NotFound) {
		t.Errorf("of no key: %v", err)
	}
	_, token, err := accounts.RotateKey(t.Context(), access.System, "sva_1", old.ID, time.Hour)
	if err != nil || !m.until.Equal(epoch.Add(time.Hour)) {
		t.Fatalf("until %s, %v", m.until, err)
	}
	if _, err := identity.NewDoorkeeper(m, macs, clock).ByAPIKey(t.Context(), token.Reveal(), ""); err != nil {
		t.Error(err)
	}
}

// founders is a store without an administrator, or that fails.
type founders struct {
	needed bool
	err    error
	hash   string
	who    access.Principal
}

func (f *founders) SetupNeeded(context.Context) (bool, error) { return f.needed, f.err }

func (f *founders) AddFirstAdministrator(_ context.Context, who access.Principal, _ identity.User, hash string) error {
	f.who, f.hash, f.needed = who, hash, false
	return nil
}

func TestSettingUp(t *testing.T) {
	good := identity.FirstAdministrator{BootstrapToken: secrets.NewValue("token"), Email: " ADA@example.org", Password: secrets.NewValue(password), Name: "Ada"}
	for name, c := range map[string]struct {
		token  string
		closed bool
		err    error
		change func(*identity.FirstAdministrator)
		code   string
		fields []string
	}{
		"all is well":             {token: "token"},
		"a wrong token":           {token: "token", change: func(f *identity.FirstAdministrator) { f.BootstrapToken = secrets.NewValue("toke") }, code: "setup.token_wrong"},
		"no token":                {token: "token", change: func(f *identity.FirstAdministrator) { f.BootstrapToken = secrets.Value{} }, code: "setup.token_wrong"},
		"none was set":            {token: "", change: func(f *identity.FirstAdministrator) { f.BootstrapToken = secrets.Value{} }, code: "setup.token_missing"},
		"it is done":              {token: "token", closed: true, code: "setup.closed"},
		"it is done, wrong token": {token: "other", closed: true, code: "setup.closed"},
		"the store is away":       {token: "token", err: errors.New("away"), code: "internal.error"},
		"nothing fits": {token: "token", change: func(f *identity.FirstAdministrator) { f.Email, f.Password, f.Name = "ada", secrets.NewValue("x"), "" },
			code: "setup.invalid", fields: []string{"email", "name", "password"}},
	} {
		t.Run(name, func(t *testing.T) {
			store := &founders{needed: !c.closed, err: c.err}
			ask := good
			if c.change != nil {
				c.change(&ask)
			}
			passwords := identity.NewPasswords(1)
			u, err := identity.NewSetUp(store, passwords, secrets.NewValue(c.token), clock).Create(t.Context(), access.Anonymous("192.0.2.1"), ask)
			if c.code == "" {
				fits, _ := passwords.Verify(t.Context(), store.hash, good.Password)
				if err != nil || u.Role != access.RoleAdmin || u.Email != "ada@example.org" || !fits || store.who.Address != "192.0.2.1" || store.who.ID != string(u.ID) {
					t.Errorf("%+v as %+v, %v", u, store.who, err)
				}
				return
			}
			var e *fault.Error
			if fault.CodeOf(err) != c.code || store.hash != "" {
				t.Errorf("%v, want %s", err, c.code)
			}
			if errors.As(err, &e) && len(e.Fields) != len(c.fields) {
				t.Errorf("fields %v, want %v", e.Fields, c.fields)
			}
		})
	}
}

func TestGuessingTheBootstrapTokenIsSlow(t *testing.T) {
	setup := identity.NewSetUp(&founders{needed: true}, identity.NewPasswords(1), secrets.NewValue("token"), clock)
	var err error
	for range 11 {
		_, err = setup.Create(t.Context(), access.Anonymous("192.0.2.1"), identity.FirstAdministrator{BootstrapToken: secrets.NewValue("guess")})
	}
	if !fault.Is(err, fault.TooMany) {
		t.Error(err)
	}
}

func TestEmailAddresses(t *testing.T) {
	for email, good := range map[string]bool{
		"ada@example.org": true, "ada.b+c@sub.example.org": true, "a@localhost": true, "ädä@exämple.org": true,
		"": false, "ada": false, "@example.org": false, "ada@": false, "a@b@c": false, "a b@c": false, "<a@b>": false, "a@b\n": true, // trimmed
		"a@b\nBcc: x@y": false, "a,b@c": false, "a\x00@b": false, "\"a\"@b": false, "a\u202e@b": false, strings.Repeat("a", 251) + "@b.c": false, "a\xff@b": false,
	} {
		setup := identity.NewSetUp(&founders{needed: true}, identity.NewPasswords(1), secrets.NewValue("t"), clock)
		_, err := setup.Create(t.Context(), access.Anonymous(""), identity.FirstAdministrator{BootstrapToken: secrets.NewValue("t"), Email: email, Password: secrets.NewValue(password), Name: "A"})
		if (err == nil) != good {
			t.Errorf("%q: %v", email, err)
		}
	}
}

// FuzzBySession: no cookie but the one that was given out opens the door.
func FuzzBySession(f *testing.F) {
	macs, err := seal.NewRing(rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	m := &memory{session: identity.StoredSession{ID: core.SessionID(core.NewID("ses", epoch)), MAC: macs.MAC(seal.PurposeSession, []byte("x")), ExpiresAt: epoch.Add(time.Hour)}}
	door := identity.NewDoorkeeper(m, macs, clock)
	f.Add(string(m.session.ID) + "." + strings.Repeat("A", 43))
	f.Add("ses_.")
	f.Fuzz(func(t *testing.T, cookie string) {
		if p, err := door.BySession(t.Context(), cookie); !fault.Is(err, fault.Unauthenticated) || p != (access.Principal{}) {
			t.Errorf("%q: %+v, %v", cookie, p, err)
		}
	})
}
