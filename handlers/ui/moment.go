package ui

import (
	"fmt"
	"strings"
	"time"
)

// moment is a point in time as pages show it: in words now, in UTC on hover. The script
// shows the viewer's own zone instead.
type moment struct {
	ISO string // for the machine; empty: never
	Ago string // coarse, so that a page does not differ with every second
	For string // how long it is ago
	Due string // how long it is ahead
	UTC string
	Day string // day and time of day, for what is planned
}

// at makes the moment that t is, seen from now.
func at(t, now time.Time) moment {
	if t.IsZero() {
		return moment{}
	}
	t = t.UTC()
	return moment{ISO: t.Format(time.RFC3339), Ago: ago(now.Sub(t), t, now), For: coarse(max(0, now.Sub(t))), Due: due(t.Sub(now)), UTC: t.Format("2 Jan 2006, 15:04:05 UTC"), Day: clockIn(t, time.UTC)}
}

func ago(d time.Duration, t, now time.Time) string {
	switch {
	case d < -time.Minute:
		return "in " + coarse(-d)
	case d < time.Minute:
		return "just now"
	case d < 30*24*time.Hour:
		return coarse(d) + " ago"
	case t.Year() == now.UTC().Year():
		return t.Format("2 Jan")
	}
	return t.Format("2 Jan 2006")
}

// due says when something that was planned comes.
func due(d time.Duration) string {
	if d < time.Minute {
		return "in a moment"
	}
	return "in " + coarse(d)
}

func coarse(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "<1 min"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// took says how long something took, to two figures that matter.
func took(d time.Duration) string {
	switch {
	case d < 0:
		return ""
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}

// spell writes a duration that somebody chose: "5 min", "1 min 30 s".
func spell(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		of   time.Duration
		word string
	}{{time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / unit.of; n > 0 {
			parts, d = append(parts, fmt.Sprintf("%d %s", n, unit.word)), d%unit.of
		}
	}
	if len(parts) == 0 {
		return took(d)
	}
	return strings.Join(parts, " ")
}

// between is how long it took from one time to another, or to now while it has not ended; empty
// when it has not begun.
func between(from, to, now time.Time) string {
	switch {
	case from.IsZero():
		return ""
	case to.IsZero():
		to = now
	}
	return took(max(0, to.Sub(from)))
}
