package repositories

import (
	"cmp"
	"strconv"
	"strings"
)

// Version is a version as semver.org 2.0.0 writes it. What follows a plus sign does not count and is not kept.
type Version struct {
	Major, Minor, Patch uint64
	Pre                 string // identifiers between dots; empty: it is a release
}

// ParseVersion reads the version that a tag's name is: three numbers, with or without a v before them. v1 and v1.2
// are none: such tags usually move from release to release.
func ParseVersion(tag string) (Version, bool) {
	p, ok := parsePartial(tag)
	return p.version, ok && p.given == 3
}

// String writes a version without v.
func (v Version) String() string {
	text := strconv.FormatUint(v.Major, 10) + "." + strconv.FormatUint(v.Minor, 10) + "." + strconv.FormatUint(v.Patch, 10)
	if v.Pre != "" {
		text += "-" + v.Pre
	}
	return text
}

// Compare orders versions by precedence: a pre-release comes before its release.
func (v Version) Compare(other Version) int {
	return cmp.Or(cmp.Compare(v.Major, other.Major), cmp.Compare(v.Minor, other.Minor), cmp.Compare(v.Patch, other.Patch), comparePre(v.Pre, other.Pre))
}

func comparePre(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "":
		return 1
	case b == "":
		return -1
	}
	left, right := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(left), len(right)) {
		if order := compareIdentifier(left[i], right[i]); order != 0 {
			return order
		}
	}
	return cmp.Compare(len(left), len(right))
}

// compareIdentifier puts numbers before words. Numbers may have any length.
func compareIdentifier(a, b string) int {
	digitsA, digitsB := allDigits(a), allDigits(b)
	switch {
	case digitsA && digitsB:
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	case digitsA:
		return -1
	case digitsB:
		return 1
	}
	return strings.Compare(a, b)
}

func allDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// partial is a version of which the last numbers may be left open: 1.x, 1.2 or *.
type partial struct {
	version Version
	given   int // numbers, 0 to 3; the rest is open
}

// parsePartial reads a version, or the beginning of one.
func parsePartial(text string) (p partial, ok bool) {
	text, build, hasBuild := strings.Cut(strings.TrimPrefix(text, "v"), "+")
	if hasBuild && !validIdentifiers(build, true) {
		return p, false
	}
	numbers, pre, hasPre := strings.Cut(text, "-")
	parts := strings.Split(numbers, ".")
	if len(parts) > 3 {
		return p, false
	}
	into := []*uint64{&p.version.Major, &p.version.Minor, &p.version.Patch}
	open := false
	for i, part := range parts {
		if part == "x" || part == "X" || part == "*" {
			open = true
			continue
		}
		n, ok := parseNumber(part)
		if !ok || open {
			return p, false
		}
		*into[i], p.given = n, i+1
	}
	if !hasPre && !hasBuild {
		return p, true
	}
	p.version.Pre = pre
	return p, p.given == 3 && (!hasPre || validIdentifiers(pre, false))
}

// maxNumber leaves room to add one.
const maxNumber = 1<<63 - 1

func parseNumber(text string) (uint64, bool) {
	if !allDigits(text) || len(text) > 1 && text[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil && n < maxNumber
}

// validIdentifiers judges what stands behind a dash or a plus sign, of which only the latter may have leading zeros.
func validIdentifiers(text string, zeros bool) bool {
	for part := range strings.SplitSeq(text, ".") {
		if part == "" || strings.ContainsFunc(part, notInIdentifier) || !zeros && allDigits(part) && len(part) > 1 && part[0] == '0' {
			return false
		}
	}
	return true
}

func notInIdentifier(c rune) bool {
	return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-'
}
