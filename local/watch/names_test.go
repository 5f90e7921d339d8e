package watch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	metricShape   = regexp.MustCompile(`^(berth|go|process)_[a-z0-9_]+$`)
	inExpression  = regexp.MustCompile(`[a-zA-Z_][a-zA-Z0-9_:]*`)
	quotedText    = regexp.MustCompile(`"[^"]*"|'[^']*'`)
	labelsAndMore = regexp.MustCompile(`\b(by|on|without|ignoring)\s*\([^)]*\)`)
)

// namesIn returns the names of metrics in an expression: what Berth exposes and what rules record.
func namesIn(expression string) (names []string) {
	expression = labelsAndMore.ReplaceAllString(quotedText.ReplaceAllString(expression, ""), "")
	for _, word := range inExpression.FindAllString(expression, -1) {
		if metricShape.MatchString(word) || strings.Contains(strings.Trim(word, ":"), ":") {
			names = append(names, word)
		}
	}
	return names
}

// asked returns every expression of rules, alerts and dashboard, by where it stands.
func asked(t *testing.T) map[string]string {
	t.Helper()
	d := readDashboard(t)
	all := d.expressions()
	for _, r := range slices.Concat(rulesOf(t, "rules.yaml"), rulesOf(t, "alerts.yaml")) {
		all[r.Record+r.Alert] = r.Expr
	}
	for _, v := range d.Templating.List {
		if v.Type == "query" {
			all["variable "+v.Name] = chosen.Replace(v.Definition)
		}
	}
	return all
}

// TestWhatIsAskedForIsExposed: a metric that was renamed leaves no alert behind that never fires.
func TestWhatIsAskedForIsExposed(t *testing.T) {
	known := declared(t)
	for _, r := range rulesOf(t, "rules.yaml") {
		known[r.Record] = true
	}
	found := 0
	for where, expression := range asked(t) {
		for _, name := range namesIn(expression) {
			found++
			if !known[name] {
				t.Errorf("%s asks for %s, which nothing exposes", where, name)
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d names were found", found)
	}
}

// declared returns the names of series that the packages write which expose metrics: each name that
// stands in their code as it is, with what a histogram adds to it.
func declared(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, root := range []string{"../../core/metrics", "../../hub/worker"} {
		err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err == nil {
				maps.Copy(names, namesOf(parsed))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(names) < 80 {
		t.Fatalf("only %d names were found in the code", len(names))
	}
	return names
}

func namesOf(file *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if name, is := nameIn(n); is {
			names[name] = true
		}
		if call, is := n.(*ast.CallExpr); is && histogram(call) {
			for _, arg := range call.Args {
				if name, is := nameIn(arg); is {
					names[name+"_bucket"], names[name+"_sum"], names[name+"_count"] = true, true, true
				}
			}
		}
		return true
	})
	return names
}

// nameIn returns the name of a metric that is written out as n.
func nameIn(n ast.Node) (string, bool) {
	literal, is := n.(*ast.BasicLit)
	if !is || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil && metricShape.MatchString(text)
}

// histogram reports whether a call declares one: by its name or by what it is given.
func histogram(call *ast.CallExpr) bool {
	if f, is := call.Fun.(*ast.SelectorExpr); is && f.Sel.Name == "Histogram" {
		return true
	}
	return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		kind, is := arg.(*ast.Ident)
		return is && kind.Name == "TypeHistogram"
	})
}
