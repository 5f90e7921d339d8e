package variables

import (
	"cmp"
	"context"
	"slices"

	"berth/core"
	"berth/core/access"
)

// Reach is how many stacks and jobs a global variable reaches.
type Reach struct{ Stacks, Jobs int }

// Owners returns the stacks and jobs that a global variable reaches.
func (d *Desk) Owners(ctx context.Context, id core.VariableID) ([]Owner, error) {
	return d.store.VariableOwners(ctx, id)
}

// Reach returns what each global variable reaches; those that reach nothing are left out.
func (d *Desk) Reach(ctx context.Context) (map[core.VariableID]Reach, error) {
	return d.store.VariableReach(ctx)
}

// BindTo makes a global variable reach exactly these stacks and jobs. Each that changes is a change of its
// own, so that of two who bind at once neither undoes what the other did to another one. NotFound
// "variable.not_found"; Invalid "input.reference" names a stack or job that does not exist.
func (d *Desk) BindTo(ctx context.Context, id core.VariableID, owners []Owner, by access.Principal) error {
	before, err := d.store.VariableOwners(ctx, id)
	if err != nil {
		return err
	}
	all := slices.Concat(before, owners)
	slices.SortFunc(all, func(a, b Owner) int {
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.ID, b.ID))
	})
	for _, o := range slices.Compact(all) {
		bound := slices.Contains(owners, o)
		if bound == slices.Contains(before, o) {
			continue
		}
		if err := d.store.BindVariable(ctx, id, o, bound, by); err != nil {
			return err
		}
	}
	return nil
}
