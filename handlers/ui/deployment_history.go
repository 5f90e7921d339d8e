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
	for i, e := range events {
		what := e.Cause
		if strings.Contains(what, " ") { // otherwise it is a code
			what = spelled(what, folder)
		}
		line := historyLine{Badge: badgeOf(deploymentBadges, e.To), What: what, When: at(e.At, now)}
		if i < len(events)-1 && !e.To.Ended() {
			line.Badge = badge{"idle", "arrow", line.Badge.Word} // it has gone on since
		}
		if !strings.Contains(e.Cause, e.Actor) {
			line.Actor = e.Actor
		}
		lines = append(lines, line)
	}
	return lines
}
