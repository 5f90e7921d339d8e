package openapi

import (
	"encoding/json"
	"strings"
)

// maxDepth is how deep examples are nested; types that hold themselves end there.
const maxDepth = 8

// example returns a value that satisfies a schema: the first of an enumeration, a fixed
// moment, zero, and an ellipsis for text.
func (d *document) example(s *schema, depth int) any {
	switch {
	case depth > maxDepth:
		return nil
	case s.Ref != "":
		return d.example(d.Components.Schemas.get(strings.TrimPrefix(s.Ref, schemaRoot)), depth+1)
	case len(s.AnyOf) > 0:
		return d.example(s.AnyOf[0], depth+1)
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Format == "date-time":
		return "2026-01-02T15:04:05Z"
	}
	switch s.kind() {
	case "string":
		return sample(s)
	case "boolean":
		return false
	case "integer", "number":
		return 0
	case "array":
		return []any{d.example(s.Items, depth+1)}
	}
	object := members[any]{}
	for _, p := range s.Properties {
		object.add(p.Name, d.example(p.Value, depth+1))
	}
	if s.Additional != nil && s.Additional.of != nil {
		object.add("…", d.example(s.Additional.of, depth+1))
	}
	return object
}

// sample is an example of text. What is said of identifiers is their form.
func sample(s *schema) string {
	if s.identifier != "" {
		return s.identifier
	}
	return "…"
}

// kind returns the type of a schema apart from null; empty when anything will do.
func (s *schema) kind() string {
	switch t := s.Type.(type) {
	case string:
		return t
	case []any:
		return t[0].(string)
	}
	return ""
}

// curl returns a command line that asks for the operation. Wildcards are shell variables.
func (d *document) curl(v operationView, server string) string {
	lines := []string{"curl"}
	if v.Method != "GET" {
		lines[0] += " -X " + v.Method
	}
	if len(v.Security) > 0 {
		lines = append(lines, `-H "X-Service-Api-Key: $API_KEY"`)
	}
	if v.Request != nil {
		body, err := json.Marshal(d.example(v.Request, 0))
		if err != nil {
			return "" // as in show
		}
		lines = append(lines, `-H "Content-Type: application/json"`, `-d '`+string(body)+`'`)
	}
	path := v.Path
	for _, p := range v.Parameters {
		if p.In == "path" {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", "$"+strings.ToUpper(p.Name))
		}
	}
	lines = append(lines, `"`+server+path+`"`)
	if len(lines) == 2 {
		return strings.Join(lines, " ")
	}
	return strings.Join(lines, " \\\n  ")
}
