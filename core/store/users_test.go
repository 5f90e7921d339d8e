package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/store"
)

// register is a store of people and programs, and the raw database beside it.
type register struct {
	*store.Store
	t   *testing.T
	raw *store.DB
	at  time.Time // moves a millisecond with each id, so that ids sort by age
}

func openRegister(t *testing.T) *register {
	t.Helper()
	db, raw := migrated(t)
	r := &register{t: t, raw: raw, at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	store.Overhear(db, overheard.add)
	r.Store = store.New(db, func() time.Time { return r.at })
	return r
}

func (r *register) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *register) id(prefix string) string {
	r.at = r.at.Add(time.Millisecond)
	return core.NewID(prefix, r.at)
}

func (r *register) exec(query string, args ...any) {
	r.t.Helper()
	r.must(execute(r.t, r.raw, query, args...))
}

func (r *register) count(query string, args ...any) int {
	r.t.Helper()
	return number(r.t, r.raw, query, args...)
}

// user makes a user beside the first administrator.
func (r *register) user(role access.Role) identity.User {
	r.t.Helper()
	id := r.id(core.PrefixUser)
	r.exec(`INSERT INTO users (id, email, name, role, password, disabled, created_at, updated_at) VALUES (?, ?, 'n', ?, 'hash', 0, 1000, 1000)`, id, id+"@b", role)
	return r.find(core.UserID(id))
}

// find reads a user as it is stored.
func (r *register) find(id core.UserID) identity.User {
	r.t.Helper()
	list, err := r.Users(r.t.Context(), core.Page{Limit: core.MaxPage})
	r.must(err)
	for _, u := range list.Items {
		if u.ID == id {
			return u
		}
	}
	r.t.Fatalf("no user %s", id)
	return identity.User{}
}

// session opens a session of u.
func (r *register) session(u identity.User) identity.StoredSession {
	r.t.Helper()
	s := identity.StoredSession{ID: core.SessionID(r.id(core.PrefixSession)), User: u, MAC: []byte("mac"), CreatedAt: r.at, ExpiresAt: r.at.Add(time.Hour)}
	r.must(r.OpenSession(r.t.Context(), u.Principal(s.ID), s, ""))
	return s
}

func (r *register) account(name string) identity.ServiceAccount {
	r.t.Helper()
	a := identity.ServiceAccount{ID: core.ServiceAccountID(r.id(core.PrefixServiceAccount)), Name: name, Role: access.RoleViewer, CreatedAt: r.at, UpdatedAt: r.at}
	r.must(r.AddServiceAccount(r.t.Context(), access.System, a))
	return a
}

func (r *register) key(a identity.ServiceAccount) identity.APIKey {
	r.t.Helper()
	k := identity.APIKey{ID: core.APIKeyID(r.id(core.PrefixAPIKey)), Account: a.ID, Name: "k", CreatedAt: r.at}
	r.must(r.AddAPIKey(r.t.Context(), access.System, k, []byte("mac")))
	return k
}

// TestOneFirstAdministrator: the database decides, whatever came before it. (A6)
func TestOneFirstAdministrator(t *testing.T) {
	r := openRegister(t)
	if needed, err := r.SetupNeeded(t.Context()); err != nil || !needed {
		t.Fatalf("%t, %v", needed, err)
	}
	users := make([]identity.User, 200)
	for i := range users {
		users[i] = identity.User{ID: core.UserID(r.id(core.PrefixUser)), Email: fmt.Sprintf("a%d@b", i), Name: "n", Role: access.RoleAdmin, CreatedAt: r.at, UpdatedAt: r.at}
	}
	outcomes := make(chan error, len(users))
	var all sync.WaitGroup
	for _, u := range users {
		all.Go(func() { outcomes <- r.AddFirstAdministrator(t.Context(), u.Principal(""), u, "hash") })
	}
	all.Wait()
	close(outcomes)
	made := 0
	for err := range outcomes {
		if err == nil {
			made++
		} else if fault.CodeOf(err) != "setup.closed" {
			t.Error(err)
		}
	}
	stored, audited := r.count(`SELECT count(*) FROM users`), r.count(`SELECT count(*) FROM audit_events`)
	if made != 1 || stored != 1 || audited != 1 {
		t.Errorf("%d were told yes, %d users, %d audit events", made, stored, audited)
	}
	r.exec(`DELETE FROM users`)
	if needed, err := r.SetupNeeded(t.Context()); err != nil || needed {
		t.Errorf("set-up opened again: %t, %v", needed, err)
	}
}

// TestSetUpIsClosedWhereThereAreUsers, though nothing says so: a database from elsewhere.
func TestSetUpIsClosedWhereThereAreUsers(t *testing.T) {
	r := openRegister(t)
	u := r.user(access.RoleViewer)
	u.ID, u.Email = "usr_x", "x@y"
	if needed, err := r.SetupNeeded(t.Context()); err != nil || needed {
		t.Errorf("%t, %v", needed, err)
	}
	if err := r.AddFirstAdministrator(t.Context(), u.Principal(""), u, "hash"); fault.CodeOf(err) != "setup.closed" {
		t.Error(err)
	}
}

// TestTheStoreKeepsAnAdministrator. (A7)
func TestTheStoreKeepsAnAdministrator(t *testing.T) {
	yes, viewer := true, access.RoleViewer
	for name, remove := range map[string]func(*register, core.UserID) error{
		"deleting": func(r *register, id core.UserID) error { return r.DeleteUser(t.Context(), access.System, id) },
		"demoting": func(r *register, id core.UserID) error {
			_, err := r.ChangeUser(t.Context(), access.System, id, identity.UserChange{Role: &viewer})
			return err
		},
		"disabling": func(r *register, id core.UserID) error {
			_, err := r.ChangeUser(t.Context(), access.System, id, identity.UserChange{Disabled: &yes})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := openRegister(t)
			admins := make([]core.UserID, 20)
			for i := range admins {
				admins[i] = r.user(access.RoleAdmin).ID
			}
			r.user(access.RoleOperator)
			var all sync.WaitGroup
			outcomes := make(chan error, len(admins))
			for _, id := range admins {
				all.Go(func() { outcomes <- remove(r, id) })
			}
			all.Wait()
			close(outcomes)
			refused := 0
			for err := range outcomes {
				if fault.CodeOf(err) == "user.last_admin" {
					refused++
				} else if err != nil {
					t.Error(err)
				}
			}
			if left := r.count(`SELECT count(*) FROM users WHERE role = 'admin' AND disabled = 0`); left != 1 || refused != 1 {
				t.Errorf("%d administrators left, %d refused", left, refused)
			}
			for result, want := range map[string]int{"done": 19, "refused": 1} {
				if audited := r.count(`SELECT count(*) FROM audit_events WHERE result = ?`, result); audited != want {
					t.Errorf("%d changes audited as %s, want %d", audited, result, want)
				}
			}
		})
	}
}

func TestChangingAUserEndsTheirSessionsAndNobodyElses(t *testing.T) {
	r := openRegister(t)
	r.user(access.RoleAdmin)
	u, other := r.user(access.RoleViewer), r.user(access.RoleViewer)
	r.session(other)
	operator, no := access.RoleOperator, false
	r.session(u)
	if got, err := r.ChangeUser(t.Context(), access.System, u.ID, identity.UserChange{Disabled: &no}); err != nil || got != u {
		t.Errorf("no change is %+v, %v", got, err)
	}
	if n := r.count(`SELECT count(*) FROM sessions WHERE user_id = ?`, u.ID); n != 1 {
		t.Errorf("no change left %d sessions", n)
	}
	got, err := r.ChangeUser(t.Context(), access.System, u.ID, identity.UserChange{Role: &operator})
	if stored := r.find(u.ID); err != nil || got.Role != operator || stored != got {
		t.Errorf("answered %+v, stored %+v, %v", got, stored, err)
	}
	if mine, others := r.count(`SELECT count(*) FROM sessions WHERE user_id = ?`, u.ID), r.count(`SELECT count(*) FROM sessions WHERE user_id = ?`, other.ID); mine != 0 || others != 1 {
		t.Errorf("%d sessions of theirs, %d of another", mine, others)
	}
}

func TestSessionsAreFewAndCurrent(t *testing.T) {
	r := openRegister(t)
	u, other := r.user(access.RoleAdmin), r.user(access.RoleViewer)
	kept := r.session(other)
	first := r.session(u)
	for range 60 {
		r.session(u)
	}
	if n := r.count(`SELECT count(*) FROM sessions WHERE user_id = ?`, u.ID); n != 50 {
		t.Errorf("%d sessions, want 50", n)
	}
	if _, err := r.StoredSession(t.Context(), first.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("the oldest: %v", err)
	}
	got, err := r.StoredSession(t.Context(), kept.ID)
	if err != nil || got.User != other || string(got.MAC) != "mac" || !got.ExpiresAt.Equal(kept.ExpiresAt) {
		t.Errorf("another's: %+v, %v", got, err)
	}
	r.at = r.at.Add(2 * time.Hour)
	r.session(u)
	if n := r.count(`SELECT count(*) FROM sessions`); n != 1 {
		t.Errorf("%d sessions after all but one expired", n)
	}
}

func TestASessionReplacesTheOneBefore(t *testing.T) {
	r := openRegister(t)
	u := r.user(access.RoleViewer)
	old := r.session(u)
	s := identity.StoredSession{ID: core.SessionID(r.id(core.PrefixSession)), User: u, MAC: []byte("m"), CreatedAt: r.at, ExpiresAt: r.at.Add(time.Hour)}
	r.must(r.OpenSession(t.Context(), u.Principal(s.ID), s, old.ID))
	if _, err := r.StoredSession(t.Context(), old.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("the old one: %v", err)
	}
	before := r.count(`SELECT count(*) FROM audit_events`)
	for range 2 {
		r.must(r.CloseSession(t.Context(), u.Principal(s.ID)))
	}
	if n := r.count(`SELECT count(*) FROM audit_events`); n != before+1 {
		t.Errorf("closing twice left %d audit events, want 1", n-before)
	}
	if _, err := r.StoredSession(t.Context(), s.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("the closed one: %v", err)
	}
}

func TestNoSessionForWhoWasBarredMeanwhile(t *testing.T) {
	r := openRegister(t)
	u := r.user(access.RoleViewer)
	for _, bar := range []string{`UPDATE users SET disabled = 1 WHERE id = ?`, `DELETE FROM users WHERE id = ?`} {
		r.exec(bar, u.ID)
		s := identity.StoredSession{ID: core.SessionID(r.id(core.PrefixSession)), User: u, MAC: []byte("m"), CreatedAt: r.at, ExpiresAt: r.at.Add(time.Hour)}
		if err := r.OpenSession(t.Context(), u.Principal(s.ID), s, ""); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("%s: %v", bar, err)
		}
	}
}
