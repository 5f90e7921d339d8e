package repositories

import (
	"strings"

	"berth/core/fault"
)

// MaxPath is the longest path within a repository, in bytes.
const MaxPath = 4096

// ValidPath returns nil when path is one that a core.Tree accepts: relative to the
// repository's root, slash-separated, clean, "" or "." for the root. Otherwise it
// returns Invalid "git.path". Bytes need not be UTF-8, because Git's need not.
func ValidPath(path string) error {
	problem := treePathProblem(path)
	if problem == "" {
		return nil
	}
	shown := strings.ToValidUTF8(path[:min(len(path), 200)], "?")
	return fault.New(fault.Invalid, "git.path", "The path %q cannot be read from a repository: %s.", shown, problem)
}

func treePathProblem(path string) string {
	switch {
	case path == "" || path == ".":
		return ""
	case len(path) > MaxPath:
		return "it is longer than 4,096 bytes"
	case strings.HasPrefix(path, "/"):
		return "it begins with a slash; give it relative to the repository's root"
	case strings.ContainsAny(path, "\x00\n"):
		return "it contains a newline or a NUL byte"
	}
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "..":
			return "it contains .. and could leave the repository"
		case "", ".":
			return "it contains an empty folder name or a single dot"
		}
	}
	return ""
}
