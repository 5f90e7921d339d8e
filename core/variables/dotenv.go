package variables

import (
	"regexp"
	"strings"

	"berth/core/fault"
)

// # The .env text
//
// One assignment after another, NAME=value, between blank lines and lines that begin
// with #; "export " before a name is skipped, as are spaces around it and before the
// value. A text that WriteDotenv wrote is also what a POSIX shell reads with `.`. Values
// are taken literally: $ means nothing.
//
//	NAME=word and more      up to the line's end or to a # after a space; spaces at the end go
//	NAME='any text'         exactly as it stands, over several lines if need be, up to the next '
//	NAME='it'\''s'          quoted pieces joined by \' hold single quotes: it's
//	NAME="a\nb"             \n \r \t \" \\ \$ \` stand for what they name; any other \ for itself
//
// After a closing quote only spaces and a comment may follow. Lines end with LF or CRLF;
// inside quotes both stay as they are. WriteDotenv writes plain words as they are and
// everything else, multi-line values included, in single quotes, so that ParseDotenv
// gives every value back byte for byte.

// Assignment is one line, or several, of .env text.
type Assignment struct {
	Name  string
	Value string
	Line  int    // where it begins, from 1; WriteDotenv ignores it
	Note  string // written as a comment before it; one line
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]*$`)

// WriteDotenv returns assignments as .env text.
func WriteDotenv(assignments []Assignment) string {
	var text strings.Builder
	for _, a := range assignments {
		if a.Note != "" {
			text.WriteString("# " + a.Note + "\n")
		}
		text.WriteString(a.Name + "=" + quote(a.Value) + "\n")
	}
	return text.String()
}

func quote(value string) string {
	if plainWord.MatchString(value) {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// ParseDotenv reads .env text. Names and values are not judged. Invalid
// "variable.invalid_text" gives the line of everything that cannot be read, up to
// maxProblems; no message repeats a value.
func ParseDotenv(text string) ([]Assignment, error) {
	p := &dotenvParser{rest: strings.TrimPrefix(text, "\ufeff"), line: 1}
	for p.rest != "" {
		p.statement()
	}
	return p.found, lineFault(p.problems)
}

// maxProblems bounds what one message lists.
const maxProblems = 50

// lineProblem is what is wrong at a line of the text.
type lineProblem struct {
	line int
	text string
}

func lineFault(problems []lineProblem) error {
	var bad []fault.Field
	for _, p := range problems[:min(len(problems), maxProblems)] {
		bad = append(bad, fault.Field{Path: "text", Problem: p.String()})
	}
	return fault.BadFields("variable.invalid_text", bad)
}
