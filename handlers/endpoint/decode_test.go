package endpoint_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"berth/core/fault"
	"berth/handlers/endpoint"
)

type inner struct {
	Size int `json:"size"`
}

type embedded struct {
	Shared string `json:"shared"`
}

type request struct {
	embedded
	Name   string            `json:"name"`
	Role   *string           `json:"role"`
	Tags   []string          `json:"tags"`
	Inner  inner             `json:"inner"`
	Many   []*inner          `json:"many"`
	Values map[string]string `json:"values"`
	Deep   map[string]inner  `json:"deep"`
	At     time.Time         `json:"at"`
	Any    any               `json:"any"`
	Hidden string            `json:"-"`
	secret string
}

// nobody keeps the unexported field in use: decoding must not reach it.
var _ = func(r request) string { return r.secret }

func post(body string) *http.Request {
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json; charset=UTF-8")
	return r
}

func TestDecodeReadsWhatTheTypeHas(t *testing.T) {
	role := "r"
	got, err := endpoint.Decode[request](post(`{"shared":"s","name":"n","role":"r","tags":["a","a"],"inner":{"size":1},"many":[{"size":2},null],
		"values":{"K":"1","k":"2"},"deep":{"x":{"size":3}},"at":"2026-01-02T03:04:05Z","any":{"Size":1,"size":[{}]}}`))
	want := request{embedded: embedded{"s"}, Name: "n", Role: &role, Tags: []string{"a", "a"}, Inner: inner{1}, Many: []*inner{{2}, nil},
		Values: map[string]string{"K": "1", "k": "2"}, Deep: map[string]inner{"x": {3}}, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Any: map[string]any{"Size": 1.0, "size": []any{map[string]any{}}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, c := range map[string]struct{ body, code, path string }{
		"an unknown field":                    {`{"x":1}`, "request.unknown_field", "x"},
		"an unknown field further in":         {`{"inner":{"x":1}}`, "request.unknown_field", "inner.x"},
		"an unknown field in a list":          {`{"many":[{},{"x":1}]}`, "request.unknown_field", "many.1.x"},
		"an unknown field in a map":           {`{"deep":{"k":{"x":1}}}`, "request.unknown_field", "deep.k.x"},
		"a field in other letters":            {`{"Name":"n"}`, "request.unknown_field", "Name"},
		"a field that JSON does not have":     {`{"Hidden":"n"}`, "request.unknown_field", "Hidden"},
		"a field that nobody may set":         {`{"secret":"n"}`, "request.unknown_field", "secret"},
		"a field given twice":                 {`{"name":"a","name":"b"}`, "request.duplicate_field", "name"},
		"a field given twice with an escape":  {`{"name":"a","n\u0061me":"b"}`, "request.duplicate_field", "name"},
		"a field given twice further in":      {`{"inner":{"size":1,"size":1}}`, "request.duplicate_field", "inner.size"},
		"a key of a map given twice":          {`{"values":{"k":"1","k":"2"}}`, "request.duplicate_field", "values.k"},
		"a field given twice where all may":   {`{"any":{"a":1,"a":1}}`, "request.duplicate_field", "any.a"},
		"a value of the wrong type":           {`{"name":1}`, "request.wrong_type", "name"},
		"a value of the wrong type inside":    {`{"inner":{"size":"1"}}`, "request.wrong_type", "inner.size"},
		"an object in place of a list":        {`{"tags":{}}`, "request.wrong_type", "tags"},
		"null in a map":                       {`{"values":{"K":"1","L":null}}`, "request.wrong_type", "values.L"},
		"null in a map of objects":            {`{"deep":{"k":null}}`, "request.wrong_type", "deep.k"},
		"null in a list of texts":             {`{"tags":["a",null]}`, "request.wrong_type", "tags.1"},
		"a number that is too large":          {`{"inner":{"size":99999999999999999999}}`, "request.wrong_type", "inner.size"},
		"a time that is none":                 {`{"at":"yesterday"}`, "request.wrong_value", ""},
		"a list":                              {`[]`, "request.not_an_object", ""},
		"null":                                {`null`, "request.not_an_object", ""},
		"nothing":                             {"", "request.empty", ""},
		"white space":                         {" \n", "request.empty", ""},
		"a second object":                     {`{}{}`, "request.trailing_data", ""},
		"garbage behind":                      {`{}x`, "request.trailing_data", ""},
		"half an object":                      {`{"name"`, "request.not_json", ""},
		"an object in an object, unclosed":    {`{"inner":{"size":1`, "request.not_json", ""},
		"a comment":                           {`{/**/}`, "request.not_json", ""},
		"a comma too many":                    {`{"name":"a",}`, "request.not_json", ""},
		"invalid UTF-8":                       {"{\"name\":\"\xc3\x28\"}", "request.not_utf8", ""},
		"33 levels":                           {strings.Repeat(`{"any":`, 1) + strings.Repeat(`[`, 32) + strings.Repeat(`]`, 32) + `}`, "request.too_deep", ""},
		"a hundred thousand levels":           {`{"any":` + strings.Repeat(`[`, 100_000), "request.too_deep", ""},
		"a byte order mark":                   {"\ufeff{}", "request.not_json", ""},
		"a body of one byte more than is let": {`{"name":"` + strings.Repeat("x", 1<<20-10) + `"}`, "request.too_large", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := endpoint.Decode[request](post(c.body))
			if fault.CodeOf(err) != c.code {
				t.Fatalf("got %v, want %s", err, c.code)
			}
			var e *fault.Error
			errors.As(err, &e)
			if c.path != "" && (len(e.Fields) != 1 || e.Fields[0].Path != c.path) {
				t.Errorf("fields %v, want %s", e.Fields, c.path)
			}
			if !reflect.DeepEqual(got, request{}) {
				t.Errorf("a refused body left %+v", got)
			}
		})
	}
}

func TestDecodeTakesTheLargestAndDeepestBody(t *testing.T) {
	largest := `{"name":"` + strings.Repeat("x", 1<<20-11) + `"}`
	deepest := `{"any":` + strings.Repeat(`[`, 31) + strings.Repeat(`]`, 31) + `}`
	for _, body := range []string{largest, deepest} {
		if _, err := endpoint.Decode[request](post(body)); err != nil {
			t.Errorf("%d bytes: %v", len(body), err)
		}
	}
}

func TestDecodeRefusesMediaTypes(t *testing.T) {
	for name, header := range map[string]http.Header{
		"none":                  {},
		"a form":                {"Content-Type": {"application/x-www-form-urlencoded"}},
		"text, as a form sends": {"Content-Type": {"text/plain"}},
		"another character set": {"Content-Type": {"application/json; charset=utf-16"}},
		"something compressed":  {"Content-Type": {"application/json"}, "Content-Encoding": {"br"}},
		"something like it":     {"Content-Type": {"application/json-patch+json"}},
	} {
		r := post(`{}`)
		r.Header = header
		if _, err := endpoint.Decode[request](r); !fault.Is(err, fault.Unsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDecodeReportsABodyThatBreaksOff(t *testing.T) {
	r := post("")
	r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"name":`), broken{}))
	if _, err := endpoint.Decode[request](r); fault.CodeOf(err) != "request.unreadable" {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestNullInPlaceOfAFieldIsAsGoodAsNone(t *testing.T) {
	got, err := endpoint.Decode[request](post(`{"name":null,"role":null,"tags":null,"values":null,"inner":{"size":null},"any":[null,{"a":null}]}`))
	if want := (request{Any: []any{nil, map[string]any{"a": nil}}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// FuzzDecode: no body makes Decode fail in a way of its own, and what it accepts is JSON
// that says the same to any reader. (F12)
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{}`, `{"name":"n","values":{"a":"b"},"many":[{"size":1}]}`, `{"any":[[{"a":1}]]}`, `{"name":"a","name":"b"}`, `{"at":"2026-01-02T03:04:05Z"}`, "null", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got, err := endpoint.Decode[request](post(body))
		switch {
		case err == nil:
			var again request
			decoder := json.NewDecoder(strings.NewReader(body))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&again); err != nil || !reflect.DeepEqual(got, again) {
				t.Errorf("accepted %q, which another reader takes for %+v, %v", body, again, err)
			}
		case !fault.Is(err, fault.Malformed) && !fault.Is(err, fault.TooLarge):
			t.Errorf("%q: %v", body, err)
		case len(fault.PublicOf(err)) > 1000:
			t.Errorf("%q is answered with %d bytes", body, len(fault.PublicOf(err)))
		}
	})
}
