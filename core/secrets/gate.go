package secrets

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"berth/core/fault"
)

// Gate resolves references through the providers that are enabled. Nothing is deployed
// unless everything that it references passes. Its fields are set once.
type Gate struct{ providers map[string]Provider }

// NewGate returns a Gate with these providers enabled.
func NewGate(enabled ...Provider) *Gate {
	g := &Gate{providers: map[string]Provider{}}
	for _, p := range enabled {
		g.providers[p.Name()] = p
	}
	return g
}

// Enabled reports whether references of this provider can be resolved.
func (g *Gate) Enabled(provider string) bool { return g.providers[provider] != nil }

// Resolve returns the value of every reference by the name of its variable, or none at
// all and the fault "secret.unresolved": it names each provider that failed, why, and
// the variables that are affected. Its kind is Unavailable when trying again later may
// help, else Conflict.
func (g *Gate) Resolve(ctx context.Context, refs []Ref) (map[string]Value, error) {
	values := make(map[string]Value, len(refs))
	byProvider := map[string][]Ref{}
	for _, ref := range refs {
		byProvider[ref.Provider] = append(byProvider[ref.Provider], ref)
	}
	var failures []failure
	for _, name := range slices.Sorted(maps.Keys(byProvider)) {
		asked := byProvider[name]
		found, err := g.ask(ctx, name, asked)
		if lacking := missing(asked, found); len(lacking) > 0 {
			failures = append(failures, failure{name, lacking, err})
		}
		maps.Copy(values, found)
	}
	if len(failures) > 0 {
		return nil, unresolved(failures)
	}
	return values, nil
}

func (g *Gate) ask(ctx context.Context, name string, refs []Ref) (map[string]Value, error) {
	if p := g.providers[name]; p != nil {
		return p.Resolve(ctx, refs)
	}
	return nil, fault.New(fault.Conflict, "secret.provider_disabled",
		"it is not enabled or not configured; see Settings, Integrations, category Secret Backend")
}

func missing(asked []Ref, found map[string]Value) []string {
	var names []string
	for _, ref := range asked {
		if _, ok := found[ref.Variable]; !ok {
			names = append(names, ref.Variable)
		}
	}
	slices.Sort(names)
	return names
}

// failure is one provider that did not give everything.
type failure struct {
	provider string
	names    []string
	err      error // nil only when a provider breaks its contract
}

func (f failure) why() string {
	if f.err == nil {
		return "it has no value for them"
	}
	return strings.TrimSuffix(fault.PublicOf(f.err), ".")
}

func unresolved(failures []failure) error {
	e := &fault.Error{Kind: fault.Unavailable, Code: "secret.unresolved"}
	texts := make([]string, len(failures))
	for i, f := range failures {
		texts[i] = fmt.Sprintf("The secret provider %s did not give the values of %s: %s.", f.provider, strings.Join(f.names, ", "), f.why())
		for _, name := range f.names {
			e.Fields = append(e.Fields, fault.Field{Path: name, Problem: fmt.Sprintf("provider %s: %s", f.provider, f.why())})
		}
		if !fault.Is(f.err, fault.Unavailable) {
			e.Kind = fault.Conflict
		}
		if e.Cause == nil {
			e.Cause = f.err
		}
	}
	e.Public = strings.Join(texts, " ") + " Nothing was deployed."
	return e
}
