package ui

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// EnvironmentReader reads what a stack's folder makes of its variables; the hub does.
type EnvironmentReader interface {
	Environment(ctx context.Context, id core.StackID) (stacks.Environment, error)
}

// RotationReader knows which values that run are older than what their providers hold.
type RotationReader interface {
	Rotation(ctx context.Context, stack core.StackID) (stacks.Rotation, error)
}

// EffectiveLister says whose value wins for every name that a stack sees; see variables.Desk.
type EffectiveLister interface {
	VariableLister
	Effective(ctx context.Context, stack core.StackID, around variables.Surroundings) ([]variables.Effective, error)
}

// StackVariablesDeps is what the page of a stack's variables needs.
type StackVariablesDeps struct {
	Finder    StackFinder
	Desk      EffectiveLister
	Hub       EnvironmentReader
	Rotations RotationReader
	Backends  SecretBackends
	Now       core.Clock
}

type stackVariablesPage struct {
	Head       stackHead
	Lines      []effectiveLine
	Names      int    // that the stack sees
	Known      bool   // the hub could be asked
	Reach      bool   // and could read the folder, so it is known which services a secret reaches
	Unknown    string // why nothing is known of the folder; with Known: of part of it
	File       string // the secrets file; empty: there is none
	Missing    []nameLink
	Rotation   rotationNotice
	ExportHref string
	Ways       []wayLine
	New        variableForm
}

var stackVariablesView = newView[stackVariablesPage]("stack_variables.html")

// StackVariables lists every name that a stack sees, whose value wins, what nobody provides, and a form
// to add to it.
func StackVariables(d StackVariablesDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := d.Finder.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		base := stackHref(s.ID) + "/variables"
		page := stackVariablesPage{Head: headOf(s, nil, tabVariables), New: newVariableForm(variables.ScopeStack, "", "", true), ExportHref: exportHref(variables.OfStack(s.ID))}
		if page.Ways, err = waysOf(r, base+"/new", picked{}, d.Backends); err != nil {
			return err
		}
		if err := page.see(r.Context(), d, s.ID, d.Now()); err != nil {
			return err
		}
		return stackVariablesView.write(w, r, http.StatusOK, newFrame(r, inStacks, "Variables of "+s.Name, stackTrail(s)...), page)
	})
}

// see puts everything that the stack sees into the page.
func (p *stackVariablesPage) see(ctx context.Context, d StackVariablesDeps, id core.StackID, now time.Time) error {
	env, err := p.ask(ctx, d.Hub, id)
	if err != nil {
		return err
	}
	rotation, err := d.Rotations.Rotation(ctx, id)
	if err != nil {
		return err
	}
	effective, err := d.Desk.Effective(ctx, id, variables.Surroundings{Provided: env.Provided, Uses: env.Uses, Stale: rotation.Stale, Since: rotation.Since})
	if err != nil {
		return err
	}
	own, err := variablesOf(ctx, d.Desk, variables.OfStack(id))
	if err != nil {
		return err
	}
	bound, err := d.Desk.Bound(ctx, variables.OfStack(id))
	if err != nil {
		return err
	}
	p.Names = len(effective)
	p.Lines = effectiveLines(effective, own, bound, stackHref(id)+"/variables", now)
	p.Rotation = rotationOf(stackHref(id), rotation, now)
	return nil
}

// ask asks the hub what the stack's folder makes of its variables; nothing is known when nobody can be asked.
func (p *stackVariablesPage) ask(ctx context.Context, hub EnvironmentReader, id core.StackID) (stacks.Environment, error) {
	env, err := hub.Environment(ctx, id)
	switch {
	case fault.Is(err, fault.Unavailable):
		p.Unknown = sentence(fault.PublicOf(err))
		return stacks.Environment{}, nil
	case err != nil:
		return env, err
	}
	p.Known, p.Reach, p.File, p.Unknown = true, env.Problem == "", env.File, sentence(env.Problem)
	for _, name := range env.Missing {
		p.Missing = append(p.Missing, nameLink{name, addHref(stackHref(id)+"/variables", name)})
	}
	return env, nil
}
