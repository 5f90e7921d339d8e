package variables

import (
	"context"
	"fmt"
	"slices"

	"berth/core"
	"berth/core/secrets"
)

// Known returns those of the named secret variables of the stack that can be resolved now.
func (r *Resolver) Known(ctx context.Context, stack core.StackID, names []string) (map[string]secrets.Value, error) {
	all, err := r.store.EffectiveVariables(ctx, OfStack(stack))
	if err != nil {
		return nil, fmt.Errorf("read the stack's variables: %w", err)
	}
	var refs []secrets.Ref
	for _, v := range all {
		if v.Secret && slices.Contains(names, v.Name) {
			refs = append(refs, v.ref())
		}
	}
	return r.gate.Known(ctx, refs), nil
}

// Prints returns the fingerprints of those of the named secret variables of each stack that can be
// resolved now. What several stacks share is asked for once.
func (r *Resolver) Prints(ctx context.Context, asked map[core.StackID][]string) (map[core.StackID]map[string]string, error) {
	type use struct {
		stack core.StackID
		name  string
	}
	uses := map[secrets.Ref][]use{}
	for stack, names := range asked {
		all, err := r.store.EffectiveVariables(ctx, OfStack(stack))
		if err != nil {
			return nil, fmt.Errorf("read the stack's variables: %w", err)
		}
		for _, v := range all {
			if v.Secret && slices.Contains(names, v.Name) {
				ref := v.ref()
				ref.Variable = ref.Provider + " " + ref.Reference // unique among all that are asked
				uses[ref] = append(uses[ref], use{stack, v.Name})
			}
		}
	}
	refs := make([]secrets.Ref, 0, len(uses))
	for ref := range uses {
		refs = append(refs, ref)
	}
	prints := make(map[core.StackID]map[string]string, len(asked))
	known := r.gate.Known(ctx, refs)
	for ref, all := range uses {
		value, ok := known[ref.Variable]
		for _, u := range all {
			if prints[u.stack] == nil {
				prints[u.stack] = map[string]string{}
			}
			if ok {
				prints[u.stack][u.name] = r.Fingerprint(u.name, value)
			}
		}
	}
	return prints, nil
}
