package coretest

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var writeREADME = flag.Bool("write-readme", false, "write the generated part of the README")

// GeneratedPart holds a part of the README against what it should be, or writes it with the flag
// -write-readme. It stands between two comments; what names it, and pkg is the package of the test.
func GeneratedPart(t *testing.T, readme, what, pkg, want string) {
	t.Helper()
	command := "go test " + pkg + " -run README -write-readme"
	begin, end := "<!-- "+what+": written by \""+command+"\" -->\n", "<!-- end of "+what+" -->\n"
	content, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), begin)
	generated, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("the README lacks the comments around its %s", what)
	}
	want = "\n" + strings.TrimSpace(want) + "\n\n"
	if *writeREADME {
		if err := os.WriteFile(readme, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if generated != want {
		t.Errorf("the README's %s are not what they are; run: %s", what, command)
	}
}
