package e2e_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/variables"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/local/e2e/rig"
)

// surroundings stand in the environment of the process that server and worker run in.
var surroundings = map[string]string{"WORKER_TOKEN": "surrounding-worker-token", "E2E_SURROUNDING": "surrounding-value", "COMPOSE_FILE": "/surrounding.yaml", "COMPOSE_PROFILES": "surrounding"}

// awkward are values that shells, YAML, .env files and templates like to change.
var awkward = []string{
	"plain", "", " ", "  led and trailed  ", "a=b=c", "=", "two\nlines", "\n", "ends with newline\n", "\r\n", "tab\there", "$HOME", "${HOME}", "$$", "$$$", "${E2E_SURROUNDING:-x}", "${",
	`"double"`, `'single'`, "`backtick`", `back\slash`, `\n`, `\`, `\\`, "#comment", "a #b", "%s %d", "{{.Secret}}", "!tag", "*alias", "&anchor", "- item", "key: value", "[1, 2]", "yes", "null", "~", "0x10", "1e3", "0123",
	"grüße 漢字 🛳\u200b", "\u00e9 e\u0301", "-----BEGIN KEY-----\nabc+/=\n-----END KEY-----\n", `{"json": ["a\"b", "c\\d"]}`, "a\x01b\x1b[31m", strings.Repeat("long ", 2000), "${PLAIN_0}", "$PLAIN_0",
}

func valuesByteForByte(t *testing.T, s *rig.Server) {
	list := "environment:"
	for i := range awkward {
		list += fmt.Sprintf("\n  - PLAIN_%d\n  - SECRET_%d", i, i)
	}
	mapped := "environment:"
	for i, value := range awkward {
		secret := fmt.Sprintf("${SECRET_%d}", i)
		if value == "" { // nobody provides it
			secret = fmt.Sprintf("${SECRET_%d:-}", i)
		}
		mapped += fmt.Sprintf("\n  RENAMED_%d: %s\n  WRAPPED_%d: \"<${PLAIN_%d}|%s>\"", i, secret, i, i, secret)
	}
	stack := s.Repository(one(compose(box(t, "listed", list), box(t, "mapped", mapped)))).Manual("", "app")
	for i, value := range awkward {
		stack.Set(fmt.Sprintf("PLAIN_%d", i), value)
		if value != "" { // an internal secret has a value
			stack.SetSecret(fmt.Sprintf("SECRET_%d", i), value)
		}
	}
	stack.Synced()
	containers := stack.Containers()
	listed, mappedTo := containers["listed"].Environment(t), containers["mapped"].Environment(t)
	for i, value := range awkward {
		for name, got := range map[string]string{"plain": listed[fmt.Sprintf("PLAIN_%d", i)], "secret": listed[fmt.Sprintf("SECRET_%d", i)], "renamed": mappedTo[fmt.Sprintf("RENAMED_%d", i)]} {
			if got != value {
				t.Errorf("%s value %q arrived as %q", name, value, got)
			}
		}
		if got := mappedTo[fmt.Sprintf("WRAPPED_%d", i)]; got != "<"+value+"|"+value+">" {
			t.Errorf("value %q within others arrived as %q", value, got)
		}
	}
	answer := rig.Get[endpoint.Items[api.VariableAnswer]](s.Client, "/api/custom/variables?limit=500&scope=stack&scope_id="+string(stack.ID))
	for _, v := range answer.Items {
		var i int
		if _, err := fmt.Sscanf(v.Name, "PLAIN_%d", &i); err == nil && (v.Value == nil || *v.Value != awkward[i]) {
			t.Errorf("the API shows %q as %v", awkward[i], v.Value)
		}
		if v.Secret && v.Value != nil {
			t.Errorf("the API shows the value of %s", v.Name)
		}
	}
}

func secretRecreates(t *testing.T, s *rig.Server) {
	stack := s.Repository(one(compose(box(t, "user", "environment: [KEY]"), box(t, "plain")))).Manual("", "app")
	stack.SetSecret("KEY", "first value")
	stack.Synced()
	before := stack.Containers()
	id := rig.Get[endpoint.Items[api.VariableAnswer]](s.Client, "/api/custom/variables?scope=stack&scope_id="+string(stack.ID)).Items[0].ID
	value := "second value"
	rig.Patch[api.VariableAnswer](s.Client, "/api/custom/variables/"+string(id), api.UpdateVariableRequest{Value: &value})
	d := stack.Synced()
	after := stack.Containers()
	wantAnew(t, before, after, "user")
	if d.Revision != 2 || after["user"].Environment(t)["KEY"] != value {
		t.Errorf("revision %d, %v", d.Revision, after["user"].Environment(t))
	}
}

func onlyListedVariables(t *testing.T, s *rig.Server) {
	stack := s.Repository(one(compose(
		box(t, "all", "environment: [PLAIN, SECRET, GLOBAL]"),
		box(t, "plain-only", "environment: [PLAIN]"),
		box(t, "unbound", "environment: [UNBOUND]"),
		box(t, "none")))).Manual("", "app")
	stack.Set("PLAIN", "plain value")
	stack.SetSecret("SECRET", "secret value")
	stack.Set("NOWHERE", "listed nowhere")
	global := func(name, value string) core.VariableID {
		return rig.Post[api.VariableAnswer](s.Client, "/api/custom/variables", api.CreateVariableRequest{Scope: variables.ScopeGlobal, Name: name, Value: value}, http.StatusCreated).ID
	}
	bound := global("GLOBAL", "global value")
	global("UNBOUND", "unbound value")
	if answer := s.Ask(http.MethodPut, "/api/custom/stacks/"+string(stack.ID)+"/global-variables", api.BindVariablesRequest{IDs: []core.VariableID{bound}}); answer.Status != http.StatusOK {
		t.Fatalf("bind: %d %s", answer.Status, answer.Body)
	}
	stack.Synced()
	for service, want := range map[string]map[string]string{
		"all":        {"PLAIN": "plain value", "SECRET": "secret value", "GLOBAL": "global value"},
		"plain-only": {"PLAIN": "plain value"},
		"unbound":    {},
		"none":       {},
	} {
		checkEnvironment(t, stack.Container(service), want)
	}
}

// checkEnvironment sees that a container has nothing but what is wanted and what the
// engine itself sets.
func checkEnvironment(t *testing.T, c rig.Container, want map[string]string) {
	t.Helper()
	got := c.Environment(t)
	for _, own := range []string{"PATH", "HOSTNAME", "HOME"} {
		if _, wanted := want[own]; !wanted {
			delete(got, own)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s has %q, want %q", c.Service(), got, want)
	}
}

func containerSeesNoEnvironment(t *testing.T, s *rig.Server) {
	names := slices.Sorted(maps.Keys(surroundings))
	names = append(names, "SECRET_KEY", "BOOTSTRAP_TOKEN", "USER")
	listed, interpolated := "environment:", "environment:"
	want := map[string]string{}
	for _, name := range names {
		listed += "\n  - " + name
		interpolated += "\n  GOT_" + name + ": \"<${" + name + ":-}>\""
		want["GOT_"+name] = "<>"
	}
	stack := s.Repository(one(compose(box(t, "listed", listed), box(t, "interpolated", interpolated), box(t, "profiled", "profiles: [surrounding]")))).On("", "app")
	d := stack.Deployed()
	checkEnvironment(t, stack.Container("listed"), map[string]string{})
	checkEnvironment(t, stack.Container("interpolated"), want)
	if len(stack.Containers()) != 2 {
		t.Error("COMPOSE_PROFILES of the worker's environment had an effect")
	}
	log := stack.LogOf(d.ID)
	for _, name := range names {
		if !strings.Contains(log, "warning: the Compose file uses "+name) {
			t.Errorf("the log does not warn that %s is provided by nothing:\n%s", name, log)
		}
	}
	if strings.Contains(log, "surrounding-") {
		t.Error("the log holds a value of the environment")
	}
}
