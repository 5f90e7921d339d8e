package jobs

import (
	"cmp"
	"path"
	"regexp"
	"strings"
)

// notInNames matches what no job's name has.
var notInNames = regexp.MustCompile(`[^a-z0-9_-]+`)

// ProposeName makes the name of a job that is given none: of the last part of its folder's path, or, for
// the root of a repository, of the repository's name. It is never empty, and always a name that may be given.
func ProposeName(folder, repository string) string {
	last := path.Base(path.Clean("/" + folder))
	if last == "/" {
		last = repository
	}
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(last), "-"), "-_")
	return cmp.Or(strings.Trim(name[:min(len(name), 63)], "-_"), "job")
}
