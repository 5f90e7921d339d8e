package engine

import (
	"bytes"
	"io"
	"sync"
)

// maxLine is where a line without an end is cut.
const maxLine = 64 << 10

// shared is a writer that several log streams write whole lines to.
type shared struct {
	named bool // lines begin with the name of their stream

	mu sync.Mutex
	w  io.Writer // guarded by mu
}

// lines returns a writer for the stream called name.
func (s *shared) lines(name string) *lineWriter {
	return &lineWriter{to: s, prefix: s.prefix(name)}
}

// prefix is what the lines of the stream called name begin with.
func (s *shared) prefix(name string) string {
	if !s.named {
		return ""
	}
	return name + " | "
}

// lineWriter passes on whole lines, so that streams do not tear each other apart.
type lineWriter struct {
	to      *shared
	prefix  string
	pending []byte
}

// Write keeps what follows the last line end for later.
func (l *lineWriter) Write(p []byte) (int, error) {
	l.pending = append(l.pending, p...)
	end := bytes.LastIndexByte(l.pending, '\n') + 1
	if end == 0 && len(l.pending) >= maxLine {
		l.pending = append(l.pending, '\n')
		end = len(l.pending)
	}
	if end == 0 {
		return len(p), nil
	}
	err := l.pass(l.pending[:end])
	l.pending = append(l.pending[:0], l.pending[end:]...)
	return len(p), err
}

// flush passes on a last line that has no end. Its error shows at the stream's next use.
func (l *lineWriter) flush() {
	if len(l.pending) > 0 {
		_ = l.pass(append(l.pending, '\n'))
		l.pending = nil
	}
}

func (l *lineWriter) pass(lines []byte) error {
	if l.prefix != "" {
		var out bytes.Buffer
		for line := range bytes.Lines(lines) {
			out.WriteString(l.prefix)
			out.Write(line)
		}
		lines = out.Bytes()
	}
	l.to.mu.Lock()
	defer l.to.mu.Unlock()
	_, err := l.to.w.Write(lines)
	return err
}
