package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// figure is one line of the table.
type figure struct {
	name   string
	result string
	goal   string // empty: none is set
	met    bool   // of the goal
}

func (f figure) verdict() string {
	switch {
	case f.goal == "":
		return ""
	case f.met:
		return "met"
	}
	return "MISSED"
}

// print writes figures as a table.
func print(out io.Writer, figures []figure) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintf(table, "  FIGURE\tRESULT\tGOAL\t\n")
	for _, f := range figures {
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", f.name, f.result, f.goal, f.verdict())
	}
	return table.Flush()
}

// median returns the middle of values, the mean of the two middle ones when their
// number is even, and zero when there are none. It leaves values as they are.
func median[T ~int64 | ~float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// spread shows a median with the extremes around it.
func spread(values []time.Duration) string {
	if len(values) == 0 {
		return "-"
	}
	return fmt.Sprintf("%s (%s to %s)", ms(median(values)), ms(slices.Min(values)), ms(slices.Max(values)))
}

// ms shows a duration in whole milliseconds, below ten with one decimal.
func ms(d time.Duration) string {
	value := float64(d) / float64(time.Millisecond)
	if value < 10 && value > -10 {
		return fmt.Sprintf("%.1f ms", value)
	}
	return fmt.Sprintf("%.0f ms", value)
}

// megabytes shows bytes in MB.
func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// ratio returns a / b; zero when b is none.
func ratio(a, b time.Duration) float64 {
	if b <= 0 {
		return 0
	}
	return float64(a) / float64(b)
}
