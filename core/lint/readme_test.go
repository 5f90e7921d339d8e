package lint

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var write = flag.Bool("write-readme", false, "write the table of rules into README.md")

func TestTheREADMEHasEveryRule(t *testing.T) {
	var table strings.Builder
	table.WriteString("| code | severity | why | what to do |\n|---|---|---|---|\n")
	for _, r := range Rules() {
		fmt.Fprintf(&table, "| `%s` | %s | %s. | %s. |\n", r.Code, r.Severity, r.Why, r.Next)
	}
	file := filepath.Join("..", "..", "README.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), "<!-- lint rules -->\n")
	was, after, ended := strings.Cut(rest, "<!-- end of lint rules -->")
	if !found || !ended {
		t.Fatal("README.md has no place for the rules")
	}
	if *write {
		if err := os.WriteFile(file, []byte(before+"<!-- lint rules -->\n"+table.String()+"<!-- end of lint rules -->"+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if was != table.String() {
		t.Error("the table is not that of the rules; run go test ./core/lint -run README -write-readme")
	}
}
