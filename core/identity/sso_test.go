package identity_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/secrets"
)

// elsewhere is a provider that says who somebody is to whoever brings the code, and keeps the trips it was asked about.
type elsewhere struct {
	said         identity.ProviderIdentity
	err          error
	begun, ended identity.ProviderTrip
	asked        int
}

func (e *elsewhere) AuthorizationURL(_ context.Context, t identity.ProviderTrip) (string, error) {
	e.begun = t
	return "https://id.example/authorize", e.err
}

func (e *elsewhere) Exchange(_ context.Context, t identity.ProviderTrip, _ string) (identity.ProviderIdentity, error) {
	e.asked, e.ended = e.asked+1, t
	return e.said, e.err
}

// linked keeps one account of a provider beside the user of memory.
type linked struct {
	*memory
	known identity.ProviderUser
	added identity.User
	spent map[string]bool
	sole  bool // the one who is known is the last administrator
	links []string

	refreshed []access.Role
	unlinked  []string
}

func (l *linked) SpendState(_ context.Context, spend string, _ time.Time) error {
	if l.spent[spend] {
		return fault.New(fault.Conflict, "x.used", "")
	}
	l.spent[spend] = true
	return nil
}

func (l *linked) ProviderUser(_ context.Context, issuer, subject string) (identity.ProviderUser, error) {
	if l.known.ID == "" || issuer != "https://id.example" || subject != "ada-1" {
		return identity.ProviderUser{}, errMissing
	}
	return l.known, nil
}

func (l *linked) AddProviderUser(_ context.Context, _ access.Principal, u identity.User, _, _ string) error {
	if u.Email == l.user.Email {
		return fault.New(fault.Conflict, "user.email_taken", "")
	}
	l.added = u
	return nil
}

func (l *linked) RefreshRole(_ context.Context, _ access.Principal, _ core.UserID, role access.Role) (identity.User, bool, error) {
	u := l.known.User
	l.refreshed = append(l.refreshed, role)
	if !l.sole {
		u.Role = role
	}
	return u, l.sole, nil
}

func (l *linked) ProviderLink(_ context.Context, user core.UserID, issuer string) (identity.ProviderLink, error) {
	if user != l.known.ID || issuer != "https://id.example" {
		return identity.ProviderLink{}, errMissing
	}
	return identity.ProviderLink{Made: l.known.Made, At: epoch}, nil
}

func (l *linked) LinkProvider(_ context.Context, who access.Principal, issuer, subject string) error {
	l.links = append(l.links, who.ID+" "+issuer+" "+subject)
	return nil
}

func (l *linked) UnlinkProvider(_ context.Context, who access.Principal, issuer string) error {
	l.unlinked = append(l.unlinked, who.ID+" "+issuer)
	return nil
}

// desk is what of accounts is asked of People.
type desk struct {
	identity.PeopleStore // nil: nothing else is asked
	user                 identity.User
	hash                 string
}

func (d *desk) UserWithPassword(context.Context, core.UserID) (identity.User, string, error) {
	return d.user, d.hash, nil
}

type trips struct {
	*linked
	*elsewhere
	*identity.SSO
	at   time.Time
	desk *desk
	in   *identity.SignIn
}

func newTrips(t testing.TB) *trips {
	t.Helper()
	m := &memory{user: identity.User{ID: "usr_1", Email: "boss@example.org", Role: access.RoleAdmin}}
	s := &trips{linked: &linked{memory: m, spent: map[string]bool{}}, at: epoch}
	s.elsewhere = &elsewhere{said: identity.ProviderIdentity{Issuer: "https://id.example", Subject: "ada-1", Email: "ada@example.org", EmailVerified: true, Name: "Ada", Claims: []string{"dev"}}}
	now := func() time.Time { return s.at }
	keys, passwords := ring(t), identity.NewPasswords(1)
	hash, err := passwords.Hash(t.Context(), secrets.NewValue(password))
	if err != nil {
		t.Fatal(err)
	}
	s.desk = &desk{user: m.user, hash: hash}
	s.in = identity.NewSignIn(m, passwords, keys, now).Asking(identity.NewPeople(s.desk, passwords, keys, now))
	s.SSO = identity.NewSSO(identity.SSOOptions{Provider: s.elsewhere, Issuer: "https://id.example", Name: "Example", App: "https://berth.example",
		Roles: identity.RoleMap{"dev": access.RoleOperator, "ops": access.RoleAdmin}}, s.linked, s.in)
	return s
}

func (s *trips) depart(t testing.TB) identity.Return {
	t.Helper()
	away, err := s.Begin(t.Context(), browser, "/stacks?x=1")
	if err != nil {
		t.Fatal(err)
	}
	return identity.Return{State: s.begun.State, Code: "code", Cookie: away.Cookie}
}

func (s *trips) know(role access.Role, made bool) {
	s.known = identity.ProviderUser{User: identity.User{ID: "usr_2", Email: "ada@example.org", Role: role}, Made: made}
}

var browser = access.Principal{Address: "192.0.2.7", Agent: "browser"}

func TestWhoSignsInAtAProvider(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*trips)
		role access.Role // of whoever signed in
		bad  string      // the fault's code instead
	}{
		"a new account with the mapped role":                      {func(*trips) {}, access.RoleOperator, ""},
		"an account whose role grew":                              {func(s *trips) { s.know(access.RoleOperator, true); s.said.Claims = []string{"ops"} }, access.RoleAdmin, ""},
		"an account whose role shrank":                            {func(s *trips) { s.know(access.RoleAdmin, true) }, access.RoleOperator, ""},
		"the last administrator stays one":                        {func(s *trips) { s.know(access.RoleAdmin, true); s.sole = true }, access.RoleAdmin, ""},
		"the last administrator stays one without any role there": {func(s *trips) { s.know(access.RoleAdmin, true); s.sole = true; s.said.Claims = nil }, access.RoleAdmin, ""},
		"a linked administrator stays one":                        {func(s *trips) { s.know(access.RoleAdmin, false) }, access.RoleAdmin, ""},
		"a linked account needs no role there":                    {func(s *trips) { s.know(access.RoleViewer, false); s.said.Claims = nil }, access.RoleViewer, ""},
		"a known account needs no verified address":               {func(s *trips) { s.know(access.RoleOperator, true); s.said.EmailVerified = false }, access.RoleOperator, ""},
		"a new account without a role":                            {func(s *trips) { s.said.Claims = []string{"sales"} }, "", "oidc.no_role"},
		"a known account that has no role any more":               {func(s *trips) { s.know(access.RoleOperator, true); s.said.Claims = nil }, "", "oidc.no_role"},
		"an address that is not verified":                         {func(s *trips) { s.said.EmailVerified = false }, "", "oidc.email_unverified"},
		"no address":                                              {func(s *trips) { s.said.Email = "" }, "", "oidc.email_unverified"},
		"an address that is none":                                 {func(s *trips) { s.said.Email = "ada" }, "", "oidc.email_unverified"},
		"the address of somebody with a password":                 {func(s *trips) { s.said.Email = "boss@example.org" }, "", "oidc.email_taken"},
		"a disabled account":                                      {func(s *trips) { s.know(access.RoleAdmin, true); s.known.Disabled = true }, "", "oidc.disabled"},
		"a disabled account that is linked":                       {func(s *trips) { s.know(access.RoleAdmin, false); s.known.Disabled = true }, "", "oidc.disabled"},
		"another issuer's subject of the same name": {func(s *trips) {
			s.know(access.RoleAdmin, true)
			s.said.Issuer = "https://other.example"
			s.said.Claims = nil
		}, "", "oidc.no_role"},
		"a provider that refuses": {func(s *trips) { s.elsewhere.err = fault.New(fault.Unauthenticated, "oidc.token", "") }, "", "oidc.token"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTrips(t)
			back := s.depart(t)
			c.set(s)
			arrival, err := s.Finish(t.Context(), browser, back)
			session := arrival.Session
			if (err != nil) != (c.bad != "") || err != nil && fault.CodeOf(err) != c.bad {
				t.Fatalf("%v", err)
			}
			if c.bad != "" {
				if session.ID != "" || s.session.ID != "" || len(s.refused) != 1 || !strings.Contains(s.refused[0].Detail, c.bad) {
					t.Errorf("session %q, stored %q, noted %+v", session.ID, s.session.ID, s.refused)
				}
				return
			}
			if arrival.Kept != s.sole || s.session.Way != "single sign-on at https://id.example" || back.Next() != "/stacks?x=1" {
				t.Errorf("%+v, opened by %q, to %q", arrival, s.session.Way, back.Next())
			}
			if s.opened.Role != c.role || s.opened.Address != browser.Address || session.ID == "" {
				t.Errorf("opened %+v", s.opened)
			}
			if s.begun != s.ended || s.begun.Nonce == s.begun.Verifier || len(s.begun.Verifier) != 43 {
				t.Errorf("went %+v, came back %+v", s.begun, s.ended)
			}
		})
	}
}

func TestTripsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*testing.T, *trips, *identity.Return)
		want   string
	}{
		"no state":             {func(_ *testing.T, _ *trips, b *identity.Return) { b.State = "" }, "oidc.state_invalid"},
		"a changed state":      {func(_ *testing.T, _ *trips, b *identity.Return) { b.State = "A" + strings.ToUpper(b.State[1:]) }, "oidc.state_invalid"},
		"a cut state":          {func(_ *testing.T, _ *trips, b *identity.Return) { b.State = b.State[:len(b.State)-4] }, "oidc.state_invalid"},
		"a doubled state":      {func(_ *testing.T, _ *trips, b *identity.Return) { b.State += b.State }, "oidc.state_invalid"},
		"another server's":     {func(t *testing.T, _ *trips, b *identity.Return) { b.State = newTrips(t).depart(t).State }, "oidc.state_invalid"},
		"no cookie":            {func(_ *testing.T, _ *trips, b *identity.Return) { b.Cookie = "" }, "oidc.other_browser"},
		"another's cookie":     {func(t *testing.T, s *trips, b *identity.Return) { b.Cookie = s.depart(t).Cookie }, "oidc.other_browser"},
		"too late":             {func(_ *testing.T, s *trips, _ *identity.Return) { s.at = s.at.Add(10 * time.Minute) }, "oidc.state_expired"},
		"declined there":       {func(_ *testing.T, _ *trips, b *identity.Return) { b.Problem = "access_denied" }, "oidc.declined"},
		"without a code":       {func(_ *testing.T, _ *trips, b *identity.Return) { b.Code = "" }, "oidc.declined"},
		"for a link":           {func(t *testing.T, s *trips, b *identity.Return) { b.State, b.Cookie = s.departLink(t) }, "oidc.state_invalid"},
		"of another issuer":    {func(_ *testing.T, _ *trips, b *identity.Return) { b.Issuer = "https://evil.example" }, "oidc.other_issuer"},
		"another way to go on": {func(_ *testing.T, _ *trips, b *identity.Return) { b.Cookie = b.Cookie[:27] + "Ly9ldmlsLmV4YW1wbGU" }, "oidc.other_browser"},
		"used":                 {func(t *testing.T, s *trips, b *identity.Return) { s.spend(t, *b) }, "oidc.state_used"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTrips(t)
			back := s.depart(t)
			c.change(t, s, &back)
			s.session, s.asked = identity.StoredSession{}, 0
			if _, err := s.Finish(t.Context(), browser, back); fault.CodeOf(err) != c.want {
				t.Errorf("%v", err)
			}
			if s.session.ID != "" || s.asked > 0 {
				t.Errorf("a session %q, the provider asked %d times", s.session.ID, s.asked)
			}
		})
	}
}

var signedIn = access.Principal{Kind: access.KindUser, ID: "usr_1", Session: "ses_1"}

func (s *trips) departLink(t *testing.T) (state, cookie string) {
	t.Helper()
	away, err := s.BeginLink(t.Context(), signedIn, secrets.NewValue(password))
	if err != nil {
		t.Fatal(err)
	}
	return s.begun.State, away.Cookie
}

func (s *trips) spend(t *testing.T, back identity.Return) {
	t.Helper()
	if _, err := s.Finish(t.Context(), browser, back); err != nil {
		t.Fatal(err)
	}
}

// TestAProblemOfTheProviderIsNamed when it is one of those that are known; what a provider made up is not shown.
func TestAProblemOfTheProviderIsNamed(t *testing.T) {
	for problem, shown := range map[string]bool{"invalid_scope": true, "unauthorized_client": true, "access_denied": false, "<b>call us</b>": false} {
		s := newTrips(t)
		back := s.depart(t)
		back.Problem = problem
		if _, err := s.Finish(t.Context(), browser, back); fault.CodeOf(err) != "oidc.declined" || strings.Contains(fault.PublicOf(err), problem) != shown {
			t.Errorf("%s: %v", problem, err)
		}
	}
}

func TestLinking(t *testing.T) {
	s := newTrips(t)
	back := identity.Return{Code: "code"}
	back.State, back.Cookie = s.departLink(t)
	other := signedIn
	other.Session = "ses_2"
	if s.Links(other, back) || s.Links(access.Principal{}, back) || !s.Links(signedIn, back) {
		t.Error("a link is its own session's")
	}
	if err := s.FinishLink(t.Context(), other, back); fault.CodeOf(err) != "oidc.state_invalid" || len(s.links) > 0 {
		t.Errorf("another session: %v, %v", err, s.links)
	}
	if err := s.FinishLink(t.Context(), signedIn, back); err != nil || len(s.links) != 1 || s.links[0] != "usr_1 https://id.example ada-1" {
		t.Errorf("%v, %v", err, s.links)
	}
	if err := s.FinishLink(t.Context(), signedIn, back); fault.CodeOf(err) != "oidc.state_used" {
		t.Errorf("again: %v", err)
	}
	if _, err := s.BeginLink(t.Context(), signedIn, secrets.NewValue("another")); fault.CodeOf(err) != "profile.invalid" {
		t.Errorf("without the password: %v", err)
	}
	program := access.Principal{Kind: access.KindServiceAccount, ID: "sva_1"}
	if _, err := s.BeginLink(t.Context(), program, secrets.NewValue(password)); fault.CodeOf(err) != "profile.not_a_person" {
		t.Errorf("a program: %v", err)
	}
	if err := s.Unlink(t.Context(), program); fault.CodeOf(err) != "profile.not_a_person" {
		t.Errorf("a program: %v", err)
	}
	if err := s.Unlink(t.Context(), signedIn); err != nil || len(s.unlinked) != 1 || s.unlinked[0] != "usr_1 https://id.example" {
		t.Errorf("%v, %v", err, s.unlinked)
	}
	s.know(access.RoleViewer, false)
	s.known.ID = "usr_1"
	if own, err := s.Own(t.Context(), signedIn); err != nil || !own.Linked || own.Made || own.Provider != "Example" {
		t.Errorf("%+v, %v", own, err)
	}
	if _, err := s.BeginLink(t.Context(), signedIn, secrets.NewValue(password)); fault.CodeOf(err) != "oidc.linked" {
		t.Errorf("linked: %v", err)
	}
	s.known.ID, s.desk.hash = "usr_2", ""
	if _, err := s.BeginLink(t.Context(), signedIn, secrets.NewValue("")); fault.CodeOf(err) != "oidc.no_password" {
		t.Errorf("who has no password: %v", err)
	}
}

// TestASecondFactorIsAskedForAfterTheProvider: what the provider asked is not known here.
func TestASecondFactorIsAskedForAfterTheProvider(t *testing.T) {
	s := newTrips(t)
	back := s.depart(t)
	s.know(access.RoleAdmin, false)
	s.known.SecondFactor = true
	arrival, err := s.Finish(t.Context(), browser, back)
	if err != nil || arrival.Ticket.Empty() || arrival.Session.ID != "" || s.session.ID != "" {
		t.Errorf("%+v, stored %q, %v", arrival, s.session.ID, err)
	}
}

// TestARoleIsTakenInTheStoreToo, so that no administrator counts who cannot sign in.
func TestARoleIsTakenInTheStoreToo(t *testing.T) {
	s := newTrips(t)
	back := s.depart(t)
	s.know(access.RoleAdmin, true)
	s.said.Claims = []string{"sales"}
	if _, err := s.Finish(t.Context(), browser, back); fault.CodeOf(err) != "oidc.no_role" || len(s.refreshed) != 1 || s.refreshed[0] != "" {
		t.Errorf("%v, told the store %q", err, s.refreshed)
	}
}

func TestTripsAreThrottledByNetwork(t *testing.T) {
	s := newTrips(t)
	begin := func(address string) error {
		_, err := s.Begin(t.Context(), access.Anonymous(address), "")
		return err
	}
	through := 0
	for range 200 {
		if begin("192.0.2.7") == nil {
			through++
		}
	}
	if through != 60 {
		t.Errorf("%d were let through", through)
	}
	if err := begin("192.0.2.7"); !fault.Is(err, fault.TooMany) {
		t.Errorf("one more: %v", err)
	}
	if err := begin("198.51.100.1"); err != nil {
		t.Errorf("from elsewhere: %v", err)
	}
	s.at = s.at.Add(time.Minute)
	for range 200 {
		s.spend(t, s.depart(t)) // each takes two, and gives back one
		s.at = s.at.Add(time.Second)
	}
}

func TestSingleSignOnThatIsOff(t *testing.T) {
	s := newTrips(t)
	off := identity.NewSSO(identity.SSOOptions{}, s.linked, s.in)
	if _, on := off.On(); on {
		t.Error("it is on")
	}
	_, begin := off.Begin(t.Context(), browser, "/")
	_, finish := off.Finish(t.Context(), browser, s.depart(t))
	_, link := off.BeginLink(t.Context(), signedIn, secrets.NewValue(password))
	_, own := off.Own(t.Context(), signedIn)
	for what, err := range map[string]error{"begin": begin, "finish": finish, "link": link, "finish a link": off.FinishLink(t.Context(), signedIn, identity.Return{}), "own": own, "unlink": off.Unlink(t.Context(), signedIn)} {
		if fault.CodeOf(err) != "oidc.off" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// FuzzReturn brings states and cookies that nobody was given: none opens a session or asks the provider.
func FuzzReturn(f *testing.F) {
	s := newTrips(f)
	back := s.depart(f)
	f.Add(back.State[:95], back.Cookie)
	f.Add(back.State, back.Cookie+"x")
	f.Add("", "")
	f.Add(strings.Repeat("A", 96), ".")
	f.Fuzz(func(t *testing.T, state, cookie string) {
		if state == back.State && cookie == back.Cookie {
			return
		}
		_, err := s.Finish(t.Context(), access.Anonymous(""), identity.Return{State: state, Cookie: cookie, Code: "code"})
		if err == nil || s.asked > 0 || s.session.ID != "" {
			t.Errorf("%q with %q: %v, asked %d times", state, cookie, err, s.asked)
		}
	})
}
