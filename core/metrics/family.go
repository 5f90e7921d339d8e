package metrics

import (
	"context"
	"io"
	"strings"

	"berth/core"
)

// Source gives metrics as Prometheus reads them.
type Source interface {
	// All writes the server's own families and those of every worker, each family once.
	// Fault: Unavailable "hub.away".
	All(ctx context.Context, f Format, w io.Writer) error
	// Worker writes what one worker last reported, and whether it is there. Faults:
	// NotFound "worker.not_found", Unavailable "hub.away".
	Worker(ctx context.Context, id core.WorkerID, f Format, w io.Writer) error
}

// Type is the type of a family as the text format spells it.
type Type string

// The types of families.
const (
	TypeCounter   Type = "counter"
	TypeGauge     Type = "gauge"
	TypeHistogram Type = "histogram"
	TypeSummary   Type = "summary"
	TypeUntyped   Type = "untyped"
)

// samples returns the names that nobody but this family may use: those that its series have in the text
// format, and its own name in OpenMetrics.
func (t Type) samples(family string) []string {
	switch t {
	case TypeCounter, TypeGauge:
		if base, ends := strings.CutSuffix(family, map[Type]string{TypeCounter: "_total", TypeGauge: "_info"}[t]); ends {
			return []string{family, base, base + "_created"}
		}
	case TypeHistogram:
		return []string{family, family + "_bucket", family + "_sum", family + "_count", family + "_created"}
	case TypeSummary:
		return []string{family, family + "_sum", family + "_count", family + "_created"}
	}
	return []string{family}
}

// Family is all series of one name from one origin.
type Family struct {
	Name   string
	Type   Type
	Help   string // one line, not yet escaped; empty: none
	Text   []byte // the series, one a line, each line ended
	Series int    // lines in Text
}

// Label is one label of a series.
type Label struct{ Name, Value string }

// Limits of what one worker may report, and of all of it together.
const (
	MaxSnapshot = 1 << 20   // bytes of a snapshot's text, and of what is kept of one worker
	MaxSeries   = 2000      // series of one worker
	MaxLabel    = 2 << 10   // bytes of a label's name, of its value, and of a family's name: readers keep an index of them all
	maxReported = 200       // families of one worker
	maxFamilies = 5000      // family names of all workers together
	maxCached   = 256 << 20 // bytes of what is kept of all workers, compressed pieces of it included
)

// Reason says why a series was dropped; it is the label of berth_metrics_dropped_series_total.
type Reason string

// The reasons for dropping a series.
const (
	Unreadable Reason = "unreadable" // a line that is not in the text format
	Duplicate  Reason = "duplicate"  // the same name and labels twice in one snapshot
	Clash      Reason = "clash"      // another type than the family has elsewhere, or a name of ours
	TooMany    Reason = "too_many"   // beyond a limit in number
	TooLarge   Reason = "too_large"  // beyond a limit in bytes
)

// Validator reads snapshots.
type Validator interface {
	// Validate reads text of at most MaxSnapshot bytes and returns its families by name,
	// every series with labels set on it and without a time stamp, none with a text longer than
	// MaxLabel, at most MaxSeries in all. Whatever is wrong is left out and counted, never more than the lines at fault.
	Validate(text string, labels []Label) ([]Family, map[Reason]int)
}
