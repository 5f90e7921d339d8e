package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"berth/core/fault"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

type variableTextPage struct {
	Of             string
	Href, ListHref string
	ExportHref     string
	Text           exact
	Problems       []string // what is wrong with it, line by line
	Trouble        string   // about none of them
	Secret         tick
}

var variableTextView = newView[variableTextPage]("variable_text.html")

// VariablesText shows all variables of a scope as .env text to be edited; those that are secret
// without their values.
func VariablesText(of Scope, lister VariableLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := of(r)
		if err != nil {
			return err
		}
		all, err := variablesOf(r.Context(), lister, s.owner)
		if err != nil {
			return err
		}
		return s.writeText(w, r, http.StatusOK, variableTextPage{Text: exact(dotenvOf(all))}, false)
	})
}

// ChangeVariablesText takes .env text, all of it or nothing.
func ChangeVariablesText(of Scope, desk VariableDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		s, err := of(r)
		if err != nil {
			return err
		}
		text, secret := lines(form.Get("text")), form.Has("secret")
		if _, err = desk.Import(r.Context(), s.owner, text, secret, endpoint.Principal(r.Context())); err == nil {
			return seeOther(w, r, s.saying("variables-saved"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		page := variableTextPage{Text: exact(text)}
		c.rest = slices.DeleteFunc(c.rest, func(f fault.Field) bool {
			if f.Path != "text" {
				return false
			}
			page.Problems = append(page.Problems, sentence(f.Problem))
			return true
		})
		page.Trouble = c.general()
		return s.writeText(w, r, c.Status, page, secret)
	})
}

func (s scope) writeText(w http.ResponseWriter, r *http.Request, status int, page variableTextPage, secret bool) error {
	page.Of, page.Href, page.ListHref, page.ExportHref = s.of, s.href+"/text", s.href, exportHref(s.owner)
	page.Secret = tick{Name: "secret", Label: "New names become secrets", On: secret, Hint: "Sealed in the database, never shown again. Names that are here already stay what they are."}
	return variableTextView.write(w, r, status, s.frame(r, "Variables as text", status), page)
}

// exportHref is where a program, or a browser, gets the variables of an owner as a file.
func exportHref(o variables.Owner) string {
	q := url.Values{"scope": {string(o.Scope)}}
	if o.ID != "" {
		q.Set("scope_id", o.ID)
	}
	return withQuery("/api/custom/variables/export", q)
}

// dotenvOf writes variables as .env text that a text area gives back byte for byte. It cannot hold a
// carriage return, so a value with one is written in double quotes, where \r stands for it.
func dotenvOf(all []variables.Variable) string {
	var text strings.Builder
	for _, v := range all {
		switch {
		case v.Secret:
			text.WriteString(variables.WriteDotenv([]variables.Assignment{{Name: v.Name, Note: "secret: it stays as it is while this is empty"}}))
		case strings.Contains(v.Value, "\r"):
			text.WriteString(v.Name + `="` + returns.Replace(v.Value) + "\"\n")
		default:
			text.WriteString(variables.WriteDotenv([]variables.Assignment{{Name: v.Name, Value: v.Value}}))
		}
	}
	return text.String()
}

// returns writes a value for double quotes.
var returns = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`", "\r", `\r`)
