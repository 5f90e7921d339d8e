package secrets

import (
	"cmp"
	"slices"
	"strings"
)

// Redactor takes secret values out of text: as they are, line by line, and as base64,
// hexadecimal, URL, JSON and shell quoting write them. Values of fewer than four bytes
// and words that occur in all output are left alone. It is safe for concurrent use.
type Redactor struct {
	// texts holds what is looked for by its first four bytes, longest first; heads holds
	// every beginning of one, to see early that a text may have begun.
	texts map[[minForm]byte][]string
	heads map[string]bool // of 1 to 3 bytes
	first [256]bool       // whether any begins with this byte
}

// NewRedactor returns a Redactor for values; one for none changes nothing.
func NewRedactor(values []Value) *Redactor {
	r := &Redactor{texts: map[[minForm]byte][]string{}, heads: map[string]bool{}}
	for _, value := range values {
		for _, text := range forms(value.Reveal()) {
			r.add(text)
		}
	}
	for _, texts := range r.texts {
		slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	}
	return r
}

func (r *Redactor) add(text string) {
	key := [minForm]byte([]byte(text[:minForm]))
	if slices.Contains(r.texts[key], text) {
		return
	}
	r.texts[key] = append(r.texts[key], text)
	r.first[text[0]] = true
	for n := 1; n < minForm; n++ {
		r.heads[text[:n]] = true
	}
}

// Redact returns text with Redacted in place of every secret that is whole in it; what
// several secrets cover together is replaced once. For a text that comes in pieces, use
// a Stream.
func (r *Redactor) Redact(text string) string {
	redacted, _, _ := r.redact(text, 0, true)
	return redacted
}

// redact returns the redacted text up to where a secret may have begun that text does not
// hold to its end, and how many bytes of text that took; with last set it takes all. The
// first covered bytes of text belong to a secret for which Redacted was written already;
// left says the same of what was not taken.
func (r *Redactor) redact(text string, covered int, last bool) (redacted string, taken, left int) {
	var out strings.Builder
	end := covered // text before it is in out, or covered by a secret that is
	for i := range len(text) {
		if !r.first[text[i]] {
			continue
		}
		length, begun := r.match(text[i:])
		if begun && !last {
			out.WriteString(text[min(end, i):i])
			return out.String(), i, max(0, end-i)
		}
		if length > 0 && i >= end {
			out.WriteString(text[end:i])
			out.WriteString(Redacted)
		}
		if length > 0 {
			end = max(end, i+length)
		}
	}
	if end == 0 {
		return text, len(text), 0
	}
	out.WriteString(text[end:])
	return out.String(), len(text), 0
}

// match returns the length of the longest secret that rest begins with, 0 for none, and
// whether rest is the beginning of a longer one.
func (r *Redactor) match(rest string) (length int, begun bool) {
	if len(rest) < minForm {
		return 0, r.heads[rest]
	}
	for _, text := range r.texts[[minForm]byte([]byte(rest[:minForm]))] {
		switch {
		case strings.HasPrefix(rest, text):
			return len(text), begun
		case len(text) > len(rest) && strings.HasPrefix(text, rest):
			begun = true
		}
	}
	return 0, begun
}

// Stream redacts a text that comes in pieces: a secret that is cut by the border of two
// pieces is found as well. It is used by one goroutine.
type Stream struct {
	redactor *Redactor
	held     string // may be the beginning of a secret
	covered  int    // bytes of held that belong to a secret that was replaced already
}

// Stream returns a Stream that holds nothing yet.
func (r *Redactor) Stream() *Stream { return &Stream{redactor: r} }

// Next takes the next piece and returns what can be shown now. It holds back what may be
// the beginning of a secret, which is less than the longest one.
func (s *Stream) Next(piece string) string {
	text := s.held + piece
	redacted, taken, left := s.redactor.redact(text, s.covered, false)
	s.held, s.covered = strings.Clone(text[taken:]), left
	return redacted
}

// Rest returns what was held back, when nothing more will come.
func (s *Stream) Rest() string {
	redacted, _, _ := s.redactor.redact(s.held, s.covered, true)
	s.held, s.covered = "", 0
	return redacted
}
