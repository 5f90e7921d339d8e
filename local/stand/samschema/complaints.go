package samschema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/awslabs/goformation/v7/schema"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// published is the schema, read once.
var published = sync.OnceValues(func() (map[string]any, error) {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(schema.SamSchema))
	if err != nil {
		return nil, err
	}
	whole := document.(map[string]any)
	// SAM hands LoggingConfig on as it is; the schema is of before it did.
	properties := whole["definitions"].(map[string]any)["AWS::Serverless::Function"].(map[string]any)["properties"].(map[string]any)["Properties"].(map[string]any)["properties"].(map[string]any)
	properties["LoggingConfig"] = map[string]any{"$ref": "#/definitions/AWS::Lambda::Function.LoggingConfig"}
	return whole, nil
})

// cut returns a part of the schema as a schema by itself, with the definitions that it leads to: to
// compile all of it would take minutes.
func cut(part, definitions map[string]any) map[string]any {
	needed := map[string]any{}
	var follow func(any)
	follow = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, v := range node {
				follow(v)
			}
		case map[string]any:
			for _, v := range node {
				follow(v)
			}
			to, _ := node["$ref"].(string)
			name, found := strings.CutPrefix(to, "#/definitions/")
			if found && needed[name] == nil {
				needed[name] = definitions[name]
				follow(definitions[name])
			}
		}
	}
	follow(part)
	whole := maps.Clone(part)
	whole["definitions"] = needed
	return whole
}

// Complaints returns what the schema says against a template; none is what it should be. An error
// means that it could not be judged.
func Complaints(text []byte) ([]string, error) {
	whole, err := published()
	if err != nil {
		return nil, err
	}
	t, err := read(text)
	if err != nil {
		return nil, err
	}
	all := []string{}
	for _, t.otherwise = range []bool{false, true} {
		if err := t.judge(whole["properties"].(map[string]any), whole["definitions"].(map[string]any)); err != nil {
			return nil, err
		}
		all = append(all, t.complaints...)
		t.complaints = nil
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// judge holds each part against the schema of its own: held whole, one fault of a resource would be
// told as a fault against every type that there is.
func (t *template) judge(parts, definitions map[string]any) error {
	for name, node := range entries(t.root) {
		part, known := parts[name].(map[string]any)
		switch {
		case !known:
			t.complain(node, "a template has no "+name)
		case name == "Resources":
			for id, resource := range entries(node) {
				if err := t.resource(definitions, id, t.value(resource)); err != nil {
					return err
				}
			}
		case name == "Conditions": // functions alone, which local's tests look at
		case name == "Parameters":
			if err := t.hold(cut(part, definitions), name, t.texts(node)); err != nil {
				return err
			}
		default:
			if err := t.hold(cut(part, definitions), name, t.value(node)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *template) resource(definitions map[string]any, id string, value any) error {
	body, _ := value.(map[string]any)
	kind, _ := body["Type"].(string)
	of, known := definitions[kind].(map[string]any)
	if !known || !strings.HasPrefix(kind, "AWS::") {
		t.complaints = append(t.complaints, fmt.Sprintf("%s: there is no type %q", id, kind))
		return nil
	}
	return t.hold(cut(of, definitions), id, value)
}

// hold adds what a schema says against a value.
func (t *template) hold(against map[string]any, what string, value any) error {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4)
	if err := c.AddResource(what+".json", against); err != nil {
		return err
	}
	compiled, err := c.Compile(what + ".json")
	if err != nil {
		return err
	}
	if err := compiled.Validate(value); err != nil {
		_, details, _ := strings.Cut(err.Error(), "\n")
		t.complaints = append(t.complaints, what+": "+details)
	}
	return nil
}
