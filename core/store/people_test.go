package store_test

import (
	"crypto/rand"
	"fmt"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/seal"
)

// invite stores an invitation of somebody to an address.
func (r *register) invite(by identity.User, email string, role access.Role) identity.StoredInvitation {
	r.t.Helper()
	i := identity.StoredInvitation{Invitation: identity.Invitation{ID: core.InvitationID(r.id(core.PrefixInvitation)), Email: email, Role: role,
		By: by.ID, ByName: by.Email, CreatedAt: r.at, ExpiresAt: r.at.Add(time.Hour)}, MAC: []byte("mac")}
	r.must(r.AddInvitation(r.t.Context(), by.Principal(""), i))
	return i
}

func (r *register) newcomer(of identity.StoredInvitation) identity.User {
	return identity.User{ID: core.UserID(r.id(core.PrefixUser)), Email: of.Email, Name: "n", Role: of.Role, CreatedAt: r.at, UpdatedAt: r.at}
}

// reset stores a link for a new password of somebody.
func (r *register) reset(of identity.User) identity.StoredReset {
	r.t.Helper()
	s := identity.StoredReset{Reset: identity.Reset{ID: core.ResetID(r.id(core.PrefixReset)), User: of.ID, ByName: "admin", CreatedAt: r.at, ExpiresAt: r.at.Add(time.Hour)}, MAC: []byte("mac")}
	r.must(r.AddReset(r.t.Context(), access.System, s))
	return s
}

func TestInvitationsAreListedWhileTheyAreOpen(t *testing.T) {
	r := openRegister(t)
	admin := r.user(access.RoleAdmin)
	first := r.invite(admin, "a@b", access.RoleViewer)
	second, third := r.invite(admin, "a@b", access.RoleOperator), r.invite(admin, "c@d", access.RoleViewer)
	if _, err := r.StoredInvitation(t.Context(), first.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("the one that was replaced: %v", err)
	}
	if got, err := r.StoredInvitation(t.Context(), second.ID); err != nil || got.Invitation != second.Invitation || string(got.MAC) != "mac" {
		t.Errorf("%+v, %v", got, err)
	}
	list, err := r.Invitations(t.Context(), core.Page{Limit: 1})
	if err != nil || len(list.Items) != 1 || list.Items[0] != second.Invitation || list.Next != string(second.ID) {
		t.Errorf("%+v, %v", list, err)
	}
	r.must(r.DeleteInvitation(t.Context(), access.System, third.ID))
	if err := r.DeleteInvitation(t.Context(), access.System, third.ID); fault.CodeOf(err) != "invitation.not_found" {
		t.Errorf("revoked twice: %v", err)
	}
	r.at = r.at.Add(2 * time.Hour)
	if list, err := r.Invitations(t.Context(), core.Page{Limit: 10}); err != nil || len(list.Items) != 0 {
		t.Errorf("after their time: %+v, %v", list, err)
	}
	if _, err := r.Prune(t.Context(), r.at); err != nil || r.count(`SELECT count(*) FROM invitations`) != 0 {
		t.Errorf("%d are kept, %v", r.count(`SELECT count(*) FROM invitations`), err)
	}
}

func TestNobodyIsInvitedTwice(t *testing.T) {
	r := openRegister(t)
	admin := r.user(access.RoleAdmin)
	i := r.invite(admin, "a@b", access.RoleViewer)
	r.must(r.AcceptInvitation(t.Context(), access.System, i.ID, r.newcomer(i), "hash"))
	again := identity.StoredInvitation{Invitation: identity.Invitation{ID: "inv_x", Email: "a@b", Role: access.RoleAdmin}}
	if err := r.AddInvitation(t.Context(), access.System, again); fault.CodeOf(err) != "user.email_taken" {
		t.Error(err)
	}
	if err := r.AcceptInvitation(t.Context(), access.System, i.ID, r.newcomer(i), "hash"); fault.CodeOf(err) != "invitation.not_found" {
		t.Error(err)
	}
	other := r.invite(admin, "c@d", access.RoleViewer)
	risen := r.newcomer(other)
	risen.Role = access.RoleAdmin
	if err := r.AcceptInvitation(t.Context(), access.System, other.ID, risen, "hash"); fault.CodeOf(err) != "invitation.not_found" {
		t.Errorf("with another role: %v", err)
	}
}

// TestWhatSomebodyMadeEndsWithTheirRight: nobody comes in on the word of one who may say it no more.
func TestWhatSomebodyMadeEndsWithTheirRight(t *testing.T) {
	yes, viewer := true, access.RoleViewer
	for name, end := range map[string]func(*register, core.UserID) error{
		"disabled": func(r *register, id core.UserID) error {
			_, err := r.ChangeUser(t.Context(), access.System, id, identity.UserChange{Disabled: &yes})
			return err
		},
		"demoted": func(r *register, id core.UserID) error {
			_, err := r.ChangeUser(t.Context(), access.System, id, identity.UserChange{Role: &viewer})
			return err
		},
		"removed": func(r *register, id core.UserID) error { return r.DeleteUser(t.Context(), access.System, id) },
	} {
		t.Run(name, func(t *testing.T) {
			r := openRegister(t)
			admin, other := r.user(access.RoleAdmin), r.user(access.RoleAdmin)
			r.invite(admin, "a@b", access.RoleAdmin)
			kept := r.invite(other, "c@d", access.RoleAdmin)
			r.reset(admin)
			r.must(end(r, admin.ID))
			list, err := r.Invitations(t.Context(), core.Page{Limit: 10})
			if err != nil || len(list.Items) != 1 || list.Items[0].ID != kept.ID || r.count(`SELECT count(*) FROM password_resets`) != 0 {
				t.Errorf("left are %+v and %d resets, %v", list.Items, r.count(`SELECT count(*) FROM password_resets`), err)
			}
		})
	}
}

func TestANewPasswordEndsWhatWasBefore(t *testing.T) {
	r := openRegister(t)
	u, other := r.user(access.RoleAdmin), r.user(access.RoleViewer)
	mine, theirs := r.session(u), r.session(other)
	r.session(u)
	r.reset(u)
	r.must(r.SetPassword(t.Context(), u.Principal(mine.ID), "fresh"))
	open, err := r.OpenSessions(t.Context(), u.ID)
	if err != nil || len(open) != 1 || open[0].ID != mine.ID || r.count(`SELECT count(*) FROM password_resets`) != 0 {
		t.Errorf("left are %+v, %v", open, err)
	}
	if _, hash, err := r.UserWithPassword(t.Context(), u.ID); err != nil || hash != "fresh" {
		t.Errorf("the password is %q, %v", hash, err)
	}
	if _, err := r.StoredSession(t.Context(), theirs.ID); err != nil {
		t.Errorf("another's session: %v", err)
	}
	if err := r.EndSession(t.Context(), u.Principal(mine.ID), theirs.ID); fault.CodeOf(err) != "session.not_found" {
		t.Errorf("ending another's session: %v", err)
	}
	r.must(r.EndSession(t.Context(), u.Principal(mine.ID), mine.ID))
	if open, err := r.OpenSessions(t.Context(), u.ID); err != nil || len(open) != 0 {
		t.Errorf("left are %+v, %v", open, err)
	}
}

func TestAResetIsSpentOnce(t *testing.T) {
	r := openRegister(t)
	u := r.user(access.RoleViewer)
	oldest := r.reset(u)
	for range identity.MaxResets {
		r.reset(u)
	}
	if _, err := r.StoredReset(t.Context(), oldest.ID); fault.CodeOf(err) != "reset.not_found" || r.count(`SELECT count(*) FROM password_resets`) != identity.MaxResets {
		t.Errorf("the oldest: %v", err)
	}
	last := r.reset(u)
	if got, err := r.StoredReset(t.Context(), last.ID); err != nil || got.Owner != u || got.Reset != last.Reset {
		t.Errorf("%+v, %v", got, err)
	}
	r.session(u)
	won := make(chan error, 20)
	var all sync.WaitGroup
	for i := range cap(won) {
		all.Go(func() { won <- r.SpendReset(t.Context(), u.Principal(""), last.ID, fmt.Sprint(i)) })
	}
	all.Wait()
	close(won)
	wins := 0
	for err := range won {
		if err == nil {
			wins++
		} else if fault.CodeOf(err) != "reset.not_found" {
			t.Error(err)
		}
	}
	if left := r.count(`SELECT count(*) FROM sessions`) + r.count(`SELECT count(*) FROM password_resets`); wins != 1 || left != 0 {
		t.Errorf("%d were told yes, %d sessions and links are left", wins, left)
	}
	missing := identity.StoredReset{Reset: identity.Reset{ID: "rst_x", User: "usr_x"}}
	if err := r.AddReset(t.Context(), access.System, missing); fault.CodeOf(err) != "user.not_found" {
		t.Error(err)
	}
}

func TestAnAddressIsOnePersons(t *testing.T) {
	r := openRegister(t)
	u, other := r.user(access.RoleAdmin), r.user(access.RoleViewer)
	r.reset(u)
	u.Name, u.Email = "Ada", "ada@b"
	r.must(r.ChangeProfile(t.Context(), u.Principal(""), u))
	if got := r.find(u.ID); got.Email != "ada@b" || got.Name != "Ada" || r.count(`SELECT count(*) FROM password_resets`) != 0 {
		t.Errorf("%+v", got)
	}
	u.Email = other.Email
	if err := r.ChangeProfile(t.Context(), u.Principal(""), u); fault.CodeOf(err) != "user.email_taken" {
		t.Error(err)
	}
}

func TestACodeIsSpentOnce(t *testing.T) {
	r := openRegister(t)
	u := r.user(access.RoleAdmin)
	mine := r.session(u)
	r.session(u)
	who := u.Principal(mine.ID)
	if _, err := r.SecondFactor(t.Context(), u.ID); fault.CodeOf(err) != "second_factor.not_found" || r.find(u.ID).SecondFactor {
		t.Errorf("before: %v", err)
	}
	ring, err := seal.NewRing(rand.Reader)
	r.must(err)
	sealed, err := ring.Seal(seal.Place{Table: "second_factors", Row: string(u.ID), Column: "sealed"}, []byte("secret"))
	r.must(err)
	r.must(r.SetSecondFactor(t.Context(), who, sealed, 100, [][]byte{[]byte("a"), []byte("b")}))
	if err := r.SetSecondFactor(t.Context(), who, sealed, 100, nil); fault.CodeOf(err) != "second_factor.there" {
		t.Error(err)
	}
	if open, err := r.OpenSessions(t.Context(), u.ID); err != nil || len(open) != 1 || open[0].ID != mine.ID || !r.find(u.ID).SecondFactor {
		t.Errorf("left are %+v, %v", open, err)
	}
	for _, c := range []struct {
		step int64
		want bool
	}{{100, false}, {99, false}, {101, true}, {101, false}, {103, true}, {102, false}} {
		if got, err := r.SpendStep(t.Context(), u.ID, c.step); err != nil || got != c.want {
			t.Errorf("step %d: %t, %v", c.step, got, err)
		}
	}
	won := make(chan bool, 20)
	var all sync.WaitGroup
	for range cap(won) {
		all.Go(func() {
			ok, err := r.SpendRecovery(t.Context(), who, []byte("a"))
			if err != nil {
				t.Error(err)
			}
			won <- ok
		})
	}
	all.Wait()
	close(won)
	wins := 0
	for ok := range won {
		if ok {
			wins++
		}
	}
	if wins != 1 || r.count(`SELECT count(*) FROM recovery_codes`) != 1 {
		t.Errorf("%d spent it, %d are left", wins, r.count(`SELECT count(*) FROM recovery_codes`))
	}
	r.must(r.RemoveSecondFactor(t.Context(), who, u.ID))
	if err := r.RemoveSecondFactor(t.Context(), who, u.ID); fault.CodeOf(err) != "second_factor.not_found" || r.count(`SELECT count(*) FROM recovery_codes`) != 0 {
		t.Error(err)
	}
}
