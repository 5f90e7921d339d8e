package ui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"berth/core"
	"berth/core/fleet"
)

// WorkerLister lists workers in order of age.
type WorkerLister interface {
	Workers(ctx context.Context, f fleet.Filter, p core.Page) (core.List[fleet.Worker], error)
}

// WorkerDirectory finds and lists workers.
type WorkerDirectory interface {
	WorkerFinder
	WorkerLister
}

// workerOptions offers some of the workers to choose from, with what tells them apart; those that are there come first.
func workerOptions(workers []fleet.Worker, chosen string, offered func(fleet.Worker) bool) []option {
	var options []option
	workers = slices.Clone(workers)
	slices.SortStableFunc(workers, func(a, b fleet.Worker) int { return cmp.Compare(away(a), away(b)) })
	for _, w := range workers {
		if !offered(w) {
			continue
		}
		word := w.Label()
		if len(w.Tags) > 0 {
			word += " · " + strings.Join(w.Tags, ", ")
		}
		switch {
		case w.Unheard:
			word += " (not known to be there)"
		case !w.Online:
			word += " (offline)"
		}
		options = append(options, option{exact(w.ID), word, chosen == string(w.ID)})
	}
	return options
}

// away sorts workers that are not there after the others.
func away(w fleet.Worker) int {
	if w.Online {
		return 0
	}
	return 1
}
