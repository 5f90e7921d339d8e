package secrets

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"berth/core/fault"
)

// Gate resolves references through the providers that are enabled. Nothing is deployed
// unless everything that it references passes. Its fields are set once.
type Gate struct {
	internal Provider
	others   Backends
	meter    Meter // nil: nobody counts
	now      func() time.Time
}

// Meter counts what providers answered; *metrics.Own does.
type Meter interface {
	// Resolved counts a question to a provider; ok says that every value came.
	Resolved(provider string, ok bool, took time.Duration)
}

// Backends finds the providers that a person enables and configures; *integrations.Backends does.
type Backends interface {
	// Provider returns a provider as it is configured now, or the fault why it cannot be used.
	Provider(ctx context.Context, name string) (Provider, error)
}

// NewGate returns a Gate whose own provider is always enabled.
func NewGate(internal Provider, others Backends) *Gate {
	return &Gate{internal: internal, others: others}
}

// Measured has every question to a provider counted. It is called before the first one.
func (g *Gate) Measured(m Meter, now func() time.Time) *Gate {
	g.meter, g.now = m, now
	return g
}

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
	for _, a := range g.askAll(ctx, byProvider) {
		if lacking := missing(byProvider[a.provider], a.found); len(lacking) > 0 {
			failures = append(failures, failure{a.provider, lacking, a.err})
		}
		maps.Copy(values, a.found)
	}
	if len(failures) > 0 {
		return nil, unresolved(failures)
	}
	return values, nil
}

// Known returns the values of those references that can be resolved now, and nothing of the others.
func (g *Gate) Known(ctx context.Context, refs []Ref) map[string]Value {
	values := make(map[string]Value, len(refs))
	byProvider := map[string][]Ref{}
	for _, ref := range refs {
		byProvider[ref.Provider] = append(byProvider[ref.Provider], ref)
	}
	for _, a := range g.askAll(ctx, byProvider) {
		maps.Copy(values, a.found)
	}
	return values
}

// answer is what one provider gave.
type answer struct {
	provider string
	found    map[string]Value
	err      error
}

// askAll asks all providers at once and returns their answers by name.
func (g *Gate) askAll(ctx context.Context, byProvider map[string][]Ref) []answer {
	names := slices.Sorted(maps.Keys(byProvider))
	answers := make([]answer, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			answers[i] = g.measured(ctx, name, byProvider[name])
		})
	}
	all.Wait()
	return answers
}

// measured asks one provider and counts how that went.
func (g *Gate) measured(ctx context.Context, name string, refs []Ref) answer {
	if g.meter == nil {
		found, err := g.ask(ctx, name, refs)
		return answer{name, found, err}
	}
	began := g.now()
	found, err := g.ask(ctx, name, refs)
	g.meter.Resolved(name, err == nil && len(missing(refs, found)) == 0, g.now().Sub(began))
	return answer{name, found, err}
}

func (g *Gate) ask(ctx context.Context, name string, refs []Ref) (map[string]Value, error) {
	if name == g.internal.Name() {
		return g.internal.Resolve(ctx, refs)
	}
	p, err := g.others.Provider(ctx, name)
	if err != nil {
		return nil, err
	}
	return p.Resolve(ctx, refs)
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
