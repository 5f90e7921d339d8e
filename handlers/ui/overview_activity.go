package ui

import (
	"context"
	"fmt"
	"net/url"
	"slices"
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
	Top     int // how many a column of the whole height has
	From    moment
	Columns []column
	Results []segment // what the tones mean, and how many there were in all
	Figures []figure
	Rows    []activityRow // the same as a table, newest first, without the columns of nothing
	Days    bool          // a column is a day, not an hour
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
	most := 0
	for _, counts := range t.Ended {
		most = max(most, ended(counts))
	}
	a.Top = max(most, leastTop)
	for _, state := range stacks.Results {
		if total[state] > 0 {
			b := badgeOf(deploymentBadges, state)
			a.Results = append(a.Results, segment{Word: b.Word, Tone: b.Tone, Icon: b.Icon, Count: total[state]})
		}
	}
	for i, counts := range t.Ended {
		a.Columns = append(a.Columns, column{X: i * columnStep, Title: a.stepName(t.Step(i), t.Every) + ": " + inWords(counts), Parts: partsOf(counts, a.Top)})
	}
	a.Rows = a.rows(t, now)
	a.Figures = figuresOf(t, total)
	each := "an hour"
	a.Span = "Last 24 hours, by the hour"
	if a.Days {
		a.Span, each = "Last 14 days, by the day", "a day"
	}
	a.Text = fmt.Sprintf("Deployments that ended. %s: %s. At most %d %s.", a.Span, inWords(total), most, each)
	return a
}

// rows are the steps in which something ended, newest first.
func (a activity) rows(t stacks.Tally, now time.Time) (rows []activityRow) {
	for i, counts := range slices.Backward(t.Ended) {
		if ended(counts) == 0 {
			continue
		}
		row := activityRow{When: at(t.Step(i), now), Words: inWords(counts), Total: ended(counts),
			Href: withQuery("/deployments", url.Values{"after": {core.FirstID(core.PrefixDeployment, t.Step(i+1))}})}
		if a.Days {
			row.Day = a.stepName(t.Step(i), t.Every)
		}
		rows = append(rows, row)
	}
	return rows
}

// stepName names the hour or the day that begins then.
func (a activity) stepName(begins time.Time, every time.Duration) string {
	if a.Days {
		return begins.Format("Mon 2 Jan")
	}
	return begins.Format("2 Jan, 15:04") + begins.Add(every).Format(" to 15:04 UTC")
}
