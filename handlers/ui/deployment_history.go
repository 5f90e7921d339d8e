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
			what = spelled(withoutCode(what), folder)
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

// withoutCode is a cause without the code of a fault at its beginning or end, which the page tells in words.
func withoutCode(cause string) string {
	if head, rest, found := strings.Cut(cause, ": "); found && isCode(head) {
		return rest
	}
	if i := strings.LastIndex(cause, ": "); i > 0 && isCode(cause[i+2:]) {
		return cause[:i]
	}
	return cause
}

// isCode reports whether text is the code of a fault, noun.problem.
func isCode(text string) bool {
	noun, problem, found := strings.Cut(text, ".")
	other := func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }
	return found && noun != "" && problem != "" && !strings.ContainsFunc(noun+problem, other)
}
