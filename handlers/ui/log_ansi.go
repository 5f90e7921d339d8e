package ui

import (
	"slices"
	"strconv"
	"strings"
)

// logText is a line of a log in pieces of one look each.
type logText []logSpan

// logSpan is a piece of a line. Its classes are words of ours: nothing of them comes from the log.
type logSpan struct {
	Class string // of the style sheet: "sgr-1 sgr-31"; empty: plain
	Text  string
}

// sgr is how a terminal would show what follows (ECMA-48, 8.3.117), as far as pages do.
type sgr struct {
	bold, faint, italic, under bool
	back                       bool // any colour behind the text: pages have one for all
	color                      int  // 30 to 37; 0: none
}

func (s sgr) class() string {
	var words []string
	for _, w := range []struct {
		on     bool
		number int
	}{{s.bold, 1}, {s.faint, 2}, {s.italic, 3}, {s.under, 4}, {s.back, 7}, {s.color > 0, s.color}} {
		if w.on {
			words = append(words, "sgr-"+strconv.Itoa(w.number))
		}
	}
	return strings.Join(words, " ")
}

// apply takes the numbers of one sequence. Colours beyond the sixteen (38 and 48) are left out with what belongs to
// them; an empty number is 0.
func (s *sgr) apply(parameters string) {
	numbers := strings.FieldsFunc(parameters+";", func(r rune) bool { return r == ':' })
	all := strings.Split(strings.TrimSuffix(strings.Join(numbers, ";"), ";"), ";")
	for i := 0; i < len(all); i++ {
		n, err := strconv.Atoi(all[i])
		switch {
		case all[i] == "" || err == nil && n == 0:
			*s = sgr{}
		case err != nil:
			return
		case n == 38 || n == 48:
			i += beyond(all[i+1:])
		default:
			s.set(n)
		}
	}
}

// beyond is how many numbers follow 38 or 48: "5;n" or "2;r;g;b".
func beyond(rest []string) int {
	if len(rest) == 0 {
		return 0
	}
	return map[string]int{"5": 2, "2": 4}[rest[0]]
}

func (s *sgr) set(n int) {
	switch {
	case n == 1:
		s.bold = true
	case n == 2:
		s.faint = true
	case n == 3:
		s.italic = true
	case n == 4:
		s.under = true
	case n == 22:
		s.bold, s.faint = false, false
	case n == 23:
		s.italic = false
	case n == 24:
		s.under = false
	case n >= 30 && n <= 37, n >= 90 && n <= 97:
		s.color = 30 + n%10 // the bright ones look like the others
	case n == 39:
		s.color = 0
	case n >= 40 && n <= 47, n >= 100 && n <= 107:
		s.back = true
	case n == 49:
		s.back = false
	}
}

// maxSpans is how many pieces a line is shown in; the rest of it is one.
const maxSpans = 200

// coloured splits a line at what colours it. Any other escape sequence is left to visible, which drops it.
func coloured(line string) logText {
	if !strings.Contains(line, "\x1b[") {
		return logText{{Text: line}}
	}
	var (
		text logText
		look sgr
		rest = line
		said strings.Builder
	)
	end := func() {
		if said.Len() > 0 {
			text = append(text, logSpan{look.class(), said.String()})
			said.Reset()
		}
	}
	for len(text) < maxSpans {
		at := strings.Index(rest, "\x1b[")
		if at < 0 {
			break
		}
		said.WriteString(rest[:at])
		rest = rest[at:]
		length := strings.IndexFunc(rest[2:], func(r rune) bool { return (r < '0' || r > '9') && r != ';' && r != ':' })
		if length < 0 || rest[2+length] != 'm' {
			said.WriteString(rest[:2])
			rest = rest[2:]
			continue
		}
		end()
		look.apply(rest[2 : 2+length])
		rest = rest[2+length+1:]
	}
	said.WriteString(rest)
	end()
	return slices.Clip(text)
}

// onlyColour is text made safe to look at in which sequences that colour stay, for the script: it puts each piece
// into a node of its own, as text.
func onlyColour(line string) string {
	var out strings.Builder
	for _, span := range coloured(line) {
		if span.Class != "" {
			out.WriteString("\x1b[" + strings.ReplaceAll(strings.ReplaceAll(span.Class, "sgr-", ""), " ", ";") + "m")
		}
		out.WriteString(visible(span.Text))
		if span.Class != "" {
			out.WriteString("\x1b[m")
		}
	}
	return out.String()
}

// holding keeps the lines in which text stands, whatever its case; empty text keeps all.
func holding(lines []string, text string) []string {
	if text == "" {
		return lines
	}
	return slices.DeleteFunc(lines, func(line string) bool { return !holds(line, text) })
}

// holds reports whether text stands in a line, whatever its case; empty text does.
func holds(line, text string) bool {
	return text == "" || strings.Contains(strings.ToLower(visible(line)), strings.ToLower(text))
}
