package ui

import (
	"net/http"
	"slices"
	"strings"

	"berth/core/variables"
	"berth/handlers/endpoint"
)

// offeredField names the stacks and jobs that a form offers, once for each.
const offeredField = "offered"

// BindVariable makes a global variable reach exactly the stacks and jobs that were ticked, of those that
// were offered.
func BindVariable(p VariablePages) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		s, v, err := variableIn(r, p.Of, p.Desk)
		if err != nil {
			return err
		}
		chosen, err := p.Reach.Owners(r.Context(), v.ID)
		if err != nil {
			return err
		}
		// What was not offered stays as it is.
		chosen = slices.DeleteFunc(chosen, func(o variables.Owner) bool { return slices.Contains(form[offeredField], tickOf(o)) })
		for name := range form {
			if o, is := ticked(name); is {
				chosen = append(chosen, o)
			}
		}
		if err = p.Reach.BindTo(r.Context(), v.ID, chosen, endpoint.Principal(r.Context())); err == nil {
			return seeOther(w, r, saying(s.href, "variable-reach"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		page, err := p.page(r, s, v, editVariableForm(v, v.Name, v.Value, v.Secret))
		if err != nil {
			return err
		}
		page.Reach.refuse(c, form)
		return variableEditView.write(w, r, c.Status, s.frame(r, v.Name, c.Status), page)
	})
}

// tickOf names the field that says whether a stack or job is reached: "stack-stk_…".
func tickOf(o variables.Owner) string { return string(o.Scope) + "-" + o.ID }

// ticked is whom a field of tickOf is about; false for other fields.
func ticked(name string) (variables.Owner, bool) {
	scope, id, found := strings.Cut(name, "-")
	o := variables.Owner{Scope: variables.Scope(scope), ID: id}
	return o, found && (o.Scope == variables.ScopeStack || o.Scope == variables.ScopeJob)
}
