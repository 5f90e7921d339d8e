package endpoint

import (
	"bytes"
	"encoding"
	"encoding/json"
	"io"
	"reflect"
	"strconv"
	"strings"
)

const (
	maxDepth = 32  // of nested objects and lists
	maxShown = 100 // characters of a field's name in an answer
)

// checkShape walks one JSON object beside the type that it is meant for. It exists
// because encoding/json accepts fields given twice and in any case of letters, either of
// which lets two readers of one body see different things.
func checkShape(body []byte, t reflect.Type) error {
	walk := &shapeWalk{dec: json.NewDecoder(bytes.NewReader(body))}
	walk.dec.UseNumber()
	first, err := walk.dec.Token()
	if err == io.EOF {
		return malformed("request.empty", "", "The body is empty; a JSON object is needed.")
	}
	if err != nil {
		return notJSON(err)
	}
	if first != json.Delim('{') {
		return malformed("request.not_an_object", "", "The body must be a JSON object.")
	}
	if err := walk.object(t, "", 1); err != nil {
		return err
	}
	if _, err := walk.dec.Token(); err != io.EOF {
		return malformed("request.trailing_data", "", "Something follows the JSON object; send exactly one.")
	}
	return nil
}

func notJSON(err error) error {
	return malformed("request.not_json", "", "The body is not valid JSON.").Because(err)
}

type shapeWalk struct{ dec *json.Decoder }

// object checks what follows an opening brace, up to its closing one.
func (s *shapeWalk) object(t reflect.Type, path string, depth int) error {
	typeOf := membersOf(t)
	seen := map[string]bool{}
	for s.dec.More() {
		token, err := s.dec.Token()
		if err != nil {
			return notJSON(err)
		}
		name := token.(string) // the decoder gives nothing else in a key's place
		at := join(path, name)
		if seen[name] {
			return malformed("request.duplicate_field", at, "is given twice")
		}
		seen[name] = true
		member, known := typeOf(name)
		if !known {
			return malformed("request.unknown_field", at, "is not a field of this request")
		}
		if err := s.member(t, member, at, depth); err != nil {
			return err
		}
	}
	return s.close()
}

// list checks what follows an opening bracket, up to its closing one.
func (s *shapeWalk) list(t reflect.Type, path string, depth int) error {
	var elem reflect.Type
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		elem = t.Elem()
	}
	for i := 0; s.dec.More(); i++ {
		if err := s.member(t, elem, join(path, strconv.Itoa(i)), depth); err != nil {
			return err
		}
	}
	return s.close()
}

func (s *shapeWalk) close() error {
	if _, err := s.dec.Token(); err != nil {
		return notJSON(err)
	}
	return nil
}

// member checks a value of in, which an object or a list is meant for. encoding/json takes a null there for an empty text
// or a zero, which nobody gave. In a struct it is as good as a field that is left out.
func (s *shapeWalk) member(in, t reflect.Type, path string, depth int) error {
	collects := in != nil && in.Kind() != reflect.Struct && t != nil && t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface
	token, err := s.dec.Token()
	switch {
	case err != nil:
		return notJSON(err)
	case token == nil && collects:
		return malformed("request.wrong_type", path, "must be "+wanted(t)+", not null; leave it out where nothing is meant")
	}
	return s.value(token, t, path, depth)
}

// value checks what begins with a token.
func (s *shapeWalk) value(token json.Token, t reflect.Type, path string, depth int) error {
	delim, nested := token.(json.Delim)
	if !nested {
		return nil
	}
	if depth == maxDepth {
		return malformed("request.too_deep", "", "The body is nested deeper than 32 levels.")
	}
	if delim == '{' {
		return s.object(indirect(t), path, depth+1)
	}
	return s.list(indirect(t), path, depth+1)
}

var (
	jsonReader = reflect.TypeFor[json.Unmarshaler]()
	textReader = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// indirect follows pointers; a type that reads itself is opaque and becomes nil.
func indirect(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && (reflect.PointerTo(t).Implements(jsonReader) || reflect.PointerTo(t).Implements(textReader)) {
		return nil
	}
	return t
}

// membersOf returns what tells the type of an object's member by its name, or that there
// is no such member. Only a struct knows its members; its types are nil where unknown.
func membersOf(t reflect.Type) func(name string) (reflect.Type, bool) {
	switch {
	case t != nil && t.Kind() == reflect.Struct:
		fields := map[string]reflect.Type{}
		collectFields(t, fields)
		return func(name string) (reflect.Type, bool) { of, found := fields[name]; return of, found }
	case t != nil && t.Kind() == reflect.Map:
		return func(string) (reflect.Type, bool) { return t.Elem(), true }
	}
	return func(string) (reflect.Type, bool) { return nil, true }
}

// collectFields adds the JSON fields of a struct to fields, those of embedded structs included.
func collectFields(t reflect.Type, fields map[string]reflect.Type) {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := indirect(field.Type)
		switch {
		case field.Anonymous && name == "" && inner != nil && inner.Kind() == reflect.Struct:
			collectFields(inner, fields)
		case name == "-" || !field.IsExported():
		case name == "":
			fields[field.Name] = field.Type
		default:
			fields[name] = field.Type
		}
	}
}

func join(path, name string) string {
	if len(name) > maxShown {
		name = strings.ToValidUTF8(name[:maxShown], "") + "…"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}
