package ui

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// variablePicker leads to a secret that is kept elsewhere.
type variablePicker struct {
	Backend  string // its name; empty: the value is typed
	Href     string // of this step
	Chosen   []chosenLine
	Asks     string // what is to be chosen; empty: everything is
	Trouble  string
	Search   exact
	Total    int // choices, whatever was searched for
	Choices  []choiceLine
	Unlisted int // that were found and are not listed
	Hidden   []hiddenField
	Name     input
}

type choiceLine struct {
	Name, Href string
	Folder     bool
}

type hiddenField struct {
	Name  string
	Value exact
}

const (
	searchedFrom = 12  // choices from which on there is a search among them
	shownChoices = 300 // that are listed at once
)

func newPicker(base string, p picked) variablePicker {
	k := variablePicker{Backend: providerName(p.provider), Href: withQuery(base, p.query()), Chosen: p.chosen(base), Name: nameInput(p.name)}
	if p.reference() == "" {
		_, k.Asks = p.step()
	}
	q := p.query()
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if k.Asks != "" || name != "name" { // the form at the end asks for the name
			k.Hidden = append(k.Hidden, hiddenField{name, exact(q.Get(name))})
		}
	}
	return k
}

// look asks the backend what can be chosen next. That it refuses, or is away, is shown in place.
func (k *variablePicker) look(w http.ResponseWriter, r *http.Request, p picked, backends SecretBackends) (status int, err error) {
	step, _ := p.step()
	choices, err := backends.Pick(r.Context(), p.provider, step)
	if err != nil {
		c, ours := complain(r, err)
		if !ours {
			return 0, err
		}
		k.Trouble = sentence(c.general())
		c.when(w)
		return c.Status, nil
	}
	k.Total = len(choices)
	search := strings.TrimSpace(r.URL.Query().Get("find"))
	k.Search = exact(search)
	base, _, _ := strings.Cut(k.Href, "?")
	for _, choice := range choices {
		if !strings.Contains(strings.ToLower(choice.Name), strings.ToLower(search)) {
			continue
		}
		if len(k.Choices) == shownChoices {
			k.Unlisted++
			continue
		}
		k.Choices = append(k.Choices, choiceLine{choice.Name, withQuery(base, p.with(step.Kind, choice).query()), choice.Folder})
	}
	return http.StatusOK, nil
}

// Searched reports whether the choices are too many to look through.
func (k variablePicker) Searched() bool { return k.Total > searchedFrom }
