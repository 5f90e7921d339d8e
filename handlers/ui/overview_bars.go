package ui

import (
	"fmt"
	"math"
	"time"

	"berth/core/stacks"
)

// barChart is a picture of the newest deployments, oldest first: one bar each, as high as
// it took long, in the tone of how it ended.
type barChart struct {
	Bars   []bar
	Width  int
	Height int
	Text   string // the same in words
}

type bar struct {
	X, Y, H     int
	Tone, Title string
}

const (
	barStep   = 10
	barHeight = 48
	barLeast  = 4
)

// shortest is the time up to which the highest bar would be no higher.
const shortest = 10 * time.Second

// barsOf draws deployments that come newest first. Heights grow with the logarithm of the time:
// what matters is whether something took ten times as long.
func barsOf(all []stacks.Deployment, now time.Time) barChart {
	chart := barChart{Width: overviewBars * barStep, Height: barHeight}
	longest := shortest
	for _, d := range all {
		longest = max(longest, lasted(d, now))
	}
	good, bad := 0, 0
	for i, d := range all {
		b := badgeOf(deploymentBadges, d.State)
		switch b.Tone {
		case "ok":
			good++
		case "bad":
			bad++
		}
		height := heightOf(lasted(d, now), longest)
		title := b.Word
		if !d.StartedAt.IsZero() {
			title += ", " + took(lasted(d, now))
		}
		chart.Bars = append(chart.Bars, bar{X: chart.Width - (i+1)*barStep, Y: barHeight - height, H: height, Tone: b.Tone,
			Title: title + ", " + at(d.QueuedAt, now).UTC})
	}
	chart.Text = fmt.Sprintf("The last %d deployments: %d succeeded, %d failed.", len(all), good, bad)
	return chart
}

// lasted is how long a deployment took, up to now while it has not ended; 0 when it has not begun.
func lasted(d stacks.Deployment, now time.Time) time.Duration {
	if d.StartedAt.IsZero() {
		return 0
	}
	if !d.FinishedAt.IsZero() {
		now = d.FinishedAt
	}
	return max(0, now.Sub(d.StartedAt))
}

func heightOf(d, longest time.Duration) int {
	share := math.Log1p(d.Seconds()) / math.Log1p(longest.Seconds())
	return barLeast + int(min(1, share)*float64(barHeight-barLeast))
}
