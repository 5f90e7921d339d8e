package ui

import (
	"strings"
	"time"

	"berth/core/stacks"
)

// historyLine is one step of what became of a deployment.
type historyLine struct {
	Badge badge
	What  string // why it came to that
	Actor string // who caused it; empty: Berth itself
	When  moment
}

// historyOf tells what became of a deployment, oldest first. Of one from before that was written
// down there is nothing.
func historyOf(events []stacks.DeploymentEvent, folder string, now time.Time) []historyLine {
	var lines []historyLine
	for _, e := range events {
		what := e.Cause
		if strings.Contains(what, " ") { // otherwise it is a code
			what = spelled(what, folder)
		}
		lines = append(lines, historyLine{Badge: badgeOf(deploymentBadges, e.To), What: what, Actor: e.Actor, When: at(e.At, now)})
	}
	return lines
}
