package yaml

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	saysLine   = regexp.MustCompile(`^line (\d+): (.*)$`)
	saysAnchor = regexp.MustCompile(`^unknown anchor '([^']*)'`)
)

// wrong returns what the parser says of content with the right line in front. Of the first line it tells none,
// and where it expected something else it counts from 0; the end is in the last line.
func wrong(err error, content []byte) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if m := saysLine.FindStringSubmatch(text); m != nil {
		text = m[2]
		line, _ = strconv.Atoi(m[1])
		if strings.HasPrefix(text, "did not find expected") {
			line++
		}
	} else if m := saysAnchor.FindStringSubmatch(text); m != nil {
		line = lineOf(content, bytes.Index(content, []byte("*"+m[1])))
	} else if strings.HasPrefix(text, "control characters") {
		line = lineOf(content, bytes.IndexFunc(content, control))
	}
	return invalid("line %d: %s", min(line, lineOf(content, len(bytes.TrimRight(content, "\r\n")))), text)
}

// lineOf returns the number of the line in which a byte stands.
func lineOf(content []byte, at int) int { return 1 + bytes.Count(content[:max(at, 0)], []byte("\n")) }

func control(c rune) bool { return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f }

// notText says where content stops being UTF-8.
func notText(content []byte) error {
	at := 0
	for rest := content; len(rest) > 0; rest = content[at:] {
		c, size := utf8.DecodeRune(rest)
		if c == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return invalid("line %d: the file is not UTF-8 text", lineOf(content, at))
}
