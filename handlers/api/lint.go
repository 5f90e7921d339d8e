package api

import (
	"context"
	"net/http"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/lint"
	"berth/handlers/endpoint"
)

// Linter says what is wrong with Compose files; it fetches, stores and runs nothing.
type Linter interface {
	Lint(ctx context.Context, ask lint.Ask) ([]lint.Finding, error)
}

// LintRequest is Compose files of which there is no stack: some that are given, or those of a folder.
type LintRequest struct {
	Files map[string]string `json:"files"` // content by relative path; compose.yaml is read, and what it includes; at most 16, of 512 KiB together
	// Of a folder, in place of files: as the repository's newest fetched commit has it.
	RepositoryID core.RepositoryID `json:"repository_id"`
	Path         string            `json:"path"`
	Profiles     []string          `json:"profiles"`
	Variables    map[string]string `json:"variables"` // that a stack would provide; never secrets
}

// LintAnswer is what is wrong with the files, errors first.
type LintAnswer struct {
	OK       bool            `json:"ok"` // there is no error
	Findings []FindingAnswer `json:"findings"`
}

// FindingAnswer is one thing that is wrong with a project, or could be better.
type FindingAnswer struct {
	Code     string        `json:"code"`
	Severity lint.Severity `json:"severity"` // error: stops a deployment; advice: never does
	Service  string        `json:"service"`  // compose service; "": it is about the whole project
	Field    string        `json:"field"`    // such as ports[0]
	File     string        `json:"file"`     // "": not known
	Line     int           `json:"line"`     // 0: not known
	What     string        `json:"what"`
	Why      string        `json:"why"`
	Next     string        `json:"next"` // what to do
}

func showFindings(all []lint.Finding) []FindingAnswer {
	answer := make([]FindingAnswer, len(all))
	for i, f := range all {
		answer[i] = FindingAnswer{f.Code, f.Severity, f.Service, f.Field, f.File, f.Line, f.What, f.Why, f.Next}
	}
	return answer
}

// LintFiles answers with what is wrong with Compose files.
func LintFiles(linter Linter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[LintRequest](r)
		if err != nil {
			return err
		}
		if len(ask.Files) == 0 && ask.RepositoryID == "" {
			return fault.New(fault.Invalid, "lint.invalid", "Give files, a compose.yaml among them, or name a folder with repository_id and path.")
		}
		found, err := linter.Lint(r.Context(), lint.Ask{Files: ask.Files, Repository: ask.RepositoryID, Path: strings.Trim(ask.Path, "/"), Profiles: ask.Profiles, Variables: ask.Variables})
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, LintAnswer{len(lint.Errors(found)) == 0, showFindings(found)})
	})
}
