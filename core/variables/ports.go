package variables

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/seal"
)

// Store keeps variables and bindings. Each method is one transaction, and what it is told
// to audit is written in the same one. Invalid "input.reference" names a stack or job that
// does not exist.
type Store interface {
	// AddVariable stores v. Conflict "variable.name_taken", "variable.limit".
	AddVariable(ctx context.Context, v Stored, e access.AuditEvent) (Variable, error)
	// EditVariable stores what edit makes of a variable. edit may be called again, so it has
	// no effect of its own; its error is returned as it is and nothing is stored, and
	// neither is anything when changed is false. NotFound "variable.not_found"; Conflict
	// "variable.name_taken".
	EditVariable(ctx context.Context, id core.VariableID, edit func(Stored) (v Stored, changed bool, err error), by access.Principal) (Variable, error)
	// DeleteVariable removes a variable and its bindings. NotFound "variable.not_found".
	DeleteVariable(ctx context.Context, id core.VariableID, by access.Principal) error
	// Variables returns variables in order of age.
	Variables(ctx context.Context, f Filter, p core.Page) (core.List[Variable], error)
	// OwnVariables returns every variable of an owner by name.
	OwnVariables(ctx context.Context, o Owner) ([]Variable, error)
	// ImportVariables shows plan the variables of an owner by name and stores what it
	// returns, all or nothing. plan is as edit above.
	ImportVariables(ctx context.Context, o Owner, plan func(map[string]Stored) ([]Stored, error), by access.Principal) error
	// BindVariables makes exactly these global variables reach a stack or job. Invalid
	// "input.reference" names an identifier that is no global variable.
	BindVariables(ctx context.Context, o Owner, ids []core.VariableID, by access.Principal) error
	// BoundVariables returns the global variables that are bound to a stack or job, by name.
	BoundVariables(ctx context.Context, o Owner) ([]Variable, error)
	// BindVariable makes one global variable reach a stack or job, or not any more. NotFound
	// "variable.not_found".
	BindVariable(ctx context.Context, id core.VariableID, o Owner, bound bool, by access.Principal) error
	// VariableOwners returns the stacks and jobs that a global variable is bound to, by scope and identifier.
	VariableOwners(ctx context.Context, id core.VariableID) ([]Owner, error)
	// VariableReach returns how many stacks and jobs each global variable is bound to; those without any
	// are left out.
	VariableReach(ctx context.Context) (map[core.VariableID]Reach, error)
}

// EffectiveStore is what a deployment reads.
type EffectiveStore interface {
	// EffectiveVariables returns what a stack or job sees, by name: its own variables, and
	// the bound global ones whose names it does not have itself.
	EffectiveVariables(ctx context.Context, o Owner) ([]Variable, error)
}

// SealedStore is where internal secrets lie.
type SealedStore interface {
	// SealedVariables returns the sealed values of those of ids that exist and have one.
	SealedVariables(ctx context.Context, ids []core.VariableID) (map[core.VariableID]seal.Sealed, error)
}

// Seals closes secret columns; *seal.Ring does.
type Seals interface {
	Seal(place seal.Place, plaintext []byte) (seal.Sealed, error)
}

// Opener opens secret columns; *seal.Ring does.
type Opener interface {
	Open(place seal.Place, sealed seal.Sealed) ([]byte, error)
}

// Fingerprinter identifies values without telling them; *seal.Ring does.
type Fingerprinter interface {
	Fingerprint(parts ...string) string
}

// Providers says which secret providers can be used; *integrations.Desk does.
type Providers interface {
	// Usable returns the fault why a provider cannot be used now.
	Usable(ctx context.Context, provider string) error
}

// Filter narrows a list of variables; empty fields do not.
type Filter struct {
	Scope   Scope
	ScopeID string
}
