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

// barsOf draws deployments that come newest first. Heights grow with the logarithm of the time,
// from a second to ten minutes: what matters is whether something took ten times as long.
func barsOf(all []stacks.Deployment, now time.Time) barChart {
	chart := barChart{Width: overviewBars * barStep, Height: barHeight}
	good, bad := 0, 0
	for i, d := range all {
		b := badgeOf(deploymentBadges, d.State)
		switch b.Tone {
		case "ok":
			good++
		case "bad":
			bad++
		}
		lasted := between(d.StartedAt, d.FinishedAt, now)
		height := barLeast
		if !d.StartedAt.IsZero() {
			end := d.FinishedAt
			if end.IsZero() {
				end = now
			}
			height = heightOf(end.Sub(d.StartedAt))
		}
		title := b.Word
		if lasted != "" {
			title += ", " + lasted
		}
		chart.Bars = append(chart.Bars, bar{X: chart.Width - (i+1)*barStep, Y: barHeight - height, H: height, Tone: b.Tone,
			Title: title + ", " + at(d.QueuedAt, now).UTC})
	}
	chart.Text = fmt.Sprintf("The last %d deployments: %d succeeded, %d failed.", len(all), good, bad)
	return chart
}

func heightOf(d time.Duration) int {
	const longest = 600 // seconds
	share := math.Log1p(max(0, d.Seconds())) / math.Log1p(longest)
	return barLeast + int(min(1, share)*float64(barHeight-barLeast))
}
