package access

import (
	"slices"
	"time"

	"berth/core"
)

// Result says what came of what someone did.
type Result string

// The results.
const (
	Done    Result = "done"
	Refused Result = "refused" // it was not allowed, and nothing changed
	Failed  Result = "failed"  // it was begun, and did not come to a good end
)

// Results lists all results.
var Results = []Result{Done, Refused, Failed}

// AuditEvent is one thing that someone did. It is written in the transaction that
// makes the change.
type AuditEvent struct {
	Actor    Principal
	Action   string // noun.verb: "stack.create"
	Resource string // identifier of what was changed
	Detail   string // for people, short, no values
	Result   Result // empty: Done
}

// AuditRecord is an event as it was kept.
type AuditRecord struct {
	ID core.AuditEventID
	At time.Time
	AuditEvent
}

// AuditFilter narrows the audit; an empty field leaves it as wide as it was.
type AuditFilter struct {
	Actor    string    // identifier or name of who acted, or identifier of the API key that was used
	Action   string    // noun.verb
	Resource string    // identifier of what was changed
	Result   Result    // what came of it
	From     time.Time // the first moment
	To       time.Time // the first moment after
}

// Audit makes the record that p did action to resource. detail never contains a value
// of a variable, a token or a password.
func (p Principal) Audit(action, resource, detail string) AuditEvent {
	return AuditEvent{Actor: p, Action: action, Resource: resource, Detail: detail, Result: Done}
}

// With returns e with another result.
func (e AuditEvent) With(result Result) AuditEvent {
	e.Result = result
	return e
}

// ByKey reports whether the actor is given by an API key.
func (f AuditFilter) ByKey() bool { return core.ValidID(core.PrefixAPIKey, f.Actor) }

// ByID reports whether the actor is given by an identifier of its own, and not by a name.
func (f AuditFilter) ByID() bool {
	return slices.ContainsFunc([]string{core.PrefixUser, core.PrefixServiceAccount, core.PrefixWorker}, func(prefix string) bool { return core.ValidID(prefix, f.Actor) })
}
