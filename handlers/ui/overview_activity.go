package ui

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// DeploymentTallier counts deployments by when and how they ended; see stacks.Results for what counts.
type DeploymentTallier interface {
	DeploymentTally(ctx context.Context, span stacks.Span) (stacks.Tally, error)
}

// activity is a picture of the deployments that ended lately: a column for each hour of a day, or each
// day of a fortnight, made of how they ended.
type activity struct {
	Span    string // what is drawn
	Text    string // the picture in words
	Width   int
	Height  int
	Peak    int // most in a column
	From    moment
	Columns []column
	Results []segment // what the tones mean, and how many there were in all
	Figures []figure
	Rows    []activityRow // the same as a table, newest first, without the columns of nothing
	Days    bool          // a column is a day, not an hour
}

type column struct {
	X     int
	Title string
	Parts []part // from the ground up
}

type part struct {
	Y, H int
	Tone string
}

// activityRow is a column as a line of a table.
type activityRow struct {
	Day   string // in UTC; empty: When is the hour
	When  moment
	Href  string // deployments that were asked for until its end, newest first
	Words string
	Total int
}

// figure is a number that sums something up.
type figure struct{ Name, Value string }

const (
	columnStep   = 10
	columnHeight = 1000
	partLeast    = 40 // so that one among hundreds is seen
)

// fewDeployments are so few in a day that the fortnight says more.
const fewDeployments = 10

// putActivity draws the last 24 hours by the hour, or the last 14 days by the day where fewer than
// fewDeployments ended in those hours: a handful of columns among empty ones shows nothing.
func (o *overview) putActivity(page *overviewPage) error {
	tally, err := o.reader.DeploymentTally(o.ctx, stacks.LastDay(o.now))
	if err != nil {
		return err
	}
	if ended(tally.Total()) < fewDeployments {
		if tally, err = o.reader.DeploymentTally(o.ctx, stacks.LastFortnight(o.now)); err != nil {
			return err
		}
	}
	page.Activity = activityOf(tally, o.now)
	return nil
}

func ended(counts map[stacks.DeploymentState]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// activityOf draws a tally; nothing when nothing ended in it.
func activityOf(t stacks.Tally, now time.Time) activity {
	total := t.Total()
	a := activity{Days: t.Every >= 24*time.Hour, Width: t.Steps * columnStep, Height: columnHeight, From: at(t.From, now)}
	if ended(total) == 0 {
		return a
	}
	for _, counts := range t.Ended {
		a.Peak = max(a.Peak, ended(counts))
	}
	for _, state := range stacks.Results {
		if total[state] > 0 {
			b := badgeOf(deploymentBadges, state)
			a.Results = append(a.Results, segment{Word: b.Word, Tone: b.Tone, Icon: b.Icon, Count: total[state]})
		}
	}
	for i, counts := range t.Ended {
		a.Columns = append(a.Columns, column{X: i * columnStep, Title: a.stepName(t.Step(i), t.Every) + ": " + inWords(counts), Parts: partsOf(counts, a.Peak)})
	}
	for i := t.Steps - 1; i >= 0; i-- {
		if n := ended(t.Ended[i]); n > 0 {
			a.Rows = append(a.Rows, a.row(t, i, n, now))
		}
	}
	a.Span = "Last 24 hours, by the hour"
	if a.Days {
		a.Span = "Last 14 days, by the day"
	}
	a.Text = fmt.Sprintf("Deployments that ended. %s: %s. At most %d in one of the columns.", a.Span, inWords(total), a.Peak)
	a.Figures = figuresOf(t, total)
	return a
}

// row is step i of a tally as a line of the table.
func (a activity) row(t stacks.Tally, i, total int, now time.Time) activityRow {
	row := activityRow{When: at(t.Step(i), now), Words: inWords(t.Ended[i]), Total: total,
		Href: withQuery("/deployments", url.Values{"after": {core.FirstID(core.PrefixDeployment, t.Step(i+1))}})}
	if a.Days {
		row.Day = a.stepName(t.Step(i), t.Every)
	}
	return row
}

// stepName names the hour or the day that begins then.
func (a activity) stepName(begins time.Time, every time.Duration) string {
	if a.Days {
		return begins.Format("Mon 2 Jan")
	}
	return begins.Format("2 Jan, 15:04") + begins.Add(every).Format(" to 15:04 UTC")
}

// inWords says how many ended how.
func inWords(counts map[stacks.DeploymentState]int) string {
	var parts []string
	for _, state := range stacks.Results {
		if counts[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[state], strings.ToLower(badgeOf(deploymentBadges, state).Word)))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// partsOf stacks what ended in one step. The column of the peak has the whole height.
func partsOf(counts map[stacks.DeploymentState]int, peak int) []part {
	var parts []part
	var numbers []int
	for _, state := range stacks.Results {
		if counts[state] > 0 {
			numbers = append(numbers, counts[state])
			parts = append(parts, part{Tone: badgeOf(deploymentBadges, state).Tone})
		}
	}
	height := max(columnHeight*ended(counts)/peak, partLeast*len(parts))
	y := columnHeight
	for i, h := range portions(numbers, height, partLeast) {
		y -= h
		parts[i].Y, parts[i].H = y, h
	}
	return parts
}
