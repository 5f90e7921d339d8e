package ui

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// sureAct is an act that somebody has to mean: its button opens the question, and a second one in there does it. That
// works without script, by keys, and where a finger slipped.
type sureAct struct {
	Icon  string      // empty: none
	Word  string      // what the button says: "Revoke"
	Of    string      // whose, for those who do not see the line it stands in; empty: the word says it
	Href  string      // where the form goes; empty: nothing is done, as on the page that shows the parts
	Text  string      // what comes of it
	Small bool        // it stands in a line of a table
	Kept  []keptField // what its form sends
}

func sure(icon, word, of, href, text string) sureAct {
	return sureAct{Icon: icon, Word: word, Of: of, Href: href, Text: text}
}

// InLine is the same act in a line of a table.
func (a sureAct) InLine() sureAct {
	a.Small = true
	return a
}

// With is the same act with a field that its form sends.
func (a sureAct) With(name, value string) sureAct {
	a.Kept = append(slices.Clone(a.Kept), keptField{name, exact(value)})
	return a
}

// Yes is the word after "Yes, ".
func (a sureAct) Yes() string {
	first, n := utf8.DecodeRuneInString(a.Word)
	return string(unicode.ToLower(first)) + a.Word[n:]
}
