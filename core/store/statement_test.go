package store_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestStatementsAreForTests holds the promise of Exec and Texts: rows are changed by the
// methods of Store and by nothing else.
func TestStatementsAreForTests(t *testing.T) {
	used := regexp.MustCompile(`\bstore\.(Exec|Texts)\(`)
	root := filepath.Join("..", "..")
	contract := false
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if strings.HasPrefix(e.Name(), ".") && file != root {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(file)
		if err != nil || !used.Match(source) {
			return err
		}
		if filepath.Dir(file) != filepath.Join(root, "core", "coretest") {
			t.Errorf("%s runs SQL past the methods of Store", file)
		}
		contract = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !contract {
		t.Error("not even the contract in core/coretest was found: the search is broken")
	}
}
