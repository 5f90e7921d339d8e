package ui

import (
	"fmt"
	"strings"

	"berth/core/stacks"
)

// told is a text of a fault: a sentence, or the head of a list with what it names, each a sentence.
type told struct {
	Text  string // empty: there is nothing to tell
	Items []string
	Quote bool // Items are what a container wrote last, as it wrote them
}

// tellingOf splits a text at its lines, of which the second and those behind it are items. What a container wrote
// is no sentence of ours: it stays as it is.
func tellingOf(text string) told {
	head, rest, _ := strings.Cut(text, "\n")
	t := told{Text: sentence(head), Quote: strings.HasSuffix(head, stacks.SaidLast)}
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !t.Quote {
			line = sentence(line)
		}
		t.Items = append(t.Items, line)
	}
	return t
}

// withoutQuote is t for a place where what the container wrote stands too.
func (t told) withoutQuote() told {
	if !t.Quote {
		return t
	}
	return told{Text: strings.TrimSpace(strings.TrimSuffix(t.Text, stacks.SaidLast))}
}

// inBrief is a text of a fault in one line: of a list its head, its first item, and how many there are beside that; of
// what a container wrote the last line, in which it says most often why it gave up.
func inBrief(text string) string { return tellingOf(text).brief() }

func (t told) brief() string {
	if len(t.Items) == 0 {
		return t.Text
	}
	if t.Quote {
		return t.Text + ` "` + t.Items[len(t.Items)-1] + `".`
	}
	brief := t.Text + " " + t.Items[0]
	if n := len(t.Items) - 1; n > 0 {
		brief += fmt.Sprintf(" And %d more.", n)
	}
	return brief
}
