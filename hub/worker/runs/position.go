package runs

import (
	"fmt"
	"time"
)

// Position is how far the output of a container was handed on: when the last line of each of its two streams was
// written, by the engine's clock. Between the streams lines are not in the order of their times; within one they are.
type Position struct {
	Out, Err time.Time // zero: nothing of it was
}

// IsZero reports whether nothing was handed on.
func (p Position) IsZero() bool { return p.Out.IsZero() && p.Err.IsZero() }

// String writes a position for somebody who keeps it; empty for the beginning.
func (p Position) String() string {
	if p.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d %d", nanos(p.Out), nanos(p.Err))
}

// ParsePosition reads what String has written. What it has not is the beginning.
func ParsePosition(text string) Position {
	var out, err int64
	if n, problem := fmt.Sscanf(text, "%d %d", &out, &err); n != 2 || problem != nil {
		return Position{}
	}
	return Position{fromNanos(out), fromNanos(err)}
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
