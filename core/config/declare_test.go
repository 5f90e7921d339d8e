package config

import (
	"reflect"
	"slices"
	"testing"
)

// Every declaration is complete and consistent, so that load cannot meet a form that
// is none or a value that does not fit its field.
func TestDeclarations(t *testing.T) {
	for _, process := range []reflect.Type{reflect.TypeFor[Server](), reflect.TypeFor[Worker](), reflect.TypeFor[Function]()} {
		seen := map[string]bool{}
		for _, v := range variables(process) {
			field := process.Field(v.field)
			if v.name == "" || seen[v.name] || v.documentation == "" {
				t.Errorf("%v.%s: variable %q is unnamed, doubled or without meaning", process, field.Name, v.name)
			}
			seen[v.name] = true
			if forms[v.form] == nil {
				t.Errorf("%s: form %q is none", v.name, v.form)
			}
			if v.standard != "" && (v.derived != "" || v.required != "") {
				t.Errorf("%s: it has two defaults, or is required although it has one", v.name)
			}
			if bounded := slices.Contains([]string{"number", "seconds", "duration"}, v.form); bounded != (v.max > v.min) {
				t.Errorf("%s: bounds %d to %d do not fit form %q", v.name, v.min, v.max, v.form)
			}
			if v.standard == "" {
				continue
			}
			value, err := v.read(v.standard)
			if err != nil || !reflect.TypeOf(value).AssignableTo(field.Type) {
				t.Errorf("%s: its default reads as %T with %v, the field is a %v", v.name, value, err, field.Type)
			}
		}
	}
}
