package jobs

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of a command.
const (
	maxWords   = 1000
	maxCommand = 64 << 10 // bytes altogether
)

// splitWords splits a command into words at blanks. '…' keeps what is inside as it is, "…" too but for \" and \\, and outside of
// quotes \ keeps the next character. Nothing is expanded: there is no shell.
func splitWords(text string) (words []string, err error) {
	s := splitter{rest: text}
	for s.rest != "" {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	s.end()
	return s.words, nil
}

// splitter walks through a command.
type splitter struct {
	rest   string
	word   strings.Builder
	within bool // a word has begun, even when it is empty so far
	words  []string
}

func (s *splitter) end() {
	if s.within {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.within = false
}

func (s *splitter) step() error {
	c := s.rest[0]
	s.rest = s.rest[1:]
	if strings.IndexByte(" \t\r\n", c) >= 0 {
		s.end()
		return nil
	}
	s.within = true
	switch c {
	case '\'':
		inside, after, closed := strings.Cut(s.rest, "'")
		s.word.WriteString(inside)
		s.rest = after
		if !closed {
			return errors.New("the quote ' is never closed")
		}
	case '"':
		return s.doubleQuoted()
	case '\\':
		if s.rest == "" {
			return errors.New(`it ends with \; write \\ for a backslash`)
		}
		_, size := utf8.DecodeRuneInString(s.rest)
		s.word.WriteString(s.rest[:size])
		s.rest = s.rest[size:]
	default:
		s.word.WriteByte(c)
	}
	return nil
}

func (s *splitter) doubleQuoted() error {
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			s.rest = s.rest[i+1:]
			return nil
		case c == '\\' && i+1 < len(s.rest) && (s.rest[i+1] == '"' || s.rest[i+1] == '\\'):
			i++
			s.word.WriteByte(s.rest[i])
		default:
			s.word.WriteByte(c)
		}
	}
	return errors.New(`the quote " is never closed`)
}

// commandProblem says what is wrong with the words of a command; empty when nothing is.
func commandProblem(words []string) string {
	sum := 0
	for _, word := range words {
		sum += len(word)
		if strings.ContainsRune(word, 0) {
			return "no word can contain a NUL character"
		}
	}
	if len(words) > maxWords || sum > maxCommand {
		return fmt.Sprintf("at most %d words of altogether %d KiB", maxWords, maxCommand>>10)
	}
	return ""
}
