package variables

import (
	"cmp"
	"context"
	"slices"
	"time"

	"berth/core"
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
	Shadows  []Source  // that have the name too, and lose
	Services []string  // compose services that a secret reaches; empty for a plain variable
	Since    time.Time // since when a secret that runs is older than what its provider holds; zero: it is not
}

// Surroundings is what others know of a stack's variables.
type Surroundings struct {
	Provided []string            // names that the secrets file provides
	Uses     map[string][]string // compose services by the name of the secret that reaches them
	Stale    []string            // names of secrets that run with an older value
	Since    time.Time           // when that was noticed
}

// Effective returns every name that a stack sees, by name.
func (d *Desk) Effective(ctx context.Context, stack core.StackID, around Surroundings) ([]Effective, error) {
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
	for _, name := range around.Provided {
		add(Effective{Name: name, Source: SourceSOPS, Secret: true})
	}
	for _, v := range own {
		add(Effective{Name: v.Name, Source: SourceStack, Variable: v, Secret: v.Secret})
	}
	for _, v := range bound {
		add(Effective{Name: v.Name, Source: SourceGlobal, Variable: v, Secret: v.Secret})
	}
	all := make([]Effective, 0, len(byName))
	for _, e := range byName {
		e.Services = around.Uses[e.Name]
		if slices.Contains(around.Stale, e.Name) && e.Source != SourceSOPS {
			e.Since = around.Since
		}
		all = append(all, *e)
	}
	slices.SortFunc(all, func(a, b Effective) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}
