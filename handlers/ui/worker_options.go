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

// usableWorkers lists the workers that something may be put on.
func usableWorkers(ctx context.Context, lister WorkerLister) ([]fleet.Worker, error) {
	no := false
	list, err := lister.Workers(ctx, fleet.Filter{Revoked: &no}, core.Page{Limit: core.MaxPage})
	return list.Items, err
}

// workerOptions offers workers to choose from, with what tells them apart; those that are there come first.
func workerOptions(workers []fleet.Worker, chosen string) []option {
	var options []option
	workers = slices.Clone(workers)
	slices.SortStableFunc(workers, func(a, b fleet.Worker) int { return cmp.Compare(away(a), away(b)) })
	for _, w := range workers {
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
