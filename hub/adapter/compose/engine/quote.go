package engine

import (
	"strings"

	"berth/core/secrets"
)

// What a fault quotes of a container.
const (
	quotedLines = 20
	quotedBytes = 4 << 10
	quotedCheck = 500
	quoteReads  = 2 * quotedLines // entries of the engine's log that are read for it
	entryBytes  = 16 << 10        // the engine cuts longer lines into entries of this length
	checkBytes  = 4 << 10         // the engine keeps this much of what a health check prints
	minSecret   = 4               // bytes; what is shorter is no secret to a redactor
)

// quote collects the end of a container's output. Secrets are taken out before anything is
// cut, as half a secret is not recognized. Where the engine may have cut already, because it
// did not read from the beginning, the torn line is left out.
type quote struct {
	redactor    *secrets.Redactor
	out, errors *quoted
	lines       []quotedLine // the last ones
	count, read int          // lines and bytes in all
}

type quotedLine struct {
	text  string
	first bool // of its stream: it may lack its beginning
}

// quoted is one of a container's two streams.
type quoted struct {
	quote   *quote
	stream  *secrets.Stream
	pending string // a line that has no end yet
	begun   bool
}

func newQuote(r *secrets.Redactor) *quote {
	q := &quote{redactor: r}
	q.out = &quoted{quote: q, stream: r.Stream()}
	q.errors = &quoted{quote: q, stream: r.Stream()}
	return q
}

// Write implements io.Writer.
func (s *quoted) Write(p []byte) (int, error) {
	s.quote.read += len(p)
	s.pending += s.stream.Next(string(p))
	for {
		line, rest, ended := strings.Cut(s.pending, "\n")
		if !ended {
			break
		}
		s.quote.count++
		s.add(line)
		s.pending = rest
	}
	if len(s.pending) > 2*quotedBytes { // only its end can be quoted
		s.pending = tail(legible(s.pending, s.quote.redactor), quotedBytes)
	}
	return len(p), nil
}

func (s *quoted) add(line string) {
	s.quote.lines = append(s.quote.lines, quotedLine{tail(legible(line, s.quote.redactor), quotedBytes), !s.begun})
	s.begun = true
	if len(s.quote.lines) > quoteReads {
		s.quote.lines = s.quote.lines[1:]
	}
}

// end adds a last line that has no end. What the redactor still holds may be the beginning
// of a secret.
func (s *quoted) end() {
	if s.pending += remainder(s.stream); s.pending != "" {
		s.add(s.pending)
		s.pending = ""
	}
}

func remainder(s *secrets.Stream) string {
	if rest := s.Rest(); len(rest) < minSecret {
		return rest
	}
	return ""
}

// text returns what to quote.
func (q *quote) text() string {
	q.out.end()
	q.errors.end()
	whole := q.count+q.read/entryBytes+2 < quoteReads // fewer entries than were asked for, so all
	var lines []string
	for _, line := range q.lines {
		if whole || !line.first {
			lines = append(lines, line.text)
		}
	}
	lines = lines[max(0, len(lines)-quotedLines):]
	return strings.TrimRight(tail(strings.Join(lines, "\n"), quotedBytes), "\n")
}

// quoteCheck returns the end of what a health check printed. The engine keeps its beginning
// and marks with dots what it has cut.
func quoteCheck(printed string, r *secrets.Redactor) string {
	cut := len(printed) >= checkBytes
	stream := r.Stream()
	text := stream.Next(strings.TrimSuffix(printed, "..."))
	if rest := stream.Rest(); !cut || len(rest) < minSecret {
		text += rest
	}
	return strings.TrimSpace(tail(legible(text, r), quotedCheck))
}

// legible returns text as valid UTF-8 without control characters other than newlines and
// tabs. What those stood between may be a secret that was not recognized before.
func legible(text string, r *secrets.Redactor) string {
	return r.Redact(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
}

// tail returns the last n bytes of text at most, without half a character at its beginning.
func tail(text string, n int) string { return strings.ToValidUTF8(text[max(0, len(text)-n):], "") }
