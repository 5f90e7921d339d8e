package endpoint

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"berth/core/fault"
)

// KnownQuery serves next to requests whose query parameters are all keys of known, each at most once, and have one of the
// words that known lists for them, where it lists any. A misspelt one would else be as good as none, and the answer
// would be to another question. Faults, Malformed: "query.unreadable", "query.unknown", "query.repeated"; Invalid:
// "query.invalid".
func KnownQuery(known map[string][]string, next http.Handler) http.Handler {
	return Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := checkQuery(r.URL.RawQuery, slices.Sorted(maps.Keys(known))); err != nil {
			return err
		}
		if err := checkWords(r.URL.Query(), known); err != nil {
			return err
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

func checkQuery(raw string, known []string) error {
	if raw == "" {
		return nil
	}
	given, err := url.ParseQuery(raw)
	if err != nil {
		return malformed("query.unreadable", "", "What follows the question mark of the address cannot be read; special characters are percent-encoded there.").Because(err)
	}
	var unknown, repeated []fault.Field
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch {
		case !slices.Contains(known, name):
			unknown = append(unknown, fault.Field{Path: spelt(name), Problem: "is no query parameter of this operation"})
		case len(given[name]) > 1:
			repeated = append(repeated, fault.Field{Path: name, Problem: "must not be given more than once"})
		}
	}
	switch {
	case len(unknown) > 0:
		return queryFault("query.unknown", unknown, "; "+takes(known))
	case len(repeated) > 0:
		return queryFault("query.repeated", repeated, "")
	}
	return nil
}

// maxNamed is how many parameters a problem names.
const maxNamed = 10

func queryFault(code string, fields []fault.Field, more string) error {
	fields = fields[:min(len(fields), maxNamed)]
	e := fault.New(fault.Malformed, code, "%s %s%s.", fields[0].Path, fields[0].Problem, more)
	e.Fields = fields
	return e
}

// checkWords refuses values that are not among the words of their parameter. An empty one is as good as none.
func checkWords(given url.Values, words map[string][]string) error {
	var bad []fault.Field
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if value := given.Get(name); len(words[name]) > 0 && value != "" && !slices.Contains(words[name], value) {
			bad = append(bad, fault.Field{Path: name, Problem: "must be one of " + strings.Join(words[name], ", ") + ", or be left out"})
		}
	}
	return fault.BadFields("query.invalid", bad)
}

// OneOf returns the word that a query parameter of a page has, and "" where it has none. Invalid "query.invalid" when it is not
// among the allowed ones: a list that nothing fits would look as if there were nothing.
func OneOf[T ~string](query url.Values, name string, allowed []T) (T, error) {
	words := make([]string, len(allowed))
	for i, word := range allowed {
		words[i] = string(word)
	}
	return T(query.Get(name)), checkWords(url.Values{name: query[name]}, map[string][]string{name: words})
}

// takes says which parameters there are, in order.
func takes(known []string) string {
	if len(known) == 0 {
		return "it takes none"
	}
	return "it takes " + strings.Join(known, ", ")
}

var parameterName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,39}$`)

// spelt is a name as it was given, where it looks like one: what does not may be a value that slipped.
func spelt(name string) string {
	if !parameterName.MatchString(name) {
		return fmt.Sprintf("(a name of %d bytes)", len(name))
	}
	return name
}
