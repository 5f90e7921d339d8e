package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"berth/core"
	"berth/core/fleet"
)

// ReadingReader tells how the host of a worker was in the last day, oldest first.
type ReadingReader interface {
	Readings(ctx context.Context, id core.WorkerID, now time.Time) ([]fleet.Reading, error)
}

// trend is how one figure of a host went in the last day: a line with what it says in words.
type trend struct {
	Name  string
	Now   string // the newest; empty: it is not known
	Of    string // what that is a part of
	Range string // the lowest and the highest of the day
	Text  string // the picture in words
	Width int
	Line  string // outline of the line, and of what is below it
	Area  string
	Tone  string
}

const trendHeight = 100

// fullMemory is from how many thousandths of memory on somebody is needed.
const fullMemory = 950

// percentOf writes thousandths.
func percentOf(share int) string { return fmt.Sprintf("%d %%", (share+5)/10) }

// trendsOf draws what is known of a host; nothing of one that never told anything.
func trendsOf(all []fleet.Reading, now time.Time) []trend {
	if len(all) == 0 {
		return nil
	}
	last := all[len(all)-1]
	most := max(1000*last.CPUs, 1000)
	for _, r := range all {
		most = max(most, r.Load)
	}
	var drawn []trend
	for _, t := range []struct {
		name, of string
		full     int // what fills the height
		late     int // from how much on somebody is needed; 0: never
		read     func(fleet.Reading) int
		say      func(int) string
	}{
		{"Processors", processorWords(last.CPUs), 1000, 0, func(r fleet.Reading) int { return r.CPU }, percentOf},
		{"Memory", partWords(last.Memory, last.MemoryTotal), 1000, fullMemory, func(r fleet.Reading) int { return fleet.Share(r.Memory, r.MemoryTotal) }, percentOf},
		{"Disk", partWords(last.Disk, last.DiskTotal), 1000, fleet.FullDisk, func(r fleet.Reading) int { return fleet.Share(r.Disk, r.DiskTotal) }, percentOf},
		{"Load", "over 1 minute", most, 0, func(r fleet.Reading) int { return r.Load }, func(v int) string { return fmt.Sprintf("%.2f", float64(v)/1000) }},
	} {
		values := make([]int, len(all))
		for i, r := range all {
			values[i] = t.read(r)
		}
		known := slices.DeleteFunc(slices.Clone(values), func(v int) bool { return v == fleet.Unread })
		if len(known) == 0 {
			continue
		}
		d := trend{Name: t.name, Of: t.of, Width: fleet.Readings, Tone: "busy", Range: t.say(slices.Min(known)) + " to " + t.say(slices.Max(known))}
		if newest := values[len(values)-1]; newest != fleet.Unread {
			d.Now = t.say(newest)
			if t.late > 0 && newest >= t.late {
				d.Tone = "bad"
			}
		}
		d.Line, d.Area = outline(all, values, t.full, now)
		d.Text = fmt.Sprintf("%s in the last 24 hours: from %s", t.name, d.Range)
		if d.Now != "" {
			d.Text += ", last " + d.Now
		}
		d.Text += "."
		drawn = append(drawn, d)
	}
	return drawn
}

func processorWords(n int) string {
	switch {
	case n < 1:
		return "busy"
	case n == 1:
		return "of one processor"
	}
	return fmt.Sprintf("of %d processors", n)
}

func partWords(used, total int64) string {
	if used < 0 || total <= 0 {
		return ""
	}
	return sizeOf(used) + " of " + sizeOf(total)
}

// outline draws values over the last day, the newest at the right, and what is below them. Where readings are missing it
// is broken off.
func outline(all []fleet.Reading, values []int, full int, now time.Time) (line, area string) {
	var l, a strings.Builder
	begun, before := 0, time.Time{}
	ground := func() {
		if a.Len() > 0 {
			fmt.Fprintf(&a, "V%dH%dZ", trendHeight, begun)
		}
	}
	for i, v := range values {
		if v == fleet.Unread {
			continue
		}
		x, y := fleet.Readings-int(now.Sub(all[i].At)/fleet.ReadingEvery), trendHeight-trendHeight*min(v, full)/full
		step := fmt.Sprintf("L%d %d", x, y)
		if all[i].At.Sub(before) > 3*fleet.ReadingEvery {
			ground()
			begun, step = x-1, fmt.Sprintf("M%d %dh1", x-1, y) // a single reading is seen, too
		}
		l.WriteString(step)
		a.WriteString(step)
		before = all[i].At
	}
	ground()
	return l.String(), a.String()
}
