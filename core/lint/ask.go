package lint

import (
	"regexp"
	"strconv"

	"berth/core"
	"berth/core/fault"
)

// Ask is Compose files that are to be judged without a stack: those given, or those of a folder.
type Ask struct {
	Files map[string]string `json:"files"` // content by relative path
	// Repository and Path name a folder in place of Files: as its newest fetched commit has it, with its own manifest.
	Repository core.RepositoryID `json:"repository_id"`
	Path       string            `json:"path"`
	Profiles   []string          `json:"profiles"`
	Variables  map[string]string `json:"variables"`
}

var placed = regexp.MustCompile(`^([^\s:]+):([0-9]+): (?s:(.*))$`)

// Unreadable is the finding that a project cannot be resolved at all; the fault's text begins with file and line where they are known.
func Unreadable(err error) Finding {
	f := Finding{Code: fault.CodeOf(err), Severity: Error, What: fault.PublicOf(err), Why: "It could not be deployed as it is", Next: "Correct it as the message says"}
	if m := placed.FindStringSubmatch(f.What); m != nil {
		line, _ := strconv.Atoi(m[2]) // digits, by the pattern
		f.Place, f.What = core.Place{File: m[1], Line: line}, m[3]
	}
	return f
}
