package metrics

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// answer is what one hub said to a scrape, read family by family, in the order of their names.
type answer struct {
	from   *bufio.Reader
	name   string // of the family that is read; empty at the end
	header []byte // its HELP and TYPE lines; good until next
	ahead  []byte // a line that was read and belongs to what follows; nil: none
	long   []byte // room for lines that are longer than the reader's
	err    error  // of reading, io.EOF apart
}

// helpWord begins the first line of each family, as header writes it.
var helpWord = []byte("# HELP ")

// readAnswer begins to read an answer, which may be compressed.
func readAnswer(text []byte) (*answer, error) {
	var from io.Reader = bytes.NewReader(text)
	if Compressed(text) {
		unzipped, err := gzip.NewReader(from)
		if err != nil {
			return nil, unreadable(err)
		}
		from = unzipped
	}
	a := &answer{from: bufio.NewReaderSize(from, piece)}
	return a, a.next()
}

func unreadable(err error) error {
	return fmt.Errorf("metrics: what a hub answered cannot be read: %w", err)
}

// next goes on to the next family, past whatever is left of this one. What is no exposition, and a family
// that does not come after the one before, nobody writes who is to be believed: it is left out.
func (a *answer) next() error {
	last := a.name
	for a.name = ""; ; {
		line := a.line()
		if line == nil {
			return a.err
		}
		name, isHelp := bytes.CutPrefix(line, helpWord)
		if !isHelp {
			continue
		}
		a.header = append(a.header[:0], line...)
		word, _, _ := strings.Cut(strings.TrimSuffix(string(name), "\n"), " ")
		if kind := a.line(); bytes.HasPrefix(kind, helpWord) {
			a.ahead = kind
		} else {
			a.header = append(a.header, kind...)
		}
		if word > last {
			a.name = word
			return a.err
		}
	}
}

// series calls each with every line of the family, which is good until it returns.
func (a *answer) series(each func(line []byte)) {
	for line := a.line(); line != nil; line = a.line() {
		if bytes.HasPrefix(line, helpWord) {
			a.ahead = line
			return
		}
		each(line)
	}
}

// line returns the next line with its end, good until the next call; nil at the end, or when nothing more can be read.
func (a *answer) line() []byte {
	if line := a.ahead; line != nil {
		a.ahead = nil
		return line
	}
	a.long = a.long[:0]
	for {
		part, err := a.from.ReadSlice('\n')
		switch {
		case err == nil && len(a.long) == 0:
			return part
		case err == nil || errors.Is(err, bufio.ErrBufferFull):
			a.long = append(a.long, part...)
			if err == nil {
				return a.long
			}
		case errors.Is(err, io.EOF):
			return nil // what has no end is no line
		default:
			a.err = unreadable(err)
			return nil
		}
	}
}

// cutLine returns the first line with its end, and what follows.
func cutLine(text []byte) (line, rest []byte) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1], text[i+1:]
	}
	return text, nil
}

// typeOf returns the TYPE line of a header.
func typeOf(header []byte) []byte {
	_, line := cutLine(header)
	return line
}
