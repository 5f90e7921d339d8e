package handlers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// misfits says where JSON does not satisfy a schema. An object has no members beyond those
// that are described, even where the schema leaves room for later ones.
func (d *description) misfits(schema any, text []byte) []string {
	var v any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return []string{err.Error()}
	}
	walk := &schemaWalk{d: d}
	walk.value("", schema.(map[string]any), v)
	return walk.wrong
}

// schemaWalk checks the part of JSON Schema that the document uses; other keywords are wrong.
type schemaWalk struct {
	d     *description
	wrong []string
}

func (s *schemaWalk) complain(path, format string, args ...any) {
	s.wrong = append(s.wrong, strings.TrimPrefix(path+": ", ": ")+fmt.Sprintf(format, args...))
}

func (s *schemaWalk) value(path string, schema map[string]any, v any) {
	if _, refers := schema["$ref"]; refers {
		target := s.d.resolve(schema)
		if target == nil {
			s.complain(path, "%v leads nowhere", schema["$ref"])
			return
		}
		s.value(path, target, v)
		return
	}
	for _, keyword := range sortedKeys(schema) {
		s.keyword(path, keyword, schema, v)
	}
	if object, is := v.(map[string]any); is {
		s.members(path, schema, object)
	}
}

func (s *schemaWalk) keyword(path, keyword string, schema map[string]any, v any) {
	switch demand := schema[keyword]; keyword {
	case "description", "properties", "additionalProperties":
	case "type":
		if !hasType(demand, v) {
			s.complain(path, "%v is not of type %v", v, demand)
		}
	case "enum":
		if !slices.Contains(demand.([]any), v) {
			s.complain(path, "%v is none of %v", v, demand)
		}
	case "format":
		if text, is := v.(string); is && !isTime(text) {
			s.complain(path, "%q is no %v", text, demand)
		}
	case "minimum":
		if n, is := v.(json.Number); is && number(n) < demand.(float64) {
			s.complain(path, "%v is below %v", v, demand)
		}
	case "required":
		for _, name := range demand.([]any) {
			if object, is := v.(map[string]any); is && !has(object, name.(string)) {
				s.complain(path, "%v is missing", name)
			}
		}
	case "items":
		list, _ := v.([]any)
		for i, item := range list {
			s.value(fmt.Sprintf("%s.%d", path, i), demand.(map[string]any), item)
		}
	case "anyOf":
		s.any(path, demand.([]any), v)
	default:
		s.complain(path, "the document uses %s, which nothing checks", keyword)
	}
}

// any demands that one of several schemas fits.
func (s *schemaWalk) any(path string, schemas []any, v any) {
	var wrong []string
	for _, one := range schemas {
		try := &schemaWalk{d: s.d}
		try.value(path, one.(map[string]any), v)
		if len(try.wrong) == 0 {
			return
		}
		wrong = append(wrong, try.wrong...)
	}
	s.wrong = append(s.wrong, wrong...)
}

func (s *schemaWalk) members(path string, schema, object map[string]any) {
	described, _ := schema["properties"].(map[string]any)
	other, open := schema["additionalProperties"].(map[string]any)
	for _, name := range sortedKeys(object) {
		switch inner := path + "." + name; {
		case described[name] != nil:
			s.value(inner, described[name].(map[string]any), object[name])
		case open:
			s.value(inner, other, object[name])
		case schema["type"] != nil:
			s.complain(inner, "is not described")
		}
	}
}

func hasType(demand, v any) bool {
	if several, is := demand.([]any); is {
		return slices.ContainsFunc(several, func(one any) bool { return hasType(one, v) })
	}
	switch v := v.(type) {
	case nil:
		return demand == "null"
	case bool:
		return demand == "boolean"
	case string:
		return demand == "string"
	case json.Number:
		return demand == "number" || demand == "integer" && !strings.ContainsAny(v.String(), ".eE")
	case []any:
		return demand == "array"
	}
	return demand == "object"
}

// isTime reports whether a text is a time in UTC, as all of ours are.
func isTime(text string) bool {
	_, err := time.Parse(time.RFC3339Nano, text)
	return err == nil && strings.HasSuffix(text, "Z")
}

func number(n json.Number) float64 {
	f, _ := n.Float64()
	return f
}

func has(object map[string]any, name string) bool { _, found := object[name]; return found }

// TestTheCheckOfAnswersNotices proves that the tests below can fail.
func TestTheCheckOfAnswersNotices(t *testing.T) {
	var d description
	err := json.Unmarshal([]byte(`{"s":{"type":"object","required":["id","at"],"properties":{"id":{"type":"string","description":"x"},
		"at":{"type":["string","null"],"format":"date-time"},"n":{"type":"integer","minimum":0},"role":{"anyOf":[{"$ref":"#/role"},{"type":"null"}]},
		"list":{"type":"array","items":{"$ref":"#/s"}},"map":{"type":"object","additionalProperties":{"type":"boolean"}},"any":{},"lost":{"$ref":"#/none"},"odd":{"pattern":"x"}}},
		"role":{"type":"string","enum":["a","b"]}}`), &d.doc)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"id":"x","at":null,"n":0,"role":"b","list":[{"id":"","at":"2026-01-02T03:04:05.6Z"}],"map":{"k":true},"any":{"x":[1]}}`: "",
		`{"id":"x","at":null,"role":null,"list":[],"map":{}}`:                                                                     "",
		`{"id":"x"}`:                                            "at is missing",
		`{"id":"x","at":null,"more":1}`:                         ".more: is not described",
		`{"id":1,"at":null}`:                                    ".id: 1 is not of type string",
		`{"id":null,"at":null}`:                                 ".id: <nil> is not of type string",
		`{"id":"x","at":"yesterday"}`:                           `.at: "yesterday" is no date-time`,
		`{"id":"x","at":"2026-01-02T03:04:05+01:00"}`:           `.at: "2026-01-02T03:04:05+01:00" is no date-time`,
		`{"id":"x","at":null,"n":-1}`:                           ".n: -1 is below 0",
		`{"id":"x","at":null,"n":1.5}`:                          ".n: 1.5 is not of type integer",
		`{"id":"x","at":null,"role":"c"}`:                       ".role: c is none of [a b];.role: c is not of type null",
		`{"id":"x","at":null,"list":null}`:                      ".list: <nil> is not of type array",
		`{"id":"x","at":null,"list":[{"id":"x","at":null},{}]}`: ".list.1: id is missing;.list.1: at is missing",
		`{"id":"x","at":null,"map":{"k":1}}`:                    ".map.k: 1 is not of type boolean",
		`{"id":"x","at":null,"lost":1}`:                         ".lost: #/none leads nowhere",
		`{"id":"x","at":null,"odd":"y"}`:                        ".odd: the document uses pattern, which nothing checks",
		`[]`:                                                    "[] is not of type object",
	} {
		if got := strings.Join(d.misfits(d.doc["s"], []byte(text)), ";"); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
