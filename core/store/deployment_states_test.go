package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// setsState finds statements, up to their WHERE, that may set deployments.state.
var setsState = regexp.MustCompile(`(?is)\bINTO\s+deployments\b|\bUPDATE\s+deployments\s+SET\s*($|.*\bstate\s*=)`)

func setsItsState(sql string) bool {
	set, _, _ := strings.Cut(sql, "WHERE")
	return setsState.MatchString(set)
}

func TestSetsState(t *testing.T) {
	for text, want := range map[string]bool{
		`UPDATE deployments SET state = ?`:                            true,
		"UPDATE deployments\n\tSET error = ?, state = ? WHERE id = ?": true,
		`UPDATE deployments SET `:                                     true,
		`INSERT INTO deployments (id) VALUES (?)`:                     true,
		`UPDATE deployments SET error = ? WHERE id = ? AND state = ?`: false,
		`UPDATE stacks SET state = ? WHERE id = ?`:                    false,
		`SELECT id FROM deployments WHERE state = ?`:                  false,
	} {
		if got := setsItsState(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestStatesChangeInOnePlace reads this package's sources: whatever sets deployments.state does so in the
// functions that store the event with it.
func TestStatesChangeInOnePlace(t *testing.T) {
	places, files := map[string]int{}, token.NewFileSet()
	sources, err := filepath.Glob("*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("%v, %v", sources, err)
	}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, source, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			name := "a variable"
			if f, is := decl.(*ast.FuncDecl); is {
				name = f.Name.Name
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if text, is := n.(*ast.BasicLit); is && text.Kind == token.STRING && setsItsState(strings.Trim(text.Value, "`\"")) {
					places[name]++
				}
				return true
			})
		}
	}
	if len(places) != 2 || places["pass"] != 1 || places["insertDeployment"] != 1 {
		t.Errorf("deployments.state is set by %v; want it by pass and insertDeployment alone", places)
	}
	steps, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(steps) == 0 {
		t.Fatalf("%v, %v", steps, err)
	}
	for _, name := range steps {
		content, err := os.ReadFile(name)
		if err != nil || setsItsState(string(content)) {
			t.Errorf("%s sets deployments.state (%v)", name, err)
		}
	}
}
