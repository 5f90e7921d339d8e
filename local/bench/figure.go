package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// figure is one line of the table, or a note below it.
type figure struct {
	name   string
	result string
	goal   string // empty: none is set
	met    bool   // of the goal
	note   string // alone: text that would make the table too wide
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

// printTable writes figures as a table, and their notes below it.
func printTable(out io.Writer, figures []figure) error {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	fmt.Fprintf(table, "  FIGURE\tRESULT\tGOAL\t\n")
	for _, f := range figures {
		if f.note == "" {
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", f.name, f.result, f.goal, f.verdict())
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, f := range figures {
		if f.note != "" {
			fmt.Fprintf(&text, "  %s\n", f.note)
		}
	}
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(out, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
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
