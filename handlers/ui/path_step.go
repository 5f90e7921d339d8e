package ui

import (
	"berth/core/stacks"
)

// pathStep is one step of the guided path from a repository to a stack that runs.
type pathStep struct {
	Word string
	Href string // where it can be changed; empty: it is now or to come, or cannot be
	Done bool
	Now  bool
}

// pathBefore are the steps of a stack that is not added yet; chosen says that its repository is.
func pathBefore(chosen bool) []pathStep {
	steps := []pathStep{{Word: "Repository", Done: chosen, Now: !chosen}, {Word: "Folder and worker", Now: chosen}, {Word: "Variables"}, {Word: "Review"}, {Word: "Watch"}}
	if chosen {
		steps[0].Href = newStackAt + "?repository="
	}
	return steps
}

// pathSteps are the steps of one that is added and was not deployed yet; needs says that it lacks variables.
func pathSteps(s stacks.Stack, needs bool) []pathStep {
	return []pathStep{{Word: "Repository", Href: repositoryHref(s.Repository), Done: true}, {Word: "Folder and worker", Href: stackHref(s.ID) + "/settings", Done: true},
		{Word: "Variables", Href: stackHref(s.ID) + "/variables", Done: !needs, Now: needs}, {Word: "Review", Now: !needs}, {Word: "Watch"}}
}
