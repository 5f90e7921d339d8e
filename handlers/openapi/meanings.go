package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

//go:embed meanings.json
var meaningsFile []byte

// meaning is what the source says of one type beyond what reflection shows.
type meaning struct {
	Comment string            `json:"comment,omitempty"` // of the type
	Fields  map[string]string `json:"fields,omitempty"`  // comments by name in JSON
	Values  []value           `json:"values,omitempty"`  // constants of a string type, in the order of the source
}

type value struct {
	Value   string `json:"value"`
	Comment string `json:"comment,omitempty"`
}

// meanings returns what is known of each type, by its package's path, a dot and its name.
var meanings = sync.OnceValues(func() (map[string]meaning, error) {
	known := map[string]meaning{}
	if err := json.Unmarshal(meaningsFile, &known); err != nil {
		return nil, fmt.Errorf("read meanings.json: %w", err)
	}
	return known, nil
})

// sourceName names a type as meanings.json does: a generic one without its arguments.
func sourceName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return t.PkgPath() + "." + name
}

// describeValues is the text of an enumeration: what each value means, where that is said.
func (m meaning) describeValues() string {
	text := m.Comment
	for _, v := range m.Values {
		if v.Comment != "" {
			text += "\n- `" + v.Value + "`: " + v.Comment
		}
	}
	return strings.TrimPrefix(text, "\n")
}

// enum returns the values of a string type that has constants.
func (m meaning) enum() []string {
	var all []string
	for _, v := range m.Values {
		all = append(all, v.Value)
	}
	return all
}
