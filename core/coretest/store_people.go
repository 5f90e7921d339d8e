package coretest

import (
	"fmt"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/identity"
)

// administratorStays whatever ways of losing the last one meet each other. (A7)
func administratorStays(b storeBench) {
	y := newYard(b)
	ids := make([]core.UserID, 12)
	for i := range ids {
		invited := identity.User{ID: core.UserID(fmt.Sprint("usr_", i)), Email: fmt.Sprint(i, "@example.org"), Role: access.RoleAdmin}
		b.must(y.invite(core.InvitationID(fmt.Sprint("inv_", i)), invited.Email, invited.Role))
		b.must(y.AcceptInvitation(b.soon(), access.System, core.InvitationID(fmt.Sprint("inv_", i)), invited, "hash"))
		ids[i] = invited.ID
	}
	yes, viewer := true, access.RoleViewer
	won := y.race(len(ids), "user.last_admin", func(i int) (err error) {
		switch i % 3 {
		case 0:
			_, err = y.ChangeUser(b.Context(), access.System, ids[i], identity.UserChange{Disabled: &yes})
		case 1:
			_, err = y.ChangeUser(b.Context(), access.System, ids[i], identity.UserChange{Role: &viewer})
		default:
			err = y.DeleteUser(b.Context(), access.System, ids[i])
		}
		return err
	})
	if n := b.count(`SELECT count(*) FROM users WHERE role = 'admin' AND disabled = 0`); won != len(ids)-1 || n != 1 {
		b.Errorf("%d were removed, %d administrators are left", won, n)
	}
}

func (y yard) invite(id core.InvitationID, email string, role access.Role) error {
	return y.AddInvitation(y.b.soon(), access.System, identity.StoredInvitation{MAC: []byte("mac"),
		Invitation: identity.Invitation{ID: id, Email: email, Role: role, CreatedAt: storeEpoch, ExpiresAt: storeEpoch.Add(time.Hour)}})
}

func acceptedOnce(b storeBench) {
	y := newYard(b)
	b.must(y.invite("inv_1", "a@example.org", access.RoleViewer))
	won := y.race(30, "invitation.not_found", func(i int) error {
		u := identity.User{ID: core.UserID(fmt.Sprint("usr_", i)), Email: "a@example.org", Role: access.RoleViewer}
		return y.AcceptInvitation(b.Context(), access.System, "inv_1", u, "hash")
	})
	if n := b.count(`SELECT count(*) FROM users`); won != 1 || n != 1 {
		b.Errorf("%d were accepted, %d are stored", won, n)
	}
}
