package openapi

import (
	"reflect"
	"strings"
)

// field is a member of an object, as encoding/json sees it.
type field struct {
	name      string
	of        reflect.Type
	comment   string
	omissible bool // left out when empty
	required  bool // a request without it is refused: required:"yes"
}

// fill makes s the schema of a struct.
func (c *catalogue) fill(s *schema, t reflect.Type, way direction) {
	s.Type, s.Description = "object", c.known[sourceName(t)].Comment
	if way == inRequest {
		s.Additional = &additionalSchema{} // unknown fields are refused
	}
	for _, f := range c.fieldsOf(t) {
		if s.Properties.get(f.name) != nil {
			c.complain("type %s has the field %q twice", t, f.name)
		}
		s.Properties.add(f.name, c.member(f, way))
		if way == inRequest && f.required || way == inAnswer && !f.omissible {
			s.Required = append(s.Required, f.name)
		}
	}
}

// member is the schema of a field. What an answer leaves out when it is nil is never null.
func (c *catalogue) member(f field, way direction) *schema {
	of := f.of
	if way == inAnswer && f.omissible && of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	s := c.of(of, way)
	if f.comment != "" {
		s.Description = f.comment
	}
	return s
}

// fieldsOf lists the JSON fields of a struct in order, those of embedded structs in place.
func (c *catalogue) fieldsOf(t reflect.Type) []field {
	var all []field
	comments := c.known[sourceName(t)].Fields
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			all = append(all, c.fieldsOf(f.Type)...)
			continue
		case name == "-" || !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		all = append(all, field{name: name, of: f.Type, comment: comments[name], omissible: strings.Contains(options, "omit"), required: f.Tag.Get("required") == "yes"})
	}
	return all
}
