package identity

import (
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
)

// InvitationLife is how long an invitation is good.
const InvitationLife = 7 * 24 * time.Hour

// Invitation lets one person make their own account.
type Invitation struct {
	ID        core.InvitationID
	Email     string // the account's; normalised. No two open invitations share one
	Role      access.Role
	By        core.UserID // who invited; empty: a service account did
	ByName    string      // as the audit shows them
	CreatedAt time.Time
	ExpiresAt time.Time
	Sent      bool // its link was sent by e-mail, too, just now
}

// StoredInvitation is an invitation as it is kept.
type StoredInvitation struct {
	Invitation
	MAC []byte // of its token
}

// errInvitation says the same of a token that was never made as of one that was used: whoever holds neither learns
// nothing.
var errInvitation = fault.New(fault.NotFound, "invitation.ended",
	"This invitation is not good: it was used or revoked, has expired, or its address was copied in part. Ask whoever invited you for a new one.")
