package samschema

import (
	"fmt"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"
)

// template is a template as it is written.
type template struct {
	root       *yaml.Node
	parameters map[string]*yaml.Node
	otherwise  bool // what !If chooses: the second value
	complaints []string
}

func read(text []byte) (*template, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("the template is no mapping")
	}
	t := &template{root: document.Content[0]}
	t.parameters = entries(entries(t.root)["Parameters"])
	return t, nil
}

// entries returns a mapping's values by key.
func entries(node *yaml.Node) map[string]*yaml.Node {
	all := map[string]*yaml.Node{}
	for i := 0; node != nil && node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
		all[node.Content[i].Value] = node.Content[i+1]
	}
	return all
}

// nothing stands for AWS::NoValue: the property is not there.
type nothing struct{}

// value returns what a node is once the template is deployed, as JSON has it. A function of
// CloudFormation becomes a value of the type that it gives.
func (t *template) value(node *yaml.Node) any {
	switch node.Tag {
	case "!Ref":
		return t.ref(node.Value)
	case "!Sub", "!GetAtt":
		return "text"
	case "!If":
		if len(node.Content) != 3 {
			t.complain(node, "!If takes a condition and two values")
			return nothing{}
		}
		if t.otherwise {
			return t.value(node.Content[2])
		}
		return t.value(node.Content[1])
	}
	if strings.HasPrefix(node.Tag, "!") && !strings.HasPrefix(node.Tag, "!!") {
		t.complain(node, "the function "+node.Tag+" is not known here")
	}
	switch node.Kind {
	case yaml.MappingNode:
		all := map[string]any{}
		for key, n := range entries(node) {
			all[key] = t.value(n)
		}
		maps.DeleteFunc(all, func(_ string, v any) bool { return v == any(nothing{}) })
		return all
	case yaml.SequenceNode:
		all := []any{}
		for _, n := range node.Content {
			if v := t.value(n); v != any(nothing{}) {
				all = append(all, v)
			}
		}
		return all
	}
	return t.scalar(node)
}

func (t *template) scalar(node *yaml.Node) (v any) {
	if err := node.Decode(&v); err != nil {
		t.complain(node, err.Error())
	}
	if n, whole := v.(int); whole {
		return float64(n)
	}
	return v
}

// ref is a value of a parameter's type; the name of a resource is a text.
func (t *template) ref(name string) any {
	if name == "AWS::NoValue" {
		return nothing{}
	}
	switch kind := entries(t.parameters[name])["Type"]; {
	case kind != nil && kind.Value == "Number":
		return 1.0
	case kind != nil && (strings.HasPrefix(kind.Value, "List<") || kind.Value == "CommaDelimitedList"):
		return []any{"text"}
	}
	return "text"
}

// texts is value with every number as the text that CloudFormation takes parameters for.
func (t *template) texts(node *yaml.Node) any {
	switch node.Kind {
	case yaml.MappingNode:
		all := map[string]any{}
		for key, n := range entries(node) {
			all[key] = t.texts(n)
		}
		return all
	case yaml.SequenceNode:
		all := []any{}
		for _, n := range node.Content {
			all = append(all, t.texts(n))
		}
		return all
	}
	return node.Value
}

func (t *template) complain(node *yaml.Node, text string) {
	t.complaints = append(t.complaints, fmt.Sprintf("line %d: %s", node.Line, text))
}
