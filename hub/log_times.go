package hub

import (
	"bytes"
	"errors"
	"io"

	"berth/core"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/core/stacks"
)

// maxTimedLine is where a line of a log is cut that does not end: further on than workers cut theirs.
const maxTimedLine = 128 << 10

var errNoTimes = fault.New(fault.Conflict, "worker.no_times",
	"The stack's worker is of a release that does not tell when lines of logs were written. Ask for the log without times, or update the worker.")

// noTimes is why a worker is not asked for the times of a log, if it is not.
func (h *Hub) noTimes(ask stacks.LogAsk, id core.WorkerID) error {
	if worker := h.session(id); ask.Times && worker != nil && !worker.times {
		return errNoTimes
	}
	return nil
}

// logWriter takes what a worker says of a log, without secrets once End was called.
type logWriter interface {
	io.Writer
	End() error
}

func hiding(values []secrets.Value, times bool, w io.Writer) logWriter {
	redactor := secrets.NewRedactor(values)
	if times {
		return &timedLog{lines: redactor.Lines(w, maxTimedLine)}
	}
	return redactor.Writer(w)
}

// timedLog takes secrets out of a log whose lines begin with their times: those stay, and tear none.
type timedLog struct {
	lines  *secrets.Lines
	rest   []byte // begin of a line whose end has not come
	inside bool   // of which a part was handed on
}

// Write implements io.Writer.
func (t *timedLog) Write(p []byte) (int, error) {
	t.rest = append(t.rest, p...)
	left := t.rest
	for {
		end := bytes.IndexByte(left, '\n') + 1
		if end == 0 && len(left) < maxTimedLine {
			t.rest = append(t.rest[:0], left...)
			return len(p), nil
		}
		if end == 0 {
			end = len(left)
		}
		if err := t.hand(string(left[:end])); err != nil {
			return 0, err
		}
		left = left[end:]
	}
}

// hand hands on a line, or the part of one that was as long as one may be.
func (t *timedLog) hand(part string) error {
	mark := ""
	if at, text, timed := stacks.CutLineTime(part); timed && !t.inside {
		mark, part = stacks.LineTime(at), text
	}
	t.inside = part == "" || part[len(part)-1] != '\n'
	return t.lines.Write(mark, part)
}

// End writes what was held back, when nothing more will come.
func (t *timedLog) End() error {
	var err error
	if len(t.rest) > 0 {
		err = t.hand(string(t.rest))
	}
	return errors.Join(err, t.lines.End())
}
