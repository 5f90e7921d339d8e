package api

import (
	"context"
	"net/http"
	"strconv"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// RevisionReader reads revisions of a stack.
type RevisionReader interface {
	Revisions(ctx context.Context, stack core.StackID, before, limit int) ([]stacks.Revision, error)
	Revision(ctx context.Context, stack core.StackID, number int) (stacks.Revision, error)
}

// ComposeReader reads the rendered Compose file of a revision.
type ComposeReader interface {
	Compose(stack core.StackID, number int) ([]byte, error)
}

// ListRevisions answers with a page of a stack's revisions, newest first.
func ListRevisions(finder StackFinder, reader RevisionReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := namedStack(r, finder)
		if err != nil {
			return err
		}
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		before, err := numberOf(r, "after")
		if err != nil {
			return err
		}
		items, err := reader.Revisions(r.Context(), s.ID, int(before), page.Limit+1)
		if err != nil {
			return err
		}
		list := core.List[stacks.Revision]{Items: items}
		if len(items) > page.Limit {
			list.Items = items[:page.Limit]
			list.Next = strconv.Itoa(list.Items[page.Limit-1].Number)
		}
		return endpoint.List(w, list, showRevision)
	})
}

// GetRevision answers with one revision and its rendered Compose file.
func GetRevision(reader RevisionReader, files ComposeReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := stackID(r)
		if err != nil {
			return err
		}
		number, err := strconv.Atoi(r.PathValue("number"))
		if err != nil || number < 1 {
			return fault.New(fault.NotFound, "revision.not_found", "The stack has no such revision; revisions are numbered from 1.")
		}
		revision, err := reader.Revision(r.Context(), id, number)
		if err != nil {
			return err
		}
		compose, err := files.Compose(id, number)
		if err != nil {
			return err
		}
		answer := showRevision(revision)
		answer.Compose = string(compose)
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}

// DecisionLister lists why a stack was deployed or not.
type DecisionLister interface {
	Decisions(ctx context.Context, stack core.StackID, page core.Page) (core.List[stacks.Decision], error)
}

// ListDecisions answers with a page of decisions about a stack, newest first.
func ListDecisions(finder StackFinder, lister DecisionLister) http.Handler {
	return listOfStack(finder, func(r *http.Request, id core.StackID, page core.Page) (core.List[stacks.Decision], error) {
		return lister.Decisions(r.Context(), id, page)
	}, showDecision)
}

// listOfStack answers with a page of what list has of a stack.
func listOfStack[T, U any](finder StackFinder, list func(*http.Request, core.StackID, core.Page) (core.List[T], error), show func(T) U) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := namedStack(r, finder)
		if err != nil {
			return err
		}
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		items, err := list(r, s.ID, page)
		if err != nil {
			return err
		}
		return endpoint.List(w, items, show)
	})
}
