package openapi

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

type (
	colour string
	plain  string
	timed  struct{}
	loud   struct{}
)

// MarshalJSON makes timed a type that no schema can tell.
func (timed) MarshalJSON() ([]byte, error) { return []byte(`1`), nil }

// MarshalText makes loud a string in JSON.
func (loud) MarshalText() ([]byte, error) { return []byte("!"), nil }

type leaf struct {
	Colour colour `json:"colour"`
}

type base struct {
	ID string `json:"id"`
}

type everything struct {
	base
	Name     string            `json:"name" required:"yes"`
	Maybe    *string           `json:"maybe"`
	Left     *string           `json:"left,omitempty"`
	Zero     int               `json:"zero,omitzero"`
	Count    uint              `json:"count"`
	Ratio    float64           `json:"ratio"`
	At       time.Time         `json:"at"`
	Later    *time.Time        `json:"later"`
	Leaf     leaf              `json:"leaf"`
	MaybeOne *leaf             `json:"maybe_one"`
	Leaves   []leaf            `json:"leaves"`
	Labels   map[string]colour `json:"labels"`
	Self     []everything      `json:"self"`
	Loud     loud              `json:"loud"`
	Any      any               `json:"any"`
	Hidden   string            `json:"-"`
	Untagged bool
}

type items[T any] struct {
	Items []T `json:"items"`
}

var known = map[string]meaning{
	"berth/handlers/openapi.colour":     {Comment: "colour is seen.", Values: []value{{"red", "warm"}, {"blue", ""}}},
	"berth/handlers/openapi.plain":      {Comment: "pla_…"},
	"berth/handlers/openapi.everything": {Comment: "everything is all.", Fields: map[string]string{"name": "how it is called", "leaf": "one"}},
}

func shown(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSchemasOfTypes(t *testing.T) {
	for name, c := range map[string]struct {
		of   any
		way  direction
		want string
	}{
		"a string":                    {"", inAnswer, `{"type":"string"}`},
		"a string with a name":        {plain(""), inAnswer, `{"type":"string","description":"pla_…"}`},
		"a string with constants":     {colour(""), inAnswer, `{"$ref":"#/components/schemas/colour"}`},
		"a number that is never less": {uint8(0), inAnswer, `{"type":"integer","minimum":0}`},
		"a list":                      {[]string{}, inAnswer, `{"type":"array","items":{"type":"string"}}`},
		"a list with a name":          {items[leaf]{}, inAnswer, `{"$ref":"#/components/schemas/leafitems"}`},
		"a struct without a name": {struct {
			A int `json:"a"`
		}{}, inAnswer, `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`},
		"something that may be absent": {new(bool), inAnswer, `{"type":["boolean","null"]}`},
		"any object":                   {map[string]any{}, inAnswer, `{"type":"object","additionalProperties":{}}`},
		"a moment":                     {time.Time{}, inAnswer, `{"type":"string","format":"date-time"}`},
	} {
		types := newCatalogue(known)
		if got := shown(t, types.of(reflect.TypeOf(c.of), c.way)); got != c.want || len(types.problems) > 0 {
			t.Errorf("%s: %s %v, want %s", name, got, types.problems, c.want)
		}
	}
}

func TestSchemaOfAStruct(t *testing.T) {
	properties := `"properties":{"id":{"type":"string"},"name":{"type":"string","description":"how it is called"},"maybe":{"type":["string","null"]},"left":LEFT,` +
		`"zero":{"type":"integer"},"count":{"type":"integer","minimum":0},"ratio":{"type":"number"},"at":{"type":"string","format":"date-time"},` +
		`"later":{"type":["string","null"],"format":"date-time"},"leaf":{"$ref":"#/components/schemas/leaf","description":"one"},` +
		`"maybe_one":{"anyOf":[{"$ref":"#/components/schemas/leaf"},{"type":"null"}]},"leaves":{"type":"array","items":{"$ref":"#/components/schemas/leaf"}},` +
		`"labels":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/colour"}},"self":{"type":"array","items":{"$ref":"#/components/schemas/everything"}},` +
		`"loud":{"type":"string"},"any":{},"Untagged":{"type":"boolean"}}`
	for way, want := range map[direction]string{
		inAnswer: `{"type":"object","description":"everything is all.",` + strings.Replace(properties, "LEFT", `{"type":"string"}`, 1) +
			`,"required":["id","name","maybe","count","ratio","at","later","leaf","maybe_one","leaves","labels","self","loud","any","Untagged"]}`,
		inRequest: `{"type":"object","description":"everything is all.",` + strings.Replace(properties, "LEFT", `{"type":["string","null"]}`, 1) +
			`,"required":["name"],"additionalProperties":false}`,
	} {
		types := newCatalogue(known)
		types.of(reflect.TypeFor[everything](), way)
		if got := shown(t, types.schemas.get("everything")); got != want || len(types.problems) > 0 {
			t.Errorf("in a %s: %v\ngot  %s\nwant %s", way, types.problems, got, want)
		}
		if got := shown(t, types.schemas.get("colour")); got != `{"type":"string","description":"colour is seen.\n- `+"`red`"+`: warm","enum":["red","blue"]}` {
			t.Error(got)
		}
	}
}

type twice struct {
	base
	ID string `json:"id"`
}

func TestTypesThatNoSchemaTells(t *testing.T) {
	for name, c := range map[string]struct {
		use  func(*catalogue)
		want string
	}{
		"JSON of its own":        {func(c *catalogue) { c.of(reflect.TypeFor[timed](), inAnswer) }, "writes its own JSON"},
		"a channel":              {func(c *catalogue) { c.of(reflect.TypeFor[chan int](), inAnswer) }, "has no schema"},
		"bytes":                  {func(c *catalogue) { c.of(reflect.TypeFor[[]byte](), inAnswer) }, "has no schema"},
		"a map of numbers":       {func(c *catalogue) { c.of(reflect.TypeFor[map[int]string](), inAnswer) }, "has no schema"},
		"a field that is hidden": {func(c *catalogue) { c.of(reflect.TypeFor[twice](), inAnswer) }, `the field "id" twice`},
		"both directions": {func(c *catalogue) { c.of(reflect.TypeFor[leaf](), inAnswer); c.of(reflect.TypeFor[leaf](), inRequest) },
			"in requests and in answers"},
		"two types of one name": {func(c *catalogue) {
			c.of(reflect.TypeFor[leaf](), inAnswer)
			type leaf struct{ B string }
			c.of(reflect.TypeFor[leaf](), inAnswer)
		}, "rename one"},
	} {
		types := newCatalogue(known)
		c.use(types)
		if len(types.problems) != 1 || !strings.Contains(types.problems[0].Error(), c.want) {
			t.Errorf("%s: %v, want one about %q", name, types.problems, c.want)
		}
	}
}
