package ui

import (
	"fmt"
	"strings"
)

// told is a text of a fault: a sentence, or the head of a list with what it names, each a sentence.
type told struct {
	Text  string // empty: there is nothing to tell
	Items []string
}

// tellingOf splits a text at its lines, of which the second and those behind it are items.
func tellingOf(text string) told {
	head, rest, _ := strings.Cut(text, "\n")
	t := told{Text: sentence(head)}
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line != "" {
			t.Items = append(t.Items, sentence(line))
		}
	}
	return t
}

// inBrief is a text of a fault in one line: of a list its head, its first item, and how many there are beside that.
func inBrief(text string) string {
	t := tellingOf(text)
	if len(t.Items) == 0 {
		return t.Text
	}
	brief := t.Text + " " + t.Items[0]
	if n := len(t.Items) - 1; n > 0 {
		brief += fmt.Sprintf(" And %d more.", n)
	}
	return brief
}
