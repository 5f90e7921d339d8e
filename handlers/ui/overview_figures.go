package ui

import (
	"fmt"

	"berth/core/stacks"
)

// figuresOf sums a tally up: how many of those that came to something did well, and how long it takes.
// What was cancelled or superseded came to nothing and counts neither way.
func figuresOf(t stacks.Tally, total map[stacks.DeploymentState]int) []figure {
	good := total[stacks.DeploymentSucceeded]
	tried := good + total[stacks.DeploymentFailed] + total[stacks.DeploymentRolledBack] + total[stacks.DeploymentLost]
	var figures []figure
	if tried > 0 {
		figures = append(figures, figure{"Succeeded", percent(good, tried)})
	}
	if len(t.Times) > 0 {
		figures = append(figures, figure{"Median time", took(t.Within(50))}, figure{"95 % took up to", took(t.Within(95))})
	}
	return figures
}

// percent never rounds to all or nothing what is neither.
func percent(n, of int) string {
	switch p := 100 * n / of; {
	case n > 0 && p == 0:
		return "<1 %"
	default:
		return fmt.Sprintf("%d %%", p)
	}
}
