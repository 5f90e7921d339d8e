package ui

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"berth/core/fault"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// readLog reads a log of a compose service, without times if its worker is of a release that tells none. begin is
// told whether lines have times before any are written to what it returns.
func readLog(ctx context.Context, logger ServiceLogger, s stacks.Stack, service string, ask stacks.LogAsk, begin func(timed bool) io.Writer) error {
	err := logger.Logs(ctx, s, service, ask, begin(ask.Times))
	if ask.Times && fault.CodeOf(err) == "worker.no_times" {
		ask.Times = false
		err = logger.Logs(ctx, s, service, ask, begin(false))
	}
	return err
}

// serviceLogLine is a line of the log of a compose service.
type serviceLogLine struct {
	at   time.Time // zero: nobody tells
	text string
}

// serviceLogLines takes a log apart whose lines begin with their times, when it is timed.
func serviceLogLines(log string, timed bool) []serviceLogLine {
	var all []serviceLogLine
	for text := range strings.SplitSeq(log, "\n") {
		line := serviceLogLine{text: text}
		if timed {
			line.at, line.text, _ = stacks.CutLineTime(text)
		}
		line.text = lastStroke(line.text)
		all = append(all, line)
	}
	return all
}

// thoseHolding keeps the lines in which text stands.
func thoseHolding(lines []serviceLogLine, text string) []serviceLogLine {
	return slices.DeleteFunc(lines, func(l serviceLogLine) bool { return !holds(l.text, text) })
}

// forScript is a line that is safe to look at, behind its time.
func (l serviceLogLine) forScript() string {
	at := ""
	if !l.at.IsZero() {
		at = timeOfDay(l.at).ISO
	}
	return at + " " + onlyColour(l.text) + "\n"
}

// logLines are the last lines of a log as a page shows them, as far as it has room.
func logLines(ctx context.Context, lines []serviceLogLine) []logLine {
	var shown []logLine
	room, whole := endpoint.Room(ctx)
	for _, line := range slices.Backward(lines) {
		if room -= roomOf(line.text); whole && room < 0 {
			break
		}
		l := logLine{Text: coloured(line.text)}
		if !line.at.IsZero() {
			l.When = timeOfDay(line.at)
		}
		shown = append(shown, l)
	}
	slices.Reverse(shown)
	return sayDays(shown)
}
