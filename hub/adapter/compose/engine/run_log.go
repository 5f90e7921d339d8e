package engine

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/moby/moby/client"

	"berth/core/secrets"
	"berth/hub/worker/runs"
)

// FollowRun hands on a container's output. See runs.Engine. What an engine follows may end early, or
// before the last lines: it is read on, without being followed, until the container has ended and nothing is new.
func (e *Engine) FollowRun(ctx context.Context, name string, ask runs.LogAsk, line func(at time.Time, text string) error) error {
	inspected, err := e.docker.ContainerInspect(ctx, name, client.ContainerInspectOptions{})
	if err != nil {
		return e.unread(ctx, err, asIs)
	}
	environment := map[string]string{}
	for _, secret := range ask.Secret {
		environment[secret] = "${" + secret + "}"
	}
	l := &runLog{last: ask.After, redactor: secrets.NewRedactor(observed{inspected: inspected.Container}.secretsIn(environment)), line: line}
	for follow := runContainer(inspected.Container).State == runs.Running; ; {
		if err := e.readRun(ctx, name, follow, l); err != nil {
			return e.unread(ctx, err, asIs)
		}
		if !follow {
			return nil
		}
		c, found, err := e.FindRun(ctx, name)
		if err != nil || !found {
			return err
		}
		follow = c.State == runs.Running
	}
}

func (e *Engine) readRun(ctx context.Context, name string, follow bool, l *runLog) error {
	options := client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Timestamps: true, Follow: follow}
	if !l.last.IsZero() {
		options.Since = fmt.Sprintf("%d.%09d", l.last.Unix(), l.last.Nanosecond())
	}
	stream, err := e.docker.ContainerLogs(ctx, name, options)
	if err != nil {
		return err
	}
	defer stream.Close()
	if err := l.read(bufio.NewReader(stream)); err != nil || follow {
		return err // what has no end yet is read again
	}
	return l.end()
}

// runLog reads a run's output as the engine keeps it: entries with their time, of which one that does not end a line
// is continued by the next of its stream.
type runLog struct {
	redactor *secrets.Redactor
	line     func(at time.Time, text string) error

	last    time.Time // of what was handed on
	alike   int       // lines that were handed on and written at that moment
	skip    int       // of them, those that this reading begins with
	pending [4]*runLine
}

// runLine is a line without its end.
type runLine struct {
	at     time.Time
	stream *secrets.Stream
	text   strings.Builder
}

// maxEntry bounds what one entry may claim to be; engines cut at 16 KiB.
const maxEntry = 1 << 20

// clockStep is how far back an entry's time may lie without the clock having been set: two streams do not come
// in order, by very little.
const clockStep = time.Second

func (l *runLog) read(r *bufio.Reader) error {
	l.skip, l.pending = l.alike, [4]*runLine{}
	var header [8]byte
	for {
		if _, err := io.ReadFull(r, header[:]); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = nil // the engine was stopped in the middle; FollowRun looks what is
			}
			return err
		}
		size := binary.BigEndian.Uint32(header[4:])
		if int(header[0]) >= len(l.pending) || size > maxEntry {
			return errors.New("it sent a log that is none")
		}
		entry := make([]byte, size)
		if _, err := io.ReadFull(r, entry); err != nil {
			return nil
		}
		if err := l.entry(header[0], string(entry)); err != nil {
			return err
		}
	}
}

// entry takes in what was written at once, or the part of it that fits an entry.
func (l *runLog) entry(stream byte, entry string) error {
	written, text, _ := strings.Cut(entry, " ")
	at, err := time.Parse(time.RFC3339Nano, written)
	if err != nil {
		return errors.New("it sent a log without times")
	}
	p := l.pending[stream]
	if p == nil {
		p = &runLine{at: at, stream: l.redactor.Stream()}
		l.pending[stream] = p
	}
	text, ended := strings.CutSuffix(text, "\n")
	p.text.WriteString(p.stream.Next(text))
	if !ended && p.text.Len() < maxLine {
		return nil
	}
	l.pending[stream] = nil
	p.text.WriteString(p.stream.Rest())
	return l.pass(p.at, p.text.String())
}

// end hands on what the program ended without ending its line.
func (l *runLog) end() error {
	for i, p := range l.pending {
		if p == nil {
			continue
		}
		l.pending[i] = nil
		p.text.WriteString(p.stream.Rest())
		if err := l.pass(p.at, p.text.String()); err != nil {
			return err
		}
	}
	return nil
}

// pass hands a line on, unless it was before.
func (l *runLog) pass(at time.Time, text string) error {
	switch step := at.Sub(l.last); {
	case step == 0 && l.skip > 0:
		l.skip--
		return nil
	case step == 0 && l.alike == 0:
		return nil // of somebody who asked for what was written after
	case step == 0:
		l.alike++
	case step > 0, step < -clockStep:
		l.last, l.alike, l.skip = at, 1, 0
	}
	return l.line(l.last, text)
}
