package watch

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// cases are the files with unit tests of the rules.
var cases = []string{"rules_test.yaml", "rules_slow_test.yaml"}

// rule is one of rules.yaml (Record) or alerts.yaml (Alert).
type rule struct {
	Alert, Record, Expr, For string
	Labels, Annotations      map[string]string
}

// rulesOf reads a file of rules.
func rulesOf(t *testing.T, name string) []rule {
	t.Helper()
	var file struct{ Groups []struct{ Rules []rule } }
	decode(t, name, &file)
	var rules []rule
	for _, group := range file.Groups {
		rules = append(rules, group.Rules...)
	}
	if len(rules) < 10 {
		t.Fatalf("%s has only %d rules: they are not read as they are written", name, len(rules))
	}
	return rules
}

func decode(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// promtool must succeed.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "promtool", args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %s (package prometheus): %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestRulesDoWhatTheyPromise has promtool read the rules and run their unit tests.
func TestRulesDoWhatTheyPromise(t *testing.T) {
	t.Parallel() // it takes some seconds, as the others do that wait
	promtool(t, "check", "rules", "rules.yaml", "alerts.yaml")
	promtool(t, append([]string{"test", "rules"}, cases...)...)
}

// TestEveryAlertSaysWhatItMeansAndWhatToDo holds what whoever is woken by one is told.
func TestEveryAlertSaysWhatItMeansAndWhatToDo(t *testing.T) {
	for _, alert := range rulesOf(t, "alerts.yaml") {
		if !strings.HasPrefix(alert.Alert, "Berth") {
			t.Errorf("the alert %q is not called Berth…", alert.Alert)
		}
		if severity := alert.Labels["severity"]; !slices.Contains([]string{"critical", "warning", "info"}, severity) {
			t.Errorf("%s has the severity %q", alert.Alert, severity)
		}
		for _, name := range []string{"summary", "first_step"} {
			if text := alert.Annotations[name]; len(text) < 20 || !strings.HasSuffix(text, ".") {
				t.Errorf("%s has the %s %q", alert.Alert, name, text)
			}
		}
	}
}

// TestEveryRuleIsProven: an alert has a case in which it fires and one in which it does not, a recorded
// name is read by an alert or has a case of its own.
func TestEveryRuleIsProven(t *testing.T) {
	type test struct {
		Alerts []struct {
			Name     string `yaml:"alertname"`
			Expected []any  `yaml:"exp_alerts"`
		} `yaml:"alert_rule_test"`
		Expressions []struct{ Expr string } `yaml:"promql_expr_test"`
	}
	var tests []test
	for _, name := range cases {
		var file struct{ Tests []test }
		decode(t, name, &file)
		tests = append(tests, file.Tests...)
	}
	fires, quiet, asked := map[string]bool{}, map[string]bool{}, ""
	for _, test := range tests {
		for _, c := range test.Alerts {
			fires[c.Name] = fires[c.Name] || len(c.Expected) > 0
			quiet[c.Name] = quiet[c.Name] || len(c.Expected) == 0
		}
		for _, c := range test.Expressions {
			asked += c.Expr + "\n"
		}
	}
	for _, alert := range rulesOf(t, "alerts.yaml") {
		if !fires[alert.Alert] || !quiet[alert.Alert] {
			t.Errorf("%s: a case in which it fires: %t, in which it does not: %t", alert.Alert, fires[alert.Alert], quiet[alert.Alert])
		}
		asked += alert.Expr + "\n"
	}
	for _, recorded := range rulesOf(t, "rules.yaml") {
		if !regexp.MustCompile(`\b` + recorded.Record + `\b`).MatchString(asked) {
			t.Errorf("nothing proves %s", recorded.Record)
		}
	}
}
