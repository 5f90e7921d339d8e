package layering

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"berth/core/fault"
)

var codeShape = regexp.MustCompile(`^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$`)

// TestFaultCodesAreListed holds core/fault/codes.go true: each code that is made is in the list,
// so that it is documented and never reused, and each listed one is made somewhere.
func TestFaultCodesAreListed(t *testing.T) {
	made, literals := faultCodes(t, filepath.Join("..", ".."))
	if len(made) < 100 {
		t.Fatalf("only %d codes were found: the search is broken", len(made))
	}
	if !slices.IsSorted(fault.Codes) || len(slices.Compact(slices.Clone(fault.Codes))) != len(fault.Codes) {
		t.Error("the list is not sorted, or has a code twice")
	}
	for code, where := range made {
		if !codeShape.MatchString(code) {
			t.Errorf("%s: code %q is not of the form noun.problem", where, code)
		}
		if !slices.Contains(fault.Codes, code) {
			t.Errorf("%s: code %q is not in core/fault/codes.go", where, code)
		}
	}
	for _, code := range fault.Codes {
		if !literals[code] {
			t.Errorf("code %q is listed, but nothing makes it", code)
		}
	}
}

// faultCodes returns the codes that calls to core/fault make, with a place each, and every
// text in the code that looks like a code.
func faultCodes(t *testing.T, root string) (made map[string]string, literals map[string]bool) {
	t.Helper()
	made, literals = map[string]string{}, map[string]bool{}
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && (e.Name() == "testdata" || e.Name() == "coretest" || strings.HasPrefix(e.Name(), ".") && file != root) {
			if err == nil {
				return fs.SkipDir
			}
			return err
		}
		if e.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "codes.go" {
			return nil
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if text, ok := textOf(n); ok && codeShape.MatchString(text) {
				literals[text] = true
			}
			if code := codeOf(n); code != "" {
				made[code] = file
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return made, literals
}

// codeOf returns the code when n is fault.New(…), fault.BadFields(…) or fault.Error{Code: …} with
// the code written out.
func codeOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.CallExpr:
		position := map[string]int{"New": 1, "BadFields": 0}
		f, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || !isFault(f.X) {
			return ""
		}
		i, known := position[f.Sel.Name]
		if !known || i >= len(n.Args) {
			return ""
		}
		text, _ := textOf(n.Args[i])
		return text
	case *ast.CompositeLit:
		typ, ok := n.Type.(*ast.SelectorExpr)
		if !ok || !isFault(typ.X) || typ.Sel.Name != "Error" {
			return ""
		}
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok && kv.Key.(*ast.Ident).Name == "Code" {
				text, _ := textOf(kv.Value)
				return text
			}
		}
	}
	return ""
}

func isFault(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "fault"
}

func textOf(n ast.Node) (string, bool) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}
