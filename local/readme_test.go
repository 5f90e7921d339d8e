package main

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("write-readme", false, "write the generated part of the README")

const (
	readme    = "../README.md"
	beginMark = "<!-- variables: written by \"go test ./local -run README -write-readme\" -->\n"
	endMark   = "<!-- end of variables -->\n"
)

func TestREADMEListsTheVariablesAsTheyAre(t *testing.T) {
	var tables strings.Builder
	if code := run([]string{"variables"}, &tables, &tables); code != 0 {
		t.Fatalf("the command ended with %d", code)
	}
	content, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), beginMark)
	generated, after, closed := strings.Cut(rest, endMark)
	if !found || !closed {
		t.Fatal("the README lacks the marks around the generated tables")
	}
	want := "\n" + strings.TrimSpace(tables.String()) + "\n\n"
	if *update {
		if err := os.WriteFile(readme, []byte(before+beginMark+want+endMark+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if generated != want {
		t.Error("the README's tables are not those of core/config; run: go test ./local -run README -write-readme")
	}
}
