package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allowed are what of this module, beside core and handlers, the function is made of.
var allowed = []string{"berth/hub/adapter/agekey", "berth/hub/adapter/githost", "berth/hub/adapter/outbound", "berth/hub/adapter/hubclient", "berth/hub/adapter/lambda", "berth/hub/adapter/oidc", "berth/hub/adapter/postgres", "berth/hub/adapter/qrcode", "berth/hub/adapter/ssh", "berth/hub/adapter/yaml", "berth/hub/revisionfiles"}

// vendors are the third parties whose packages those import.
var vendors = []string{"github.com/aws/aws-lambda-go/", "github.com/awslabs/aws-lambda-go-api-proxy/", "github.com/jackc/pgx/v5", "go.yaml.in/yaml/v3", "filippo.io/age", "golang.org/x/crypto/ssh", "golang.org/x/oauth2", "github.com/coreos/go-oidc/v3/", "rsc.io/qr"}

// TestWhatTheFunctionImports: no hub, no container engine, no Git, no SQLite, and nothing new
// by accident. It reads the sources, so that it runs again when they change.
func TestWhatTheFunctionImports(t *testing.T) {
	seen := map[string]bool{}
	var follow func(pkg string)
	follow = func(pkg string) {
		for _, to := range importsOf(t, pkg) {
			first, _, dotted := strings.Cut(to, "/")
			switch {
			case seen[to]:
				continue
			case first == "berth" && !strings.HasPrefix(to, "berth/core") && !strings.HasPrefix(to, "berth/handlers") && !slices.Contains(allowed, to):
				t.Errorf("%s imports %s", pkg, to)
			case first != "berth" && dotted && strings.Contains(first, ".") && !slices.ContainsFunc(vendors, func(v string) bool { return strings.HasPrefix(to, v) }):
				t.Errorf("%s imports %s", pkg, to)
			case to == "os/exec" || to == "net/rpc" || to == "plugin":
				t.Errorf("%s imports %s, and a function runs no other programs", pkg, to)
			}
			seen[to] = true
			if first == "berth" {
				follow(to)
			}
		}
	}
	follow("berth/handlers/cmd/function")
	for _, pkg := range append(allowed, "berth/handlers/ui", "berth/core/store") {
		if !seen[pkg] {
			t.Errorf("%s is not imported any more: correct this test", pkg)
		}
	}
}

// importsOf returns what the files of a package of this module import, tests left out.
func importsOf(t *testing.T, pkg string) (all []string) {
	t.Helper()
	dir := filepath.Join("..", "..", "..", strings.TrimPrefix(pkg, "berth"))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		source, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), e.Name(), source, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			all = append(all, strings.Trim(spec.Path.Value, `"`))
		}
	}
	return all
}
