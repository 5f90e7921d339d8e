package variables

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/secrets"
)

// Expect adds a variable as Create does, but a secret whose value is still to be given: an internal one has none, and
// the provider of another need not be usable yet. Until it is, what uses the variable fails and says so.
func (d *Desk) Expect(ctx context.Context, draft Draft, by access.Principal) (Variable, error) {
	bad := append(draft.Owner.check(), checkName(draft.Name)...)
	bad = append(bad, checkValue(draft.Value)...)
	checked := draft
	if draft.Secret && draft.Provider == secrets.Internal {
		checked.Value = "later"
	}
	if err := fault.BadFields("variable.invalid", append(bad, checked.checkSecret()...)); err != nil {
		return Variable{}, err
	}
	if !draft.Secret {
		return d.Create(ctx, draft, by)
	}
	now := d.now()
	v := Stored{Variable: Variable{ID: core.VariableID(core.NewID(core.PrefixVariable, now)), Owner: draft.Owner, Name: draft.Name,
		Secret: true, Provider: draft.Provider, Reference: draft.Reference, CreatedAt: now, UpdatedAt: now}}
	return d.store.AddVariable(ctx, v, by.Audit("variable.create", string(v.ID), v.String()))
}
