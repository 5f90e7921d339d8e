package handlers_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"berth/handlers"
	"berth/handlers/endpoint"
)

var update = flag.Bool("update", false, "rewrite what is made from the source")

const meaningsFile = "openapi/meanings.json"

// TestTheDescriptionSaysWhatTheSourceSays compares the kept comments and constants of all
// types that the interface shows with the source.
func TestTheDescriptionSaysWhatTheSourceSays(t *testing.T) {
	var made bytes.Buffer
	enc := json.NewEncoder(&made)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(readMeanings(t, shownTypes(handlers.Routes(newStand(t).deps)))); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(meaningsFile, made.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(meaningsFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(kept) != made.String() {
		t.Errorf("%s is not what the source says. A comment, field or constant changed; run: go test ./handlers -run %s -update", meaningsFile, t.Name())
	}
}

// meaning has the shape of an entry of the file.
type meaning struct {
	Comment string            `json:"comment,omitempty"`
	Fields  map[string]string `json:"fields,omitempty"`
	Values  []meaningOfValue  `json:"values,omitempty"`
}

type meaningOfValue struct {
	Value   string `json:"value"`
	Comment string `json:"comment,omitempty"`
}

// shownTypes returns the names of our own types that requests and answers are made of, by package.
func shownTypes(routes []handlers.Route) map[string]map[string]bool {
	shown := map[string]map[string]bool{}
	var visit func(reflect.Type)
	visit = func(t reflect.Type) {
		name, _, _ := strings.Cut(t.Name(), "[")
		if strings.HasPrefix(t.PkgPath(), "berth/") {
			if shown[t.PkgPath()][name] && !strings.Contains(t.Name(), "[") {
				return
			}
			if shown[t.PkgPath()] == nil {
				shown[t.PkgPath()] = map[string]bool{}
			}
			shown[t.PkgPath()][name] = true
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(t.Elem())
		case reflect.Struct:
			for f := range t.Fields() {
				if f.Tag.Get("json") != "-" {
					visit(f.Type)
				}
			}
		}
	}
	for _, r := range routes {
		for _, v := range []any{r.Request, r.Response, endpoint.Problem{}} {
			if v != nil {
				visit(reflect.TypeOf(v))
			}
		}
	}
	return shown
}

// readMeanings reads the comments of types from the source of their packages.
func readMeanings(t *testing.T, shown map[string]map[string]bool) map[string]*meaning {
	t.Helper()
	all := map[string]*meaning{}
	for pkg, names := range shown {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(strings.TrimPrefix(pkg, "berth/")), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("package %s has no source: %v", pkg, err)
		}
		for name := range names {
			all[pkg+"."+name] = &meaning{Fields: map[string]string{}}
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range parsed.Decls {
				if general, is := decl.(*ast.GenDecl); is {
					readDeclaration(general, func(name string) *meaning { return all[pkg+"."+name] })
				}
			}
		}
	}
	return all
}

func readDeclaration(decl *ast.GenDecl, of func(name string) *meaning) {
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if m := of(spec.Name.Name); m != nil {
				m.Comment = said(spec.Doc, spec.Comment, lone(decl))
				if body, is := spec.Type.(*ast.StructType); is {
					readFields(body, m)
				}
			}
		case *ast.ValueSpec:
			named, is := spec.Type.(*ast.Ident)
			if !is || decl.Tok != token.CONST || of(named.Name) == nil {
				continue
			}
			for _, v := range spec.Values {
				text, _ := strconv.Unquote(v.(*ast.BasicLit).Value)
				m := of(named.Name)
				m.Values = append(m.Values, meaningOfValue{text, said(spec.Doc, spec.Comment)})
			}
		}
	}
}

// lone is the comment of a declaration that declares one thing.
func lone(decl *ast.GenDecl) *ast.CommentGroup {
	if len(decl.Specs) > 1 {
		return nil
	}
	return decl.Doc
}

func readFields(body *ast.StructType, m *meaning) {
	for _, f := range body.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(f.Tag.Value)
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if comment := said(f.Doc, f.Comment); comment != "" && name != "-" {
			m.Fields[name] = comment
		}
	}
}

// said is the first comment that there is, on one line.
func said(groups ...*ast.CommentGroup) string {
	for _, group := range groups {
		if text := strings.Join(strings.Fields(group.Text()), " "); text != "" {
			return text
		}
	}
	return ""
}
