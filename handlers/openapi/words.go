package openapi

import "strings"

// word is a piece of text on the page: plain, code, or a link to a schema.
type word struct {
	Text string
	Code bool
	Link string // name of the schema
}

// prose splits text at its backticks; every other piece is code.
func prose(text string) []word {
	var all []word
	for i, piece := range strings.Split(text, "`") {
		all = append(all, word{Text: piece, Code: i%2 == 1})
	}
	return all
}

// typeWords says in words what a schema permits.
func typeWords(s *schema) []word {
	switch {
	case s.Ref != "":
		name := strings.TrimPrefix(s.Ref, schemaRoot)
		return []word{{Text: name, Link: name}}
	case len(s.AnyOf) > 0:
		return append(typeWords(s.AnyOf[0]), word{Text: " or null"})
	}
	var all []word
	switch kind := s.kind(); {
	case kind == "array":
		all = append([]word{{Text: "list of "}}, typeWords(s.Items)...)
	case s.Additional != nil && s.Additional.of != nil:
		all = append([]word{{Text: "object of "}}, typeWords(s.Additional.of)...)
	case s.Format == "date-time":
		all = []word{{Text: "time"}}
	case kind == "":
		all = []word{{Text: "anything"}}
	default:
		all = []word{{Text: kind}}
	}
	if _, null := s.Type.([]any); null {
		all = append(all, word{Text: " or null"})
	}
	return all
}

// RequiredField reports whether a field must be there.
func (s *schema) RequiredField(name string) bool {
	for _, required := range s.Required {
		if required == name {
			return true
		}
	}
	return false
}
