package handlers_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"berth/core/access"
	"berth/handlers"
	"berth/handlers/guard"
)

func TestTheDescriptionHasEveryRouteAndNoPage(t *testing.T) {
	s := newStand(t)
	d := describe(t, s)
	if v := d.doc["openapi"]; v != "3.1.0" || at(d.doc, "info", "version") != "test" || at(d.doc, "servers", 0, "url") != origin {
		t.Errorf("it begins with %v, %v, %v", v, d.doc["info"], d.doc["servers"])
	}
	described := map[string]bool{}
	d.each(func(method, path string, _ map[string]any) { described[method+" "+path] = true })
	for _, r := range handlers.Routes(s.deps) {
		name := r.Method + " " + r.Pattern
		if page := r.Surface == guard.Page || r.Surface == guard.Asset; described[name] == page {
			t.Errorf("%s of surface %q: described is %t", name, r.Surface, described[name])
		}
		delete(described, name)
	}
	for name := range described {
		t.Errorf("%s is described, but no route", name)
	}
}

// TestTheDescriptionTellsTheCapabilityAndTheCredential keeps words and security in step with the table.
func TestTheDescriptionTellsTheCapabilityAndTheCredential(t *testing.T) {
	s := newStand(t)
	d := describe(t, s)
	for _, r := range handlers.Routes(s.deps) {
		if r.Surface != guard.API && r.Surface != guard.Scrape {
			continue
		}
		op := d.operation(r.Method, r.Pattern)
		var ways []string
		for _, way := range op["security"].([]any) {
			ways = append(ways, sortedKeys(way.(map[string]any))...)
		}
		want, says := []string{"key", "session"}, "`"+string(r.Capability)+"`"
		switch {
		case r.Capability == access.Public:
			want, says = nil, "Needs no credential."
		case r.Surface == guard.Scrape:
			want = []string{"key"}
		}
		if !slices.Equal(ways, want) || !strings.Contains(op["description"].(string), says) {
			t.Errorf("%s %s takes %v and says %q", r.Method, r.Pattern, ways, op["description"])
		}
		for _, role := range may[r.Capability] {
			if !strings.Contains(op["description"].(string), "`"+string(role)+"`") {
				t.Errorf("%s %s does not name the role %s", r.Method, r.Pattern, role)
			}
		}
	}
	if got := at(d.doc, "components", "securitySchemes", "key", "name"); got != guard.KeyHeader {
		t.Errorf("the key goes into %v", got)
	}
}

func TestEveryOperationHasANameOfItsOwnAndAllThatItNeeds(t *testing.T) {
	d := describe(t, newStand(t))
	names, tags := map[string]bool{}, map[string]bool{}
	for _, tag := range d.doc["tags"].([]any) {
		tags[at(tag, "name").(string)] = true
	}
	d.each(func(method, path string, op map[string]any) {
		id := op["operationId"].(string)
		if names[id] || !regexp.MustCompile(`^[a-z][A-Za-z]+$`).MatchString(id) {
			t.Errorf("%s %s is called %q, which is taken or no name", method, path, id)
		}
		names[id] = true
		if op["summary"] == "" || len(op["tags"].([]any)) != 1 || !tags[at(op, "tags", 0).(string)] {
			t.Errorf("%s %s: summary %q, tags %v", method, path, op["summary"], op["tags"])
		}
		wildcards := regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1)
		parameters, _ := op["parameters"].([]any)
		for i, w := range wildcards {
			if i >= len(parameters) || at(parameters[i], "name") != w[1] || at(parameters[i], "in") != "path" || at(parameters[i], "required") != true {
				t.Errorf("%s %s does not describe %s", method, path, w[0])
			}
		}
		for _, p := range parameters[len(wildcards):] {
			if at(p, "in") != "query" || at(p, "description") == "" || !slices.Contains([]any{"string", "integer", "boolean"}, at(p, "schema", "type")) {
				t.Errorf("%s %s: %v is no query parameter", method, path, p)
			}
		}
	})
	for _, name := range []string{"getStacksById", "postStacksByIdServicesByServiceRestart", "deleteServiceAccountsByIdKeysByKeyId", "getServerMetrics", "getMetrics", "getOpenapiJson"} {
		if !names[name] {
			t.Errorf("nothing is called %s any more: programs that were made from the document break", name)
		}
	}
}

// TestEveryReferenceLeadsSomewhere also proves that nothing is described that nobody refers to.
func TestEveryReferenceLeadsSomewhere(t *testing.T) {
	d := describe(t, newStand(t))
	used := map[string]bool{}
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				visit(one)
			}
		case map[string]any:
			if ref, is := v["$ref"].(string); is {
				used[ref] = true
				if d.resolve(v) == nil {
					t.Errorf("%s leads nowhere", ref)
				}
			}
			for _, one := range v {
				visit(one)
			}
		}
	}
	visit(d.doc)
	for _, kind := range []string{"schemas", "responses"} {
		for name := range at(d.doc, "components", kind).(map[string]any) {
			if ref := "#/components/" + kind + "/" + name; !used[ref] {
				t.Errorf("nothing refers to %s", ref)
			}
		}
	}
}

func TestEverySchemaSaysWhatItIs(t *testing.T) {
	d := describe(t, newStand(t))
	for name, schema := range at(d.doc, "components", "schemas").(map[string]any) {
		if text, _ := schema.(map[string]any)["description"].(string); text == "" {
			t.Errorf("%s has no description; its type needs a comment", name)
		}
	}
	for path, want := range map[string]any{
		"StackAnswer.status.$ref":         "#/components/schemas/StacksStatus",
		"CreateStackRequest.path.type":    "string",
		"LoginRequest.password.type":      "string",
		"CreateStackAnswer.id.type":       "string", // of an embedded struct
		"DeploymentAnswer.phases.type":    "array",
		"WorkerAnswer.left_at.format":     "date-time",
		"VariableAnswer.value.type":       "string", // left out, never null
		"LogPiece.number.minimum":         0.0,
		"UserChange.role.anyOf":           []any{map[string]any{"$ref": "#/components/schemas/AccessRole"}, map[string]any{"type": "null"}},
		"IssuedKey.key.description":       "to send in the X-Service-Api-Key header",
		"TargetGroup.labels.type":         "object",
		"ServiceAccountRequest.role.$ref": "#/components/schemas/AccessRole",
	} {
		steps := strings.Split(path, ".")
		got := at(d.doc, "components", "schemas", steps[0], "properties", steps[1], steps[2])
		if list, is := want.([]any); is {
			if len(list) != len(got.([]any)) || at(got, 0, "$ref") != at(list, 0, "$ref") || at(got, 1, "type") != "null" {
				t.Errorf("%s is %v", path, got)
			}
		} else if got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}
