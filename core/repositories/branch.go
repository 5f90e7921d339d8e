package repositories

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"berth/core"
	"berth/core/fault"
)

// MaxBranch is the longest branch name, in bytes.
const MaxBranch = 244

// ValidBranch returns nil when name is a short branch name as `git check-ref-format
// --branch` accepts it, or empty, which stands for the remote's default branch.
// Otherwise it returns Invalid "git.branch".
func ValidBranch(name string) error {
	problem := branchProblem(name)
	if name == "" || problem == "" {
		return nil
	}
	return fault.New(fault.Invalid, "git.branch", "The branch name is not usable: %s.", problem)
}

// ValidTag is ValidBranch for the short name of a tag: Invalid "git.tag".
func ValidTag(name string) error {
	problem := branchProblem(name)
	if name == "" || problem == "" {
		return nil
	}
	return fault.New(fault.Invalid, "git.tag", "The tag's name is not usable: %s.", strings.Replace(problem, "refs/heads/", "refs/tags/", 1))
}

// ValidSource returns nil when at most one of branch, tag and range of versions is given, and that is a good one.
// Invalid "git.branch", "git.tag" or "git.semver".
func ValidSource(src core.GitSource) error {
	if src.Tag != "" && (src.Branch != "" || src.Semver != "") || src.Branch != "" && src.Semver != "" {
		return fault.New(fault.Invalid, "git.branch", "A branch, a tag and a range of versions cannot be followed at once; give one of them.")
	}
	return cmp.Or(ValidBranch(src.Branch), ValidTag(src.Tag), ValidVersions(src.Semver))
}

func branchProblem(name string) string {
	switch {
	case len(name) > MaxBranch:
		return "it is longer than 244 bytes"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, notInBranch):
		return "it contains a space, a control character or one of ~ ^ : ? * [ \\"
	case strings.HasPrefix(name, "refs/"):
		return "give the short name, without refs/heads/"
	case name == "HEAD", name == "@", strings.HasPrefix(name, "-"):
		return "Git reserves it"
	case strings.Contains(name, ".."), strings.Contains(name, "@{"), strings.HasSuffix(name, "."):
		return "Git does not allow two dots, @{ or a dot at the end"
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return "a part between slashes is empty, begins with a dot or ends with .lock"
		}
	}
	return ""
}

func notInBranch(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r)
}
