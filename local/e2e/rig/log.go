package rig

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// Log keeps what a part of the program logged. Its methods may be called at the same time.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns all that was logged so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Has reports whether a line holds each of these texts.
func (l *Log) Has(texts ...string) bool {
	for line := range strings.Lines(l.String()) {
		all := true
		for _, text := range texts {
			all = all && strings.Contains(line, text)
		}
		if all {
			return true
		}
	}
	return false
}

// Tail returns the last n lines but those about requests, of which waiting makes many.
func (l *Log) Tail(n int) string {
	lines := slices.DeleteFunc(strings.Split(strings.TrimRight(l.String(), "\n"), "\n"), func(line string) bool { return strings.Contains(line, "msg=request ") })
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
