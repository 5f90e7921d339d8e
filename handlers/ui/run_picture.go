package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"berth/core/jobs"
)

// runPicture draws the newest runs of a job, oldest first: a bar for each, as high as it took long, in the
// tone of how it ended.
type runPicture struct {
	Text  string // the picture in words; empty: there is nothing to draw
	Width int
	Top   string // how long a bar of the whole height took; empty: none took any time
	Bars  []runBar
	Tones []tonePath // the same bars, those of one tone as one shape: a list draws many pictures
}

// tonePath is the outline of all bars of one tone.
type tonePath struct{ Tone, D string }

type runBar struct {
	X, Y, H int
	Tone    string
	Title   string
}

const (
	pictureRuns = 30
	barStep     = 10
	barWidth    = 8
	barHeight   = 100
	barLeast    = 12 // of one that took no time, so that it is seen
)

// pictureOf draws runs, which are newest first. Those that are fewer than pictureRuns stand at the end.
func pictureOf(newest []jobs.Run, now time.Time, hub hubNotice) runPicture {
	newest = newest[:min(len(newest), pictureRuns)]
	if len(newest) == 0 {
		return runPicture{}
	}
	p := runPicture{Width: pictureRuns * barStep}
	longest, counts := time.Duration(0), map[jobs.RunState]int{}
	for _, r := range newest {
		longest = max(longest, lasted(r, now, hub))
		counts[r.State]++
	}
	p.Text = pictureWords(newest, counts, longest, lasted(newest[0], now, hub))
	if longest > 0 {
		p.Top = took(longest)
	}
	x := p.Width - len(newest)*barStep
	for _, r := range slices.Backward(newest) {
		height := barLeast
		if longest > 0 {
			height += int(int64(barHeight-barLeast) * int64(lasted(r, now, hub)) / int64(longest))
		}
		p.Bars = append(p.Bars, runBar{X: x, Y: barHeight - height, H: height, Tone: badgeOf(runBadges, r.State).Tone})
		x += barStep
	}
	p.Tones = tonesOf(p.Bars)
	return p
}

// titled says of each bar which run it is: where a picture stands alone, somebody points at them.
func (p runPicture) titled(newest []jobs.Run, now time.Time, hub hubNotice) runPicture {
	for i := range p.Bars {
		r := newest[len(p.Bars)-1-i]
		p.Bars[i].Title = barTitle(r, lasted(r, now, hub))
	}
	return p
}

func tonesOf(bars []runBar) (all []tonePath) {
	outlines := map[string][]byte{}
	for _, b := range bars {
		outlines[b.Tone] = fmt.Appendf(outlines[b.Tone], "M%d %dh%dv%dh-%dZ", b.X, b.Y, barWidth, b.H, barWidth)
	}
	for _, tone := range slices.Sorted(maps.Keys(outlines)) {
		all = append(all, tonePath{tone, string(outlines[tone])})
	}
	return all
}

// lasted is how long a run took, or has taken so far; 0 when it did not begin, or when nobody hears how it goes.
func lasted(r jobs.Run, now time.Time, hub hubNotice) time.Duration {
	switch {
	case r.StartedAt.IsZero(), hub.Away && r.FinishedAt.IsZero():
		return 0
	case r.FinishedAt.IsZero():
		return max(0, now.Sub(r.StartedAt))
	}
	return max(0, r.FinishedAt.Sub(r.StartedAt))
}

// pictureWords says what a picture shows: how they ended, and how long they took.
func pictureWords(newest []jobs.Run, counts map[jobs.RunState]int, longest, last time.Duration) string {
	text := fmt.Sprintf("The last %d runs, oldest first: ", len(newest))
	if len(newest) == 1 {
		text = "The only run so far: "
	}
	var parts []string
	for _, state := range runStates {
		switch n := counts[state]; {
		case n > 0 && len(newest) == 1:
			parts = append(parts, strings.ToLower(badgeOf(runBadges, state).Word))
		case n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ToLower(badgeOf(runBadges, state).Word)))
		}
	}
	text += strings.Join(parts, ", ") + "."
	if longest > 0 && len(newest) == 1 {
		return text + " It took " + took(longest) + "."
	}
	if longest > 0 {
		text += " The longest took " + took(longest)
		if last > 0 {
			text += ", the newest " + took(last)
		}
		text += "."
	}
	return text
}

func barTitle(r jobs.Run, d time.Duration) string {
	text := clockIn(r.QueuedAt, time.UTC) + ": " + strings.ToLower(badgeOf(runBadges, r.State).Word)
	if d > 0 {
		text += ", " + took(d)
	}
	return text
}
