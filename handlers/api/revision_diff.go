package api

import (
	"context"
	"net/http"
	"strconv"

	"berth/core"
	"berth/core/fault"
	"berth/core/sourcediff"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// RevisionComparer compares revisions of a stack; with 0 means the newest one before.
type RevisionComparer interface {
	Compare(ctx context.Context, stack core.StackID, number, with int) (changes []stacks.RevisionChange, compared int, err error)
	// Rendered tells by line how the rendered Compose files differ; empty when they do not.
	Rendered(stack core.StackID, number, with int) (diff string, err error)
}

// DiffAnswer is how a revision differs from another one.
type DiffAnswer struct {
	Number  int          `json:"number"`
	With    int          `json:"with"` // that it was compared with; 0: it is the first revision, or none before it is kept, and changes is empty
	Changes []DiffChange `json:"changes"`
	// Source is how the files in Git that it was made of differ; only with of=source. SourceTruncated: there were more than are compared.
	Source          []SourceChange `json:"source"`
	SourceTruncated bool           `json:"source_truncated"`
	Rendered        string         `json:"rendered"` // lines of the rendered Compose file that differ, as in a patch, masked; "": none
}

// DiffChange is one way in which a revision differs.
type DiffChange struct {
	Kind    stacks.ChangeKind `json:"kind"`    // service_added, service_removed, field, file, variable or manifest
	Service string            `json:"service"` // compose service; "" for what belongs to none
	Name    string            `json:"name"`    // such as environment.LOG_LEVEL
	Before  string            `json:"before"`  // masked where it may be secret; "": it was not there
	After   string            `json:"after"`
	Diff    string            `json:"diff"` // of a text file: its lines that differ, as in a patch, masked too; or in parentheses why they are not shown
}

// SourceChange is a file in Git that differs.
type SourceChange struct {
	Path   string `json:"path"`   // in the repository
	Before bool   `json:"before"` // it was there
	After  bool   `json:"after"`  // it is there
	Diff   string `json:"diff"`   // its lines that differ, as in a patch; or in parentheses why they are not shown
}

// SourceComparer compares the files in Git of two revisions; see sourcediff.Comparer.
type SourceComparer interface {
	Compare(ctx context.Context, stack core.StackID, number, with int) (changes []sourcediff.Change, truncated bool, err error)
}

// DiffRevision answers with how a revision differs from another one of the stack: the one in
// ?with=, or the one before it.
func DiffRevision(comparer RevisionComparer, source SourceComparer) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := stackID(r)
		if err != nil {
			return err
		}
		number, err := revisionNumber(r)
		if err != nil {
			return err
		}
		with, err := withOf(r)
		if err != nil {
			return err
		}
		of := r.URL.Query().Get("of")
		if of != "" && of != "source" && of != "rendered" {
			return fault.BadFields("query.invalid", []fault.Field{{Path: "of", Problem: "must be rendered or source"}})
		}
		changes, compared, err := comparer.Compare(r.Context(), id, number, with)
		if err != nil {
			return err
		}
		answer := DiffAnswer{Number: number, With: compared, Changes: []DiffChange{}, Source: []SourceChange{}}
		if compared > 0 {
			if answer.Rendered, err = comparer.Rendered(id, number, compared); err != nil {
				return err
			}
		}
		if compared > 0 && of == "source" {
			files, truncated, err := source.Compare(r.Context(), id, number, compared)
			if err != nil {
				return err
			}
			answer.SourceTruncated = truncated
			for _, f := range files {
				answer.Source = append(answer.Source, SourceChange(f))
			}
		}
		for _, c := range changes {
			answer.Changes = append(answer.Changes, DiffChange(c))
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}

// withOf reads ?with=: a revision's number; absent is 0.
func withOf(r *http.Request) (int, error) {
	text := r.URL.Query().Get("with")
	if text == "" {
		return 0, nil
	}
	with, err := strconv.ParseInt(text, 10, 32)
	if err != nil || with < 1 {
		return 0, fault.BadFields("query.invalid", []fault.Field{{Path: "with", Problem: "must be the number of a revision, from 1"}})
	}
	return int(with), nil
}

// revisionNumber reads the revision that the path names.
func revisionNumber(r *http.Request) (int, error) {
	number, err := strconv.ParseInt(r.PathValue("number"), 10, 32)
	if err != nil || number < 1 {
		return 0, fault.New(fault.NotFound, "revision.not_found", "The stack has no such revision; revisions are numbered from 1.")
	}
	return int(number), nil
}
