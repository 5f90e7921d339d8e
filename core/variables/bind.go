package variables

import (
	"context"
	"fmt"
	"slices"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
)

// Bind makes exactly these global variables reach a stack or job, and returns them by
// name. The stack's own variables win over them. Invalid "variable.invalid_binding",
// "input.reference".
func (d *Desk) Bind(ctx context.Context, o Owner, ids []core.VariableID, by access.Principal) ([]Variable, error) {
	bad := o.checkBound()
	if len(ids) > MaxPerScope {
		bad = append(bad, fault.Field{Path: "ids", Problem: fmt.Sprintf("at most %d", MaxPerScope)})
	}
	if err := fault.BadFields("variable.invalid_binding", bad); err != nil {
		return nil, err
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if err := d.store.BindVariables(ctx, o, ids, by); err != nil {
		return nil, err
	}
	return d.store.BoundVariables(ctx, o)
}

// Bound returns the global variables that reach a stack or job, by name.
func (d *Desk) Bound(ctx context.Context, o Owner) ([]Variable, error) {
	if err := fault.BadFields("variable.invalid_binding", o.checkBound()); err != nil {
		return nil, err
	}
	return d.store.BoundVariables(ctx, o)
}

// checkBound complains about what nothing can be bound to.
func (o Owner) checkBound() []fault.Field {
	if o.Scope == ScopeGlobal {
		return []fault.Field{{Path: "scope", Problem: "must be stack or job"}}
	}
	return o.check()
}
