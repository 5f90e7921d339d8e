package ui

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"berth/core/fault"
	"berth/handlers/endpoint"
)

// input is one text field of a form.
type input struct {
	Name     string // as posted; also the path under which use cases complain
	ID       string // in the page; empty: f- and the name
	Label    string
	Kind     string // text, email, password, url, search, number, or area for several lines
	Value    exact
	Hint     string
	Problem  string   // what is wrong with what was typed
	Complete string   // the autocomplete attribute
	Sample   string   // placeholder
	Among    []string // proposed while somebody types
	Optional bool
	Mono     bool
	Focus    bool
}

// choice is a field with given answers.
type choice struct {
	Name, ID, Label, Hint, Problem string
	Options                        []option
	Focus                          bool
}

type option struct {
	Value    exact
	Word     string
	Selected bool
}

// choose selects what was sent.
func (c *choice) choose(value string) {
	for i := range c.Options {
		c.Options[i].Selected = string(c.Options[i].Value) == value
	}
}

// tick is a yes or no.
type tick struct {
	Name, ID, Label, Hint string
	On                    bool
}

// ElementID is the field's id in the page.
func (i input) ElementID() string { return elementID(i.ID, i.Name) }

// ElementID is the field's id in the page.
func (c choice) ElementID() string { return elementID(c.ID, c.Name) }

// ElementID is the field's id in the page.
func (t tick) ElementID() string { return elementID(t.ID, t.Name) }

func elementID(id, name string) string {
	if id != "" {
		return id
	}
	return "f-" + name
}

// typed reads what a browser's form sent. An empty body is an empty form.
func typed(r *http.Request) (url.Values, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.Header.Get("Content-Type") != "" && (err != nil || kind != "application/x-www-form-urlencoded") {
		return nil, fault.New(fault.Unsupported, "request.media_type", "The form was sent in a form that this page does not read. Use the page in a browser.")
	}
	err = r.ParseForm()
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, fault.New(fault.TooLarge, "request.too_large", "What was typed is larger than this form takes.")
	case err != nil:
		return nil, fault.New(fault.Malformed, "request.unreadable", "The form could not be read. Go back and try again.").Because(err)
	}
	return r.PostForm, nil
}

// lines undoes what browsers do to the line ends of a text area when they send it: each
// becomes CR LF (HTML Living Standard, form submission). The value's own bytes come back.
func lines(value string) string { return strings.ReplaceAll(value, "\r\n", "\n") }

// words splits a field in which people list things: by comma, space or line.
func words(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' || r == '\r' })
}

// complaints are what is wrong with a form, to be put beside its fields.
type complaints struct {
	Status int // of the answer that shows the form again
	rest   []fault.Field
	text   string                    // about no field in particular
	when   func(http.ResponseWriter) // says when it is worth asking again, if that is known
}

// complain turns the error of a use case into complaints; false when it is none that typing
// something else would mend.
func complain(r *http.Request, err error) (complaints, bool) {
	var known *fault.Error
	if !errors.As(err, &known) || known.Kind == fault.Internal {
		return complaints{}, false
	}
	problem := endpoint.ProblemOf(r.Context(), err)
	c := complaints{Status: problem.Status, rest: slices.Clone(known.Fields), when: problem.SayWhen}
	if len(known.Fields) == 0 {
		c.text = known.Public
	}
	return c, true
}

// about takes what is wrong with the named field, parts of it included.
func (c *complaints) about(name string) string {
	var own []string
	c.rest = slices.DeleteFunc(c.rest, func(f fault.Field) bool {
		mine := f.Path == name || strings.HasPrefix(f.Path, name+"[") || strings.HasPrefix(f.Path, name+".")
		if mine && !slices.Contains(own, f.Problem) {
			own = append(own, f.Problem)
		}
		return mine
	})
	return sentence(strings.Join(own, "; "))
}

// general returns what no field took.
func (c *complaints) general() string {
	parts := []string{}
	if c.text != "" {
		parts = append(parts, c.text)
	}
	for _, f := range c.rest {
		parts = append(parts, sentence(f.Path+": "+f.Problem))
	}
	return strings.Join(parts, "\n")
}

// on puts complaints beside the fields that they are about, sends the cursor to the first of them,
// and returns what is left over.
func (c *complaints) on(fields ...*input) string {
	found := false
	for _, f := range fields {
		f.Problem = c.about(f.Name)
		f.Focus = f.Problem != "" && !found
		found = found || f.Problem != ""
	}
	return c.general()
}

// sentence makes a sentence of text: a full stop, and a capital letter unless it begins with something
// that is spelled as it is, such as a path.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	first, _, _ := strings.Cut(text, " ")
	if !strings.ContainsFunc(first, func(r rune) bool { return r < 'a' || r > 'z' }) {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if !strings.ContainsAny(text[len(text)-1:], ".!?:") {
		text += "."
	}
	return text
}
