package variables

import (
	"context"
	"slices"

	"berth/core"
	"berth/core/access"
)

// Stacks returns the stacks that a global variable reaches.
func (d *Desk) Stacks(ctx context.Context, id core.VariableID) ([]core.StackID, error) {
	return d.store.VariableStacks(ctx, id)
}

// Reach is how many stacks and jobs a global variable reaches.
type Reach struct{ Stacks, Jobs int }

// Reach returns how many stacks and jobs each global variable reaches; those that reach none are left out.
func (d *Desk) Reach(ctx context.Context) (map[core.VariableID]Reach, error) {
	return d.store.VariableReach(ctx)
}

// BindTo makes a global variable reach exactly these stacks. Each stack that changes is a change of its
// own, so that of two who bind at once neither undoes what the other did to another stack. NotFound
// "variable.not_found"; Invalid "input.reference" names a stack that does not exist.
func (d *Desk) BindTo(ctx context.Context, id core.VariableID, stacks []core.StackID, by access.Principal) error {
	before, err := d.store.VariableStacks(ctx, id)
	if err != nil {
		return err
	}
	for _, stack := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(before, stacks)))) {
		bound := slices.Contains(stacks, stack)
		if bound == slices.Contains(before, stack) {
			continue
		}
		if err := d.store.BindVariable(ctx, id, stack, bound, by); err != nil {
			return err
		}
	}
	return nil
}
