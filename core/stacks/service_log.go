package stacks

import (
	"strings"
	"time"
)

// LogAsk says what of a compose service's log is wanted.
type LogAsk struct {
	Tail   int  // lines, from its end
	Follow bool // and new ones, as long as somebody listens
	Times  bool // each line begins with its LineTime
}

// lineTime has as many digits on every line, so that lines stand one below the other and sort by their text.
const lineTime = "2006-01-02T15:04:05.000000000Z"

// LineTime is what a line of a log begins with that was asked for with times: when it was written, as
// RFC 3339 in UTC to the nanosecond, and a space. The name of a container, where several are read, follows.
func LineTime(at time.Time) string { return at.UTC().Format(lineTime) + " " }

// CutLineTime takes the LineTime off a line. What does not begin with one has no time, and is all text.
func CutLineTime(line string) (at time.Time, text string, timed bool) {
	written, text, found := strings.Cut(line, " ")
	if !found || len(written) != len(lineTime) {
		return time.Time{}, line, false
	}
	at, err := time.Parse(lineTime, written)
	if err != nil {
		return time.Time{}, line, false
	}
	return at, text, true
}
