package ui

import (
	"fmt"
	"strings"

	"berth/core/stacks"
)

// column is one step of a tally, made of how many ended how.
type column struct {
	X     int
	Title string
	Parts []part // from the ground up
}

type part struct {
	Y, H int
	Tone string
}

const (
	columnStep   = 10
	columnHeight = 1000
	partLeast    = 40 // so that one among hundreds is seen
	leastTop     = 4  // so that a single deployment is no tower
)

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

// partsOf stacks what ended in one step. A column of top has the whole height.
func partsOf(counts map[stacks.DeploymentState]int, top int) []part {
	var parts []part
	var numbers []int
	for _, state := range stacks.Results {
		if counts[state] > 0 {
			numbers = append(numbers, counts[state])
			parts = append(parts, part{Tone: badgeOf(deploymentBadges, state).Tone})
		}
	}
	height := max(columnHeight*ended(counts)/top, partLeast*len(parts))
	y := columnHeight
	for i, h := range portions(numbers, height, partLeast) {
		y -= h
		parts[i].Y, parts[i].H = y, h
	}
	return parts
}
