package engine

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"time"
)

// entry is what a container wrote at once, or the part of it that the engine keeps in one: one that does not end a
// line is continued by the next of its stream.
type entry struct {
	stream byte // stdout or stderr
	at     time.Time
	text   string // a line end is its last byte
}

// How the engine sends entries, when it is asked for their times.
const (
	stdout     = 1
	stderr     = 2
	headerSize = 8
	maxEntry   = 1 << 20  // what one entry may claim to be; engines cut at 16 KiB
	maxPart    = 16 << 10 // where they do
	maxTime    = 64       // bytes of the time before an entry, and the space behind it
)

var (
	errNoLog   = errors.New("it sent a log that is none")
	errNoTimes = errors.New("it sent a log without times")
)

// readEntries hands on what a container wrote whose two streams are told apart. A log that is cut ends there: the
// engine was stopped in the middle.
func readEntries(r *bufio.Reader, each func(e entry) error) error {
	var header [headerSize]byte
	for {
		if _, err := io.ReadFull(r, header[:]); err != nil {
			return unlessCut(err)
		}
		size := binary.BigEndian.Uint32(header[4:])
		if header[0] != stdout && header[0] != stderr || size > maxEntry {
			return errNoLog
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(r, text); err != nil {
			return nil
		}
		written, said, _ := strings.Cut(string(text), " ")
		at, err := time.Parse(time.RFC3339Nano, written)
		if err != nil {
			return errNoTimes
		}
		if err := each(entry{header[0], at, said}); err != nil {
			return err
		}
	}
}

// readTerminal hands on what a container with a terminal wrote. Nothing but the line end stands between two entries,
// and nothing at all where the engine cut a line: there the time of the next part is looked for, which would
// otherwise stand within what was written, and could tear a secret.
func readTerminal(r *bufio.Reader, each func(e entry) error) error {
	for {
		at, err := readTime(r)
		for over := false; err == nil && !over; {
			var e entry
			if e, over, err = readPart(r, at); e.text != "" {
				if err := each(e); err != nil {
					return err
				}
			}
			over = over || err == nil && timeIsNext(r)
		}
		if err != nil {
			return unlessCut(err)
		}
	}
}

// readTime reads the time before an entry.
func readTime(r *bufio.Reader) (time.Time, error) {
	written, err := r.ReadSlice(' ')
	if err != nil {
		return time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, strings.TrimSuffix(string(written), " "))
	if err != nil {
		return time.Time{}, errNoTimes
	}
	return at, nil
}

// readPart reads up to the end of a line, or to where the engine may have cut it.
func readPart(r *bufio.Reader, at time.Time) (e entry, ended bool, err error) {
	var text []byte
	for len(text) < maxPart && !ended && err == nil {
		var b byte
		if b, err = r.ReadByte(); err == nil {
			text = append(text, b)
			ended = b == '\n'
		}
	}
	return entry{stdout, at, string(text)}, ended, err
}

// timeIsNext reports whether what comes now begins with a time.
func timeIsNext(r *bufio.Reader) bool {
	next, _ := r.Peek(maxTime)
	written, _, found := strings.Cut(string(next), " ")
	_, err := time.Parse(time.RFC3339Nano, written)
	return found && err == nil
}

// unlessCut is the error that ended a log, unless the log just was over there.
func unlessCut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}
