package ui

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// VariableLister lists variables; see variables.Desk.
type VariableLister interface {
	Variables(ctx context.Context, f variables.Filter, p core.Page) (core.List[variables.Variable], error)
	// Bound returns the global variables that reach a stack, by name.
	Bound(ctx context.Context, o variables.Owner) ([]variables.Variable, error)
}

// VariableCreator adds variables; see variables.Desk.
type VariableCreator interface {
	VariableLister
	Create(ctx context.Context, draft variables.Draft, by access.Principal) (variables.Variable, error)
}

type stackVariablesPage struct {
	Head        stackHead
	Own, Global []variableLine
	New         variableForm
}

type variableLine struct {
	Name     string
	Href     string
	Value    string // the beginning of a plain one's
	Long     bool   // there is more of it
	Empty    bool
	Secret   bool
	Provider string // of a secret that is kept elsewhere
	Changed  moment
}

type variableForm struct {
	Trouble string
	Name    input
	Value   input
	Secret  tick
}

var stackVariablesView = newView[stackVariablesPage]("stack_variables.html")

// shownValue is how much of a value a list shows, in bytes.
const shownValue = 120

// StackVariables lists what a stack's containers may be given, with a form to add to it.
func StackVariables(finder StackFinder, lister VariableLister, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := finder.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		return writeVariables(w, r, http.StatusOK, lister, s, newVariableForm("", "", true), now())
	})
}

// AddStackVariable adds a variable to a stack.
func AddStackVariable(finder StackFinder, desk VariableCreator, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		s, err := finder.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		name, value, secret := strings.TrimSpace(form.Get("name")), lines(form.Get("value")), form.Has("secret")
		_, err = desk.Create(r.Context(), variables.Draft{Owner: variables.OfStack(s.ID), Name: name, Value: value, Secret: secret}, endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, saying(stackHref(s.ID)+"/variables", "variable-saved"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		again := newVariableForm(name, value, secret)
		again.refuse(c, err)
		return writeVariables(w, r, c.Status, desk, s, again, now())
	})
}

// refuse puts what is wrong into the form. The value of a secret is not sent back.
func (f *variableForm) refuse(c complaints, err error) {
	if f.Secret.On {
		f.Value.Value = ""
	}
	f.Trouble = c.on(&f.Name, &f.Value)
	if fault.CodeOf(err) == "variable.name_taken" {
		f.Name.Problem, f.Name.Focus, f.Trouble = f.Trouble, true, ""
	}
}

func newVariableForm(name, value string, secret bool) variableForm {
	return variableForm{
		Name: input{Name: "name", Label: "Name", Kind: "text", Complete: "off", Mono: true, Sample: "DATABASE_URL", Value: exact(name)},
		Value: input{Name: "value", Label: "Value", Kind: "area", Mono: true, Value: exact(value),
			Hint: "Kept byte for byte, line ends included. A container gets it only if the Compose file lists the name for its service."},
		Secret: tick{Name: "secret", Label: "Secret", On: secret, Hint: "Sealed in the database, never shown again, taken out of logs."},
	}
}

func writeVariables(w http.ResponseWriter, r *http.Request, status int, lister VariableLister, s stacks.Stack, form variableForm, now time.Time) error {
	page := stackVariablesPage{Head: headOf(s, nil, tabVariables), New: form}
	own, err := variablesOf(r.Context(), lister, s.ID)
	if err != nil {
		return err
	}
	bound, err := lister.Bound(r.Context(), variables.OfStack(s.ID))
	if err != nil {
		return err
	}
	for _, v := range own {
		page.Own = append(page.Own, variableOf(v, stackHref(s.ID)+"/variables/"+string(v.ID), now))
	}
	for _, v := range bound {
		page.Global = append(page.Global, variableOf(v, "", now))
	}
	f := newFrame(r, inStacks, "Variables of "+s.Name, stackTrail(s)...)
	f.Problem = status != http.StatusOK
	return stackVariablesView.write(w, r, status, f, page)
}

// variablesOf returns all variables of a stack by name; there are at most variables.MaxPerScope.
func variablesOf(ctx context.Context, lister VariableLister, id core.StackID) ([]variables.Variable, error) {
	filter, ask := variables.Filter{Scope: variables.ScopeStack, ScopeID: string(id)}, core.Page{Limit: core.MaxPage}
	var all []variables.Variable
	for {
		list, err := lister.Variables(ctx, filter, ask)
		if err != nil {
			return nil, err
		}
		all = append(all, list.Items...)
		if list.Next == "" {
			slices.SortFunc(all, func(a, b variables.Variable) int { return strings.Compare(a.Name, b.Name) })
			return all, nil
		}
		ask.After = list.Next
	}
}

func variableOf(v variables.Variable, href string, now time.Time) variableLine {
	line := variableLine{Name: v.Name, Href: href, Secret: v.Secret, Empty: !v.HasValue, Changed: at(v.UpdatedAt, now)}
	if v.Secret && v.Reference != "" {
		line.Provider = v.Provider
	}
	line.Value, line.Long = v.Value, len(v.Value) > shownValue || strings.Contains(v.Value, "\n")
	if first, _, more := strings.Cut(v.Value, "\n"); more {
		line.Value = first
	}
	if len(line.Value) > shownValue {
		line.Value = strings.ToValidUTF8(line.Value[:shownValue], "")
	}
	return line
}
