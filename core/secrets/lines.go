package secrets

import (
	"io"
	"strings"
)

// Lines takes secrets out of a text whose lines come with a mark each, such as their time, which is put before them.
// Marks are not looked into and tear no secret: one that has several lines is found as in a text without marks, and
// then is, with what stands beside it, one line with the mark of the first. It is used by one goroutine.
type Lines struct {
	to     io.Writer
	limit  int // bytes of a line with its mark, from where on it is ended
	stream *Stream

	marks  []string // of the lines that were taken and have not been written to their ends, oldest first
	inside bool     // what was taken last does not end its line
	length int      // bytes of the line that is being written
}

// Lines returns a Lines onto to.
func (r *Redactor) Lines(to io.Writer, limit int) *Lines {
	return &Lines{to: to, limit: limit, stream: r.Stream()}
}

// Write takes a line, or the next part of one: piece holds a line end at most as its last byte. The mark counts that
// came with a line's first part. What may be the beginning of a secret is held back.
func (l *Lines) Write(mark, piece string) error {
	if piece == "" {
		return nil
	}
	if !l.inside {
		l.marks = append(l.marks, mark)
	}
	l.inside = !strings.HasSuffix(piece, "\n")
	err := l.write(l.stream.Next(piece))
	if l.stream.held == "" {
		l.settle()
	}
	return err
}

// End writes what was held back, when nothing more will come.
func (l *Lines) End() error { return l.write(l.stream.Rest()) }

// settle forgets the marks of lines that a secret covered: all that was taken is written.
func (l *Lines) settle() {
	if !l.inside {
		l.marks = nil
	} else {
		l.marks = l.marks[len(l.marks)-1:]
	}
}

func (l *Lines) write(text string) error {
	if text == "" {
		return nil
	}
	var out strings.Builder
	for part := range strings.Lines(text) {
		if l.length == 0 && len(l.marks) > 0 {
			out.WriteString(l.marks[0])
			l.length = len(l.marks[0])
		}
		out.WriteString(part)
		l.length += len(part)
		switch {
		case strings.HasSuffix(part, "\n"):
			l.length = 0
			l.marks = l.marks[min(1, len(l.marks)):]
		case l.length >= l.limit:
			out.WriteByte('\n')
			l.length = 0
		}
	}
	_, err := io.WriteString(l.to, out.String())
	return err
}
