package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"berth/core/coretest"
)

func TestREADMEListsTheVariablesAsTheyAre(t *testing.T) {
	var tables strings.Builder
	if code := run([]string{"variables"}, &tables, &tables); code != 0 {
		t.Fatalf("the command ended with %d", code)
	}
	coretest.GeneratedPart(t, "../README.md", "variables", "./local", tables.String())
}

// heading is a line of the README that begins a chapter of the first or second rank.
var heading = regexp.MustCompile(`^(##|###) (.+)$`)

func TestREADMEBeginsWithItsContents(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	fenced := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		found := heading.FindStringSubmatch(line)
		if found == nil || fenced {
			continue
		}
		indent := strings.Repeat("  ", len(found[1])-2)
		fmt.Fprintf(&list, "%s- [%s](#%s)\n", indent, strings.ReplaceAll(found[2], "`", ""), anchor(found[2]))
	}
	coretest.GeneratedPart(t, "../README.md", "contents", "./local", list.String())
}

// anchor is how Git hosts name a heading in an address: letters, digits and hyphens of it, small.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-':
			return '-'
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z':
			return r
		default:
			return -1
		}
	}, strings.ToLower(heading))
}
