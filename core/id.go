package core

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"strings"
	"time"
)

// Identifiers are opaque to clients: a visible prefix, an underscore, and 26
// characters that sort by the time of creation (48 bits of milliseconds, 10 of
// microseconds, 70 random bits). Sorting by identifier is therefore sorting by age.
type (
	StackID           string // stk_…
	RepositoryID      string // rep_…
	CredentialID      string // cred_…
	WorkerID          string // wrk_…
	WorkerTokenID     string // wtk_…
	DeploymentID      string // dep_…
	CommandID         string // cmd_…
	JobID             string // job_…
	RunID             string // run_…
	VariableID        string // var_…
	ServiceAccountID  string // sva_…
	APIKeyID          string // key_…
	UserID            string // usr_…
	SessionID         string // ses_…
	InvitationID      string // inv_…
	ResetID           string // rst_…
	HubID             string // hub_…
	DeliveryID        string // whd_…
	WebhookSecretID   string // whs_…
	RepositoryEventID string // rev_…
	AuditEventID      string // aud_…
	LetterID          string // ltr_…
)

// The prefixes of identifiers.
const (
	PrefixStack           = "stk"
	PrefixRepository      = "rep"
	PrefixCredential      = "cred"
	PrefixWorker          = "wrk"
	PrefixWorkerToken     = "wtk"
	PrefixDeployment      = "dep"
	PrefixDecision        = "dcn"
	PrefixCommand         = "cmd"
	PrefixJob             = "job"
	PrefixRun             = "run"
	PrefixVariable        = "var"
	PrefixServiceAccount  = "sva"
	PrefixAPIKey          = "key"
	PrefixUser            = "usr"
	PrefixSession         = "ses"
	PrefixInvitation      = "inv"
	PrefixReset           = "rst"
	PrefixAuditEvent      = "aud"
	PrefixHub             = "hub"
	PrefixDelivery        = "whd"
	PrefixWebhookSecret   = "whs"
	PrefixRepositoryEvent = "rev"
	PrefixLetter          = "ltr"
)

// idAlphabet leaves out the letters that are easily taken for others; it sorts as bytes do.
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

var idEncoding = base32.NewEncoding(idAlphabet).WithPadding(base32.NoPadding)

// NewID returns a fresh identifier with the given prefix, stamped with now.
func NewID(prefix string, now time.Time) string {
	var b [16]byte
	rand.Read(b[7:])
	binary.BigEndian.PutUint64(b[:8], uint64(now.UnixMilli())<<16|uint64(now.Nanosecond()/1000%1000)<<6|uint64(b[7]&0x3f))
	return prefix + "_" + idEncoding.EncodeToString(b[:])
}

// FirstID returns what sorts before every identifier that is made in t's millisecond or later, and after
// those made before: a cursor for lists that run by age.
func FirstID(prefix string, t time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(t.UnixMilli())<<16)
	return prefix + "_" + idEncoding.EncodeToString(b[:])
}

// IsID reports whether s has the shape of an identifier, of whatever it may be.
func IsID(s string) bool {
	prefix, _, _ := strings.Cut(s, "_")
	return prefix != "" && len(prefix) <= len(PrefixCredential) && strings.Trim(prefix, "abcdefghijklmnopqrstuvwxyz") == "" && ValidID(prefix, s)
}

// ValidID reports whether s has the shape of an identifier with the given prefix.
func ValidID(prefix, s string) bool {
	body, found := strings.CutPrefix(s, prefix+"_")
	if !found || len(body) != 26 {
		return false
	}
	for _, c := range []byte(body) {
		if strings.IndexByte(idAlphabet, c) < 0 {
			return false
		}
	}
	return true
}
