package variables

import (
	"cmp"
	"context"
	"slices"

	"berth/core"
	"berth/core/stacks"
)

// Source is where the value of a name that a stack sees comes from.
type Source string

// The sources; each wins over those after it.
const (
	SourceSOPS   Source = "sops"   // the secrets file in the repository
	SourceStack  Source = "stack"  // a variable of the stack
	SourceGlobal Source = "global" // a global variable that is bound to the stack
)

// Effective is a name that a stack sees, and who provides its value.
type Effective struct {
	Name     string
	Source   Source
	Variable Variable // the one that wins; without ID for SourceSOPS
	Secret   bool
	Shadows  []Source // that have the name too, and lose
	Services []string // compose services that a secret reaches; empty for a plain variable
	Stale    stacks.StaleSecret
}

// Effective returns every name that a stack sees, by name. Without an environment (nil: nobody could be
// asked) the secrets file and what reaches services are unknown.
func (d *Desk) Effective(ctx context.Context, stack core.StackID, env *stacks.Environment, rotation stacks.Rotation) ([]Effective, error) {
	own, err := d.store.OwnVariables(ctx, OfStack(stack))
	if err != nil {
		return nil, err
	}
	bound, err := d.store.BoundVariables(ctx, OfStack(stack))
	if err != nil {
		return nil, err
	}
	byName := map[string]*Effective{}
	add := func(e Effective) {
		if winner := byName[e.Name]; winner != nil {
			winner.Shadows = append(winner.Shadows, e.Source)
			return
		}
		byName[e.Name] = &e
	}
	if env != nil {
		for _, name := range env.Provided {
			add(Effective{Name: name, Source: SourceSOPS, Secret: true})
		}
	}
	for _, v := range own {
		add(Effective{Name: v.Name, Source: SourceStack, Variable: v, Secret: v.Secret})
	}
	for _, v := range bound {
		add(Effective{Name: v.Name, Source: SourceGlobal, Variable: v, Secret: v.Secret})
	}
	all := make([]Effective, 0, len(byName))
	for _, e := range byName {
		if env != nil {
			e.Services = env.Uses[e.Name]
		}
		if slices.Contains(rotation.Stale, e.Name) && e.Source != SourceSOPS {
			e.Stale = stacks.StaleSecret{Variable: e.Name, Services: e.Services, Since: rotation.Since}
		}
		all = append(all, *e)
	}
	slices.SortFunc(all, func(a, b Effective) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}
