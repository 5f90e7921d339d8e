package secrets

import (
	"regexp"
	"strings"
)

// placeholder stands for a secret in a rendered Compose file; $$ there is a $.
var placeholder = regexp.MustCompile(`\$\$|\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// HasPlaceholder reports whether a text of a rendered Compose file holds a secret.
func HasPlaceholder(template string) bool {
	for _, found := range placeholder.FindAllString(template, -1) {
		if found != "$$" {
			return true
		}
	}
	return false
}

// Within returns the secrets that text holds, which was made of template by putting values in the
// place of ${NAME}. Where it does not fit, the whole text is taken to be one.
func Within(template, text string) []Value {
	literals := literalsOf(template)
	if len(literals) < 2 {
		return nil
	}
	rest, fits := strings.CutPrefix(text, literals[0])
	values := make([]Value, 0, len(literals)-1)
	for i, literal := range literals[1:] {
		at := strings.Index(rest, literal)
		if i == len(literals)-2 { // what is last ends the text
			at = len(rest) - len(literal)
			fits = fits && strings.HasSuffix(rest, literal)
		}
		if !fits || at < 0 {
			return []Value{NewValue(text)}
		}
		values = append(values, NewValue(rest[:at]))
		rest = rest[at+len(literal):]
	}
	return values
}

// literalsOf returns what stands before, between and after the placeholders.
func literalsOf(template string) []string {
	literals, last, end := []string{}, "", 0
	for _, span := range placeholder.FindAllStringIndex(template, -1) {
		last += template[end:span[0]]
		if end = span[1]; template[span[0]:span[1]] == "$$" {
			last += "$"
			continue
		}
		literals, last = append(literals, last), ""
	}
	return append(literals, last+template[end:])
}
