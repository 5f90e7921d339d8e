package ui

import (
	"net/http"
	"net/url"

	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/secrets"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

type variableNewPage struct {
	Of             string
	Href, ListHref string // where a variable is added, and where it is listed then
	Ways           []wayLine
	Form           variableForm
	Pick           variablePicker
}

// wayLine is where the value of a new variable can come from.
type wayLine struct {
	Word, Text, Href, Icon string
	Current                bool
}

var variableNewView = newView[variableNewPage]("variable_new.html")

// NewVariable asks for a variable: its value, or step by step where an external provider keeps it.
func NewVariable(of Scope, backends SecretBackends) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := of(r)
		if err != nil {
			return err
		}
		p := pickedIn(r.URL.Query())
		page, err := newVariablePage(r, s, p, backends)
		if err != nil {
			return err
		}
		page.Form = newVariableForm(s.owner.Scope, p.name, "", true)
		status := http.StatusOK
		if page.Pick.Backend != "" && page.Pick.Asks != "" {
			if status, err = page.Pick.look(w, r, p, backends); err != nil {
				return err
			}
		}
		return variableNewView.write(w, r, status, s.frame(r, "Add a variable", status), page)
	})
}

// AddVariable adds a variable. One whose place is not chosen whole goes on with choosing.
func AddVariable(of Scope, desk VariableDesk, backends SecretBackends) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		s, err := of(r)
		if err != nil {
			return err
		}
		p := pickedIn(form)
		draft := variables.Draft{Owner: s.owner, Name: p.name, Value: lines(form.Get("value")), Secret: form.Has("secret")}
		if external(p.provider) {
			if draft.Reference = p.reference(); draft.Reference == "" {
				return seeOther(w, r, withQuery(s.href+"/new", p.query()))
			}
			draft.Value, draft.Secret, draft.Provider = "", true, p.provider
		}
		if _, err = desk.Create(r.Context(), draft, endpoint.Principal(r.Context())); err == nil {
			return seeOther(w, r, s.saying("variable-saved"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		page, err2 := newVariablePage(r, s, p, backends)
		if err2 != nil {
			return err2
		}
		page.Form = newVariableForm(s.owner.Scope, draft.Name, string(draft.Value), draft.Secret)
		page.refuse(c, err)
		return variableNewView.write(w, r, c.Status, s.frame(r, "Add a variable", c.Status), page)
	})
}

// refuse puts what is wrong into whichever form was sent.
func (p *variableNewPage) refuse(c complaints, err error) {
	if p.Pick.Backend == "" {
		p.Form.refuse(c, err)
		return
	}
	p.Pick.Trouble = c.on(&p.Pick.Name)
	if fault.CodeOf(err) == "variable.name_taken" {
		p.Pick.Name.Problem, p.Pick.Name.Focus, p.Pick.Trouble = p.Pick.Trouble, true, ""
	}
}

func external(provider string) bool { return provider == secrets.Vault || provider == secrets.Manager }

func newVariablePage(r *http.Request, s scope, p picked, backends SecretBackends) (variableNewPage, error) {
	page := variableNewPage{Of: s.of, Href: s.href, ListHref: s.href}
	ways, err := waysOf(r, s.href+"/new", p, backends)
	if err != nil {
		return page, err
	}
	page.Ways = ways
	if external(p.provider) {
		page.Pick = newPicker(s.href+"/new", p)
	}
	return page, nil
}

// waysOf lists where values can come from; nothing when they can only be typed.
func waysOf(r *http.Request, base string, p picked, backends SecretBackends) ([]wayLine, error) {
	way := func(provider, word, text, icon string) wayLine {
		return wayLine{word, text, withQuery(base, picked{provider: provider, name: p.name}.query()), icon, provider == p.provider}
	}
	ways := []wayLine{way("", "Type the value", "plain, or a secret that is sealed here", "lock")}
	for _, d := range integrations.Declared() {
		if d.Category != integrations.CategorySecretBackend {
			continue
		}
		if !external(d.Slug) {
			continue
		}
		switch err := backends.Usable(r.Context(), d.Slug); {
		case err == nil:
			ways = append(ways, way(d.Slug, d.Name, "pick where the secret is kept there", "key"))
		case !fault.Is(err, fault.Conflict):
			return nil, err
		}
	}
	if len(ways) == 1 && p.provider == "" {
		return nil, nil
	}
	return ways, nil
}

// addHref is where a variable of a name is added.
func addHref(list, name string) string {
	return withQuery(list+"/new", url.Values{"name": {name}})
}
