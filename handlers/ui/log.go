package ui

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"berth/core/jobs"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// logPageSize is how many pieces of a log one page shows.
const logPageSize = 2000

// logView is a stretch of a log, as the part "log" shows it.
type logView struct {
	Lines   []logLine
	Open    bool   // what writes it has not ended
	Unheard bool   // nobody tells how it goes on
	Last    string // number of the last piece shown, for ?after=
	More    string // address of what follows; empty: nothing that is known
	Whole   bool   // the log is over
	// Href is where the log is searched, Search what for, Of how many lines were looked through; Clock says that lines
	// have their times of day, and TimesHref leads to the other kind.
	Href      string
	Search    exact
	Sought    string // the same, to be looked at
	Of        int
	Clock     bool
	TimesHref string
	SaveHref  string // the whole of it as a file
}

// logLine is one line of a log.
type logLine struct {
	At   string // since the start: "1:03"; empty: what is wanted is the time of day
	When moment // of day; empty: it is not asked for, or nobody tells
	On   string // the day, where it is another one than that of the line before
	Text logText
}

// sayDays has the lines say where another day begins.
func sayDays(lines []logLine) []logLine {
	said := ""
	for i := range lines {
		if on, _, _ := strings.Cut(lines[i].When.UTC, ","); on != "" && on != said {
			lines[i].On, said = on+", UTC", on
		}
	}
	return lines
}

// logged is what a log is of.
type logged struct {
	href    string
	open    bool // it has not ended
	unheard bool
	began   time.Time // zero: it has not
	queued  time.Time
}

func loggedRun(r jobs.Run) logged {
	return logged{href: runHref(r.ID), open: !r.State.Ended(), began: r.StartedAt, queued: r.QueuedAt}
}

// logPiece is a piece of the log of a deployment or of a run.
type logPiece struct {
	number uint64
	at     time.Time
	text   string
}

func deploymentPiece(l stacks.LogLine) logPiece { return logPiece{l.Number, l.At, l.Text} }
func runPiece(p jobs.LogPiece) logPiece         { return logPiece{p.Number, p.At, p.Text} }

// logOf shows the pieces of a log that follow the one that was seen last.
func logOf[P any](ctx context.Context, of logged, pieces []P, read func(P) logPiece, look logLook) logView {
	v, from, after := logView{Open: of.open, Unheard: of.unheard, Href: of.href, Search: exact(look.search), Sought: look.search, Clock: look.clock,
		TimesHref: look.otherTimes().href(of.href), SaveHref: logLook{clock: look.clock}.href(of.href + "/log/file")}, of.began, look.after
	if from.IsZero() {
		from = of.queued
	}
	shown := fitting(ctx, pieces, func(p P) string { return read(p).text })
	for _, p := range shown {
		piece := read(p)
		after = piece.number
		lines := strings.Split(strings.TrimRight(piece.text, "\n"), "\n")
		v.Of += len(lines)
		for _, text := range holding(lines, look.search) {
			line := logLine{Text: coloured(lastStroke(text))}
			if look.clock {
				line.When = timeOfDay(piece.at)
			} else {
				line.At = stopwatch(piece.at.Sub(from))
			}
			v.Lines = append(v.Lines, line)
		}
	}
	v.Lines = sayDays(v.Lines)
	v.Last = strconv.FormatUint(after, 10)
	if len(shown) < len(pieces) || len(pieces) == logPageSize {
		v.More = look.next(of.href, after)
	}
	v.Whole = !v.Open && v.More == ""
	return v
}

// fitting returns the first pieces of a log that a page has room for, at least one, where the
// host bounds it: each line has an element of its own, and may hold what must be escaped.
func fitting[P any](ctx context.Context, pieces []P, text func(P) string) []P {
	room, whole := endpoint.Room(ctx)
	if !whole {
		return pieces
	}
	for i, piece := range pieces {
		if room -= roomOf(text(piece)); room < 0 && i > 0 {
			return pieces[:i]
		}
	}
	return pieces
}

// roomOf is how many bytes of a page a text takes, about.
func roomOf(text string) int {
	const element = 250 // bytes, with its time
	return 2*len(text) + element*(1+strings.Count(text, "\n"))
}

// timeOfDay is when a line was said; the script shows it in the viewer's zone.
func timeOfDay(t time.Time) moment {
	t = t.UTC()
	return moment{ISO: t.Format(time.RFC3339), UTC: t.Format("2 Jan 2006, 15:04:05 UTC"), Day: t.Format("15:04:05")}
}

// stopwatch shows a time since the start: "1:03".
func stopwatch(d time.Duration) string {
	seconds := max(0, int(d.Seconds()))
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// lastStroke is what a terminal leaves of a line in which a program went back to its start.
func lastStroke(line string) string {
	line = strings.TrimRight(line, "\r")
	return line[strings.LastIndexByte(line, '\r')+1:]
}
