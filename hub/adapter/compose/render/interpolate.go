package render

import (
	"errors"
	"regexp"
	"strings"

	"github.com/compose-spec/compose-go/v2/template"
)

var errExpansion = errors.New("interpolation makes the project too large")

// substitute interpolates one text as Compose does, within the budgets, and notes the
// variables that it uses without a default and that nobody provides.
func (v *variables) substitute(text string, lookup template.Mapping) (string, error) {
	if !strings.Contains(text, "$") {
		return text, nil
	}
	if v.cost -= templateCost(text); v.cost < 0 {
		return "", errExpansion
	}
	return template.Substitute(text, v.watched(text, lookup))
}

// watched wraps a lookup for one text.
func (v *variables) watched(text string, lookup template.Mapping) template.Mapping {
	needed := withoutDefault(text)
	return func(name string) (string, bool) {
		value, found := lookup(name)
		if !found {
			if needed[name] {
				v.missing[name] = true
			}
			return value, found
		}
		if v.left -= len(value); v.left < 0 {
			return "", true // the caller reports it: see exhausted
		}
		return value, found
	}
}

func (v *variables) exhausted() bool { return v.left < 0 || v.cost < 0 || v.ports < 0 }

// templateCost is how many bytes the library may look at for a text: after each brace
// on a line it may look at the rest of that line once more.
func templateCost(text string) int {
	cost := 0
	for line := range strings.SplitSeq(text, "\n") {
		cost += len(line) * (1 + strings.Count(line, "{"))
	}
	return cost
}

// bare is what stands behind a name in braces that has no default.
var bare = regexp.MustCompile(`^(\}|:?\?)`)

// withoutDefault returns the names that a text uses as $NAME or ${NAME}, or demands as ${NAME:?why} or ${NAME?why}.
func withoutDefault(text string) map[string]bool {
	names := map[string]bool{}
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 >= len(text) {
			return names
		}
		text = text[i+1:]
		if text[0] == '$' {
			text = text[1:]
			continue
		}
		rest, braced := strings.CutPrefix(text, "{")
		name := rest[:nameLength(rest)]
		if name != "" && (!braced || bare.MatchString(rest[len(name):])) {
			names[name] = true
		}
		text = rest[len(name):]
	}
}

// nameLength is the length of the variable name that text begins with.
func nameLength(text string) int {
	for i := range len(text) {
		c := text[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(text)
}
