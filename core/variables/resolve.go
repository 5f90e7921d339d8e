package variables

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/secrets"
)

// Resolver gives a deployment what it may see. A stack sees its own variables and the
// global ones that are bound to it; where both have a name, its own wins. Its fields are
// set once.
type Resolver struct {
	store  EffectiveStore
	gate   *secrets.Gate
	prints Fingerprinter
}

// NewResolver returns a Resolver whose secrets pass through gate.
func NewResolver(store EffectiveStore, gate *secrets.Gate, prints Fingerprinter) *Resolver {
	return &Resolver{store, gate, prints}
}

// ForRendering returns the stack's variables by name; secret ones without value.
func (r *Resolver) ForRendering(ctx context.Context, stack core.StackID) ([]core.ComposeVariable, error) {
	all, err := r.store.EffectiveVariables(ctx, OfStack(stack))
	if err != nil {
		return nil, fmt.Errorf("read the stack's variables: %w", err)
	}
	seen := make([]core.ComposeVariable, len(all))
	for i, v := range all {
		seen[i] = core.ComposeVariable{Name: v.Name, Value: v.Value, Secret: v.Secret}
	}
	return seen, nil
}

// Secrets resolves the named secret variables of the stack, all or none. Nothing but
// memory ever holds what it returns. The fault "secret.unresolved" names the provider
// and every variable that it did not give; Conflict "variable.changed" names variables
// that are no secrets of the stack any more.
func (r *Resolver) Secrets(ctx context.Context, stack core.StackID, names []string) (map[string]secrets.Value, error) {
	if len(names) == 0 {
		return map[string]secrets.Value{}, nil
	}
	all, err := r.store.EffectiveVariables(ctx, OfStack(stack))
	if err != nil {
		return nil, fmt.Errorf("read the stack's variables: %w", err)
	}
	refs := make([]secrets.Ref, 0, len(names))
	for _, v := range all {
		if v.Secret && slices.Contains(names, v.Name) {
			refs = append(refs, v.ref())
		}
	}
	if gone := without(names, refs); len(gone) > 0 {
		return nil, fault.New(fault.Conflict, "variable.changed",
			"These are no secret variables of the stack any more: %s. Deploy it again; nothing was deployed.", strings.Join(gone, ", "))
	}
	return r.gate.Resolve(ctx, refs)
}

// ref says where the value of a secret is to be found.
func (v Variable) ref() secrets.Ref {
	reference := v.Reference
	if v.Provider == secrets.Internal {
		reference = string(v.ID)
	}
	return secrets.Ref{Variable: v.Name, Provider: v.Provider, Reference: reference}
}

// without returns the names that no reference has.
func without(names []string, refs []secrets.Ref) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(refs, func(ref secrets.Ref) bool { return ref.Variable == name })
	})
}

// Fingerprint identifies a value without telling it: the same name and value give the
// same text for the whole life of an installation.
func (r *Resolver) Fingerprint(name string, value secrets.Value) string {
	return r.prints.Fingerprint("variable", name, value.Reveal())
}
