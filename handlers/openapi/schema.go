package openapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"strings"
	"time"
)

// schema is a JSON Schema, as far as Go types need one.
type schema struct {
	Ref         string            `json:"$ref,omitempty"`
	Type        any               `json:"type,omitempty"` // a string, or several
	Description string            `json:"description,omitempty"`
	Format      string            `json:"format,omitempty"`
	Enum        []string          `json:"enum,omitempty"`
	Minimum     *int              `json:"minimum,omitempty"`
	Properties  members[*schema]  `json:"properties,omitempty"`
	Required    []string          `json:"required,omitempty"`
	Items       *schema           `json:"items,omitempty"`
	AnyOf       []*schema         `json:"anyOf,omitempty"`
	Additional  *additionalSchema `json:"additionalProperties,omitempty"`

	identifier string // how an identifier of this type looks: "stk_…"; empty: it is none
}

// additionalSchema says what else an object may have: members of a schema, or nothing.
type additionalSchema struct{ of *schema }

// MarshalJSON writes false or the schema.
func (a additionalSchema) MarshalJSON() ([]byte, error) {
	if a.of == nil {
		return []byte("false"), nil
	}
	return json.Marshal(a.of)
}

// direction says which way a value travels. A request refuses unknown fields and may leave
// most out; an answer has every field and may get more in later versions.
type direction string

const (
	inRequest direction = "request"
	inAnswer  direction = "answer"
)

// catalogue holds the schemas of all named types that were met so far.
type catalogue struct {
	known    map[string]meaning
	schemas  members[*schema]
	types    map[string]reflect.Type // by name of the schema
	uses     map[string]direction    // by name of the schema, of objects
	problems []error
}

func newCatalogue(known map[string]meaning) *catalogue {
	return &catalogue{known: known, types: map[string]reflect.Type{}, uses: map[string]direction{}}
}

func (c *catalogue) complain(format string, args ...any) *schema {
	c.problems = append(c.problems, fmt.Errorf(format, args...))
	return &schema{}
}

var (
	moment     = reflect.TypeFor[time.Time]()
	jsonWriter = reflect.TypeFor[json.Marshaler]()
	textWriter = reflect.TypeFor[encoding.TextMarshaler]()
)

// of returns the schema of a type: a reference where the type has a name of its own.
func (c *catalogue) of(t reflect.Type, way direction) *schema {
	switch {
	case t == moment:
		return &schema{Type: "string", Format: "date-time"}
	case t.Kind() == reflect.Pointer:
		return nullable(c.of(t.Elem(), way))
	case t.Implements(jsonWriter):
		return c.complain("type %s writes its own JSON, which no schema can tell; use a plain type", t)
	case t.Implements(textWriter):
		return &schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &schema{Type: "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &schema{Type: "integer", Minimum: new(int)}
	case reflect.Float32, reflect.Float64:
		return &schema{Type: "number"}
	case reflect.String:
		return c.text(t)
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return &schema{Type: "array", Items: c.of(t.Elem(), way)}
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return &schema{Type: "object", Additional: &additionalSchema{c.of(t.Elem(), way)}}
		}
	case reflect.Struct:
		return c.object(t, way)
	case reflect.Interface:
		return &schema{}
	}
	return c.complain("type %s has no schema; use one that JSON knows", t)
}

// nullable returns a schema that permits null too.
func nullable(s *schema) *schema {
	if s.Ref != "" || s.Type == nil {
		return &schema{AnyOf: []*schema{s, {Type: "null"}}}
	}
	s.Type = []any{s.Type, "null"}
	return s
}

// text is the schema of a string; one with constants is an enumeration with a name.
func (c *catalogue) text(t reflect.Type) *schema {
	known := c.known[sourceName(t)]
	if len(known.Values) == 0 {
		s := &schema{Type: "string", Description: known.Comment}
		if strings.HasSuffix(known.Comment, "_…") {
			s.identifier = known.Comment
		}
		return s
	}
	return c.named(t, func(s *schema) {
		*s = schema{Type: "string", Description: known.describeValues(), Enum: known.enum()}
	})
}

func (c *catalogue) object(t reflect.Type, way direction) *schema {
	if t.Name() == "" {
		s := &schema{}
		c.fill(s, t, way)
		return s
	}
	ref := c.named(t, func(s *schema) {
		c.uses[nameOf(t)] = way
		c.fill(s, t, way)
	})
	if c.uses[nameOf(t)] != way {
		return c.complain("type %s is used in requests and in answers, where other rules hold; make two types", t)
	}
	return ref
}

// named returns a reference to the schema of t, which make makes when t is met first.
func (c *catalogue) named(t reflect.Type, make func(*schema)) *schema {
	name := nameOf(t)
	switch first, met := c.types[name]; {
	case !met:
		c.types[name] = t
		s := &schema{}
		c.schemas.add(name, s) // before it is made, for types that hold themselves
		make(s)
	case first != t:
		return c.complain("types %s and %s would both be the schema %s; rename one", first, t, name)
	}
	return &schema{Ref: schemaRoot + name}
}

const schemaRoot = "#/components/schemas/"

// nameOf names the schema of a type: User; of a generic one with User, UserItems; of one
// that belongs to the core, where other packages may use the same word, StacksStatus.
func nameOf(t reflect.Type) string {
	name, argument, generic := strings.Cut(t.Name(), "[")
	if generic {
		argument = strings.TrimSuffix(argument, "]")
		return argument[strings.LastIndex(argument, ".")+1:] + name
	}
	if pkg := path.Base(t.PkgPath()); strings.HasPrefix(t.PkgPath(), "berth/core/") {
		return strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	return name
}
