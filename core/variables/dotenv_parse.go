package variables

import (
	"fmt"
	"strings"
)

func (p lineProblem) String() string { return fmt.Sprintf("line %d: %s", p.line, p.text) }

// dotenvParser walks through .env text, one statement at a time.
type dotenvParser struct {
	rest     string // what is not read yet
	line     int    // of the beginning of rest
	found    []Assignment
	problems []lineProblem
}

// take reads n bytes.
func (p *dotenvParser) take(n int) string {
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	p.line += strings.Count(taken, "\n")
	return taken
}

// restOfLine reads to the end of the line, without the line end.
func (p *dotenvParser) restOfLine() string {
	end := strings.IndexByte(p.rest, '\n')
	if end < 0 {
		end = len(p.rest) - 1
	}
	return strings.TrimSuffix(strings.TrimSuffix(p.take(end+1), "\n"), "\r")
}

// spaces skips spaces and tabs and reports whether there were any.
func (p *dotenvParser) spaces() bool {
	return p.take(len(p.rest)-len(strings.TrimLeft(p.rest, " \t"))) != ""
}

func (p *dotenvParser) complain(line int, text string) {
	p.problems = append(p.problems, lineProblem{line, text})
}

// statement reads a blank line, a comment or an assignment.
func (p *dotenvParser) statement() {
	p.spaces()
	line := p.line
	if p.rest == "" || strings.ContainsRune("\r\n#", rune(p.rest[0])) {
		p.restOfLine()
		return
	}
	end := strings.IndexAny(p.rest, "=\n")
	if end < 0 || p.rest[end] == '\n' {
		p.restOfLine()
		p.complain(line, "no = was found; write NAME=value, and quote values of several lines")
		return
	}
	name := strings.FieldsFunc(p.take(end), func(c rune) bool { return c == ' ' || c == '\t' })
	if len(name) == 2 && name[0] == "export" {
		name = name[1:]
	}
	p.take(1)
	if value, ok := p.value(line); ok {
		p.found = append(p.found, Assignment{Name: strings.Join(name, " "), Value: value, Line: line})
	}
}

// value reads what follows the = of an assignment that begins at a line.
func (p *dotenvParser) value(line int) (value string, ok bool) {
	spaced := p.spaces()
	switch {
	case strings.HasPrefix(p.rest, "'"):
		value, ok = p.singleQuoted()
	case strings.HasPrefix(p.rest, `"`):
		value, ok = p.doubleQuoted()
	default:
		return unquoted(p.restOfLine(), spaced), true
	}
	if !ok {
		p.complain(line, "the quote that begins its value is never closed")
		return "", false
	}
	last := p.line
	after := p.restOfLine()
	if rest := strings.TrimLeft(after, " \t"); rest != "" && (rest == after || rest[0] != '#') {
		p.complain(last, `text follows the closing quote; write a single quote inside single quotes as '\''`)
		return "", false
	}
	return value, true
}

// singleQuoted reads 'pieces' joined by \'.
func (p *dotenvParser) singleQuoted() (value string, closed bool) {
	var b strings.Builder
	for {
		p.take(1)
		end := strings.IndexByte(p.rest, '\'')
		if end < 0 {
			p.take(len(p.rest))
			return "", false
		}
		b.WriteString(p.take(end))
		p.take(1)
		if !strings.HasPrefix(p.rest, `\''`) {
			return b.String(), true
		}
		b.WriteByte('\'')
		p.take(2)
	}
}

// escapes are what a backslash in double quotes makes of the next byte.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\', '$': '$', '`': '`'}

// doubleQuoted reads "content" with its escapes.
func (p *dotenvParser) doubleQuoted() (value string, closed bool) {
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		c := p.rest[i]
		switch {
		case c == '"':
			p.take(i + 1)
			return b.String(), true
		case c == '\\' && i+1 < len(p.rest) && escapes[p.rest[i+1]] != 0:
			b.WriteByte(escapes[p.rest[i+1]])
			i++
		default:
			b.WriteByte(c)
		}
	}
	p.take(len(p.rest))
	return "", false
}

// unquoted returns a bare value, without a comment and without spaces at the end. spaced
// says that a space stands before it.
func unquoted(text string, spaced bool) string {
	for i := range len(text) {
		if text[i] == '#' && spaced {
			text = text[:i]
			break
		}
		spaced = text[i] == ' ' || text[i] == '\t'
	}
	return strings.TrimRight(text, " \t")
}
