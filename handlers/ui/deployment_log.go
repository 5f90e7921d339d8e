package ui

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// logLine is one line of a log.
type logLine struct {
	At   string // since the start: "1:03"
	Text string
}

// putLog adds the pieces that follow the numbered one, of which so many were read.
func (p *deploymentPage) putLog(d stacks.Deployment, pieces []stacks.LogLine, read int, after uint64) {
	from := d.StartedAt
	if from.IsZero() {
		from = d.QueuedAt
	}
	for _, piece := range pieces {
		after = piece.Number
		for text := range strings.SplitSeq(strings.TrimRight(piece.Text, "\n"), "\n") {
			p.Log = append(p.Log, logLine{At: stopwatch(piece.At.Sub(from)), Text: lastStroke(text)})
		}
	}
	p.Last = strconv.FormatUint(after, 10)
	if len(pieces) < read || read == logPageSize {
		p.More = deploymentHref(d.ID) + "?after=" + p.Last
	}
	p.Whole = !p.Open && p.More == ""
}

// fitting returns the first pieces of a log that a page has room for, at least one, where the
// host bounds it: each line has an element of its own, and may hold what must be escaped.
func fitting[P any](ctx context.Context, pieces []P, text func(P) string) []P {
	room, whole := endpoint.Room(ctx)
	if !whole {
		return pieces
	}
	const element = 150 // bytes
	for i, piece := range pieces {
		said := text(piece)
		if room -= 2*len(said) + element*(1+strings.Count(said, "\n")); room < 0 && i > 0 {
			return pieces[:i]
		}
	}
	return pieces
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
