package engine

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/moby/moby/client"

	"berth/core/secrets"
	"berth/hub/worker/runs"
)

// FollowRun hands on a container's output. See runs.Engine. What an engine follows may end early, or
// before the last lines: it is read on, without being followed, until the container has ended and nothing is new.
func (e *Engine) FollowRun(ctx context.Context, name string, ask runs.LogAsk, line func(to runs.Position, text string) error) error {
	inspected, err := e.docker.ContainerInspect(ctx, name, client.ContainerInspectOptions{})
	if err != nil {
		return e.unread(ctx, err, asIs)
	}
	environment := map[string]string{}
	for _, secret := range ask.Secret {
		environment[secret] = "${" + secret + "}"
	}
	l := newRunLog(ask.After, secrets.NewRedactor(observed{inspected: inspected.Container}.secretsIn(environment)), line)
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
	options := client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Timestamps: true, Follow: follow, Since: l.since()}
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

// runLog reads a run's output as the engine keeps it: entries with their stream and their time, of which one that does
// not end a line is continued by the next of its stream. It may read again what was handed on: the times of one stream
// rise, so that it knows what that was. The engine writes the streams in any order.
type runLog struct {
	redactor *secrets.Redactor
	line     func(to runs.Position, text string) error
	streams  [3]runStream // by the engine's numbers; there is no first
}

type runStream struct {
	last    time.Time // of what was handed on
	alike   int       // lines that were handed on and written at that moment; 0: all of them, as far as is known
	skip    int       // of them, those that this reading still meets
	fresh   bool      // what this reading meets now was not handed on
	gap     bool      // this reading has to meet what was handed on last, and has not
	pending *runLine
}

// runLine is a line without its end.
type runLine struct {
	at     time.Time
	stream *secrets.Stream
	text   strings.Builder
}

// apart is how far the times of two streams may be apart where their lines are side by side.
const apart = 10 * time.Second

func newRunLog(after runs.Position, r *secrets.Redactor, line func(to runs.Position, text string) error) *runLog {
	l := &runLog{redactor: r, line: line}
	l.streams[stdout].last, l.streams[stderr].last = after.Out, after.Err
	return l
}

func (l *runLog) position() runs.Position {
	return runs.Position{Out: l.streams[stdout].last, Err: l.streams[stderr].last}
}

// since is from where on the engine is asked; empty: from the beginning.
func (l *runLog) since() string {
	newest := l.newest()
	if newest.IsZero() {
		return ""
	}
	from := newest.Add(-apart)
	return fmt.Sprintf("%d.%09d", from.Unix(), from.Nanosecond())
}

// newest returns when the newest line was written that was handed on.
func (l *runLog) newest() time.Time {
	p := l.position()
	if p.Err.After(p.Out) {
		return p.Err
	}
	return p.Out
}

// gapMark stands where the engine does not have any more what was to come next: it keeps a few files of a log.
const gapMark = "… lines are missing here: the container wrote more than its engine keeps …"

func (l *runLog) read(r *bufio.Reader) error {
	for i := range l.streams {
		s := &l.streams[i]
		s.skip, s.fresh, s.pending = s.alike, s.last.IsZero(), nil
		s.gap = !s.fresh && s.last.Equal(l.newest()) // of the other the engine was not asked for it
	}
	return readEntries(r, l.take) // where it was cut, FollowRun looks what is
}

// take takes in an entry.
func (l *runLog) take(e entry) error {
	s := &l.streams[e.stream]
	if s.pending == nil {
		s.pending = &runLine{at: e.at, stream: l.redactor.Stream()}
	}
	p := s.pending
	text, ended := strings.CutSuffix(e.text, "\n")
	p.text.WriteString(p.stream.Next(text))
	if !ended && p.text.Len() < maxLine {
		return nil
	}
	return l.pass(s)
}

// end hands on what the program ended without ending its line.
func (l *runLog) end() error {
	for i := range l.streams {
		if s := &l.streams[i]; s.pending != nil {
			if err := l.pass(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// pass hands on the line that is pending, unless it was before.
func (l *runLog) pass(s *runStream) error {
	p := s.pending
	s.pending = nil
	if s.met(p.at) {
		return nil
	}
	if s.gap {
		s.gap = false
		if err := l.line(l.position(), gapMark); err != nil {
			return err
		}
	}
	if p.at.Equal(s.last) {
		s.alike++
	} else {
		s.last, s.alike = p.at, 1
	}
	p.text.WriteString(p.stream.Rest())
	return l.line(l.position(), p.text.String())
}

// met reports whether a line of this time was handed on before. From the first that was not on, all are new, also where
// the clock was set back.
func (s *runStream) met(at time.Time) bool {
	switch {
	case s.fresh:
	case at.Before(s.last), at.Equal(s.last) && s.alike == 0:
		s.gap = false
		return true
	case at.Equal(s.last) && s.skip > 0:
		s.skip--
		s.gap = false
		return true
	}
	s.fresh = true
	return false
}
