package repositories

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"berth/core/fault"
)

// Versions is a range of versions, such as ^1.2, ~1.4, >=1 <3 or 1.x || 2.x. A release is in it when it is in one of the
// alternatives; a pre-release only when that alternative names a pre-release itself, as >=1.0.0-0 does.
type Versions struct{ alternatives []alternative }

// AnyVersion has every version, pre-releases included.
var AnyVersion = Versions{alternatives: []alternative{{from: bound{none: true}, to: bound{none: true}, pre: true}}}

// Limits of a range's text.
const (
	maxRange       = 200 // bytes
	maxComparators = 20
)

// alternative is what stands between two ||: everything from one bound to another.
type alternative struct {
	from, to bound
	pre      bool // pre-releases are asked for
}

// bound is one end of an alternative. open: the version itself is not in it. none: there is no such end.
type bound struct {
	version Version
	open    bool
	none    bool
}

// ParseVersions reads a range. Invalid "git.semver".
func ParseVersions(text string) (Versions, error) {
	var all Versions
	problem := ""
	if len(text) > maxRange {
		problem = "it is longer than 200 bytes"
	}
	comparators := 0
	for part := range strings.SplitSeq(text, "||") {
		if problem != "" {
			break
		}
		one, count, wrong := parseAlternative(part)
		all.alternatives, comparators, problem = append(all.alternatives, one), comparators+count, wrong
		if problem == "" && comparators > maxComparators {
			problem = "it has more than 20 comparisons"
		}
	}
	if problem != "" {
		return Versions{}, fault.New(fault.Invalid, "git.semver", "The range of versions is not usable: %s. Good ones are ^1.2, ~1.4, 1.x and >=1 <3.", problem)
	}
	return all, nil
}

// ValidVersions returns nil for a range that can be read, and for none.
func ValidVersions(text string) error {
	if text == "" {
		return nil
	}
	_, err := ParseVersions(text)
	return err
}

func parseAlternative(text string) (one alternative, count int, problem string) {
	one = alternative{from: bound{none: true}, to: bound{none: true}}
	words := rangeWords(text)
	if len(words) == 3 && words[1] == "-" {
		words = []string{">=" + words[0], "<=" + words[2]}
	}
	if len(words) == 0 {
		return one, 0, "a part of it is empty"
	}
	for _, word := range words {
		from, to, problem := parseComparator(word)
		if problem != "" {
			return one, 0, problem
		}
		one.pre = one.pre || namesPre(word)
		one.from, one.to = later(one.from, from), earlier(one.to, to)
	}
	return one, len(words), ""
}

// namesPre reports whether a comparator, which is a good one, names a pre-release.
func namesPre(word string) bool {
	text, _, _ := strings.Cut(word, "+")
	return strings.Contains(text, "-")
}

// rangeWords splits at spaces and commas, and joins an operator with what it is apart from.
func rangeWords(text string) []string {
	var words []string
	before := ""
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == ',' }) {
		if strings.Trim(word, "<>=~^") == "" {
			before += word
			continue
		}
		words = append(words, before+word)
		before = ""
	}
	if before != "" {
		words = append(words, before)
	}
	return words
}

// parseComparator returns the bounds that one comparison sets.
func parseComparator(word string) (from, to bound, problem string) {
	text := strings.TrimLeft(word, "<>=~^")
	operator := word[:len(word)-len(text)]
	p, ok := parsePartial(text)
	if !ok || p.given == 0 && operator != "" {
		return from, to, strconv.QuoteToASCII(word[:min(len(word), 40)]) + " is no version or comparison"
	}
	first, next := bound{version: p.version, none: p.given == 0}, p.next(p.given)
	switch operator {
	case "", "=":
		return first, next, ""
	case ">=":
		return first, bound{none: true}, ""
	case "<":
		return bound{none: true}, bound{version: below(p.version), open: true}, ""
	case "<=":
		return bound{none: true}, next, ""
	case ">":
		if p.given == 3 {
			return bound{version: p.version, open: true}, bound{none: true}, ""
		}
		return bound{version: next.release(), none: next.none}, bound{none: true}, ""
	case "~":
		return first, p.next(min(p.given, 2)), ""
	case "^":
		return first, p.caret(), ""
	}
	return from, to, fmt.Sprintf("%s is no comparison", strconv.QuoteToASCII(operator))
}

// caret is the end under ^: numbers stay as far as the first that is not 0.
func (p partial) caret() bound {
	switch {
	case p.version.Major > 0 || p.given < 2:
		return p.next(min(p.given, 1))
	case p.version.Minor > 0 || p.given < 3:
		return p.next(2)
	}
	return bound{version: Version{Patch: p.version.Patch + 1, Pre: lowestPre}, open: true}
}

// next is the end of what begins with the same so many numbers, 0 to 3; the pre-releases of the version there are beyond it.
func (p partial) next(same int) bound {
	switch same {
	case 0:
		return bound{none: true}
	case 1:
		return bound{version: Version{Major: p.version.Major + 1, Pre: lowestPre}, open: true}
	case 2:
		return bound{version: Version{Major: p.version.Major, Minor: p.version.Minor + 1, Pre: lowestPre}, open: true}
	}
	return bound{version: p.version}
}

// lowestPre is the pre-release before which there is none.
const lowestPre = "0"

// below is where everything under a version ends: its own pre-releases are not under a release.
func below(v Version) Version {
	if v.Pre == "" {
		v.Pre = lowestPre
	}
	return v
}

// release is the release at a bound.
func (b bound) release() Version {
	v := b.version
	v.Pre = ""
	return v
}

func later(a, b bound) bound {
	if a.none {
		return b
	}
	order := a.version.Compare(b.version)
	if b.none || order > 0 || order == 0 && a.open {
		return a
	}
	return b
}

func earlier(a, b bound) bound {
	if a.none {
		return b
	}
	order := a.version.Compare(b.version)
	if b.none || order < 0 || order == 0 && a.open {
		return a
	}
	return b
}

// Has reports whether a version is in the range.
func (r Versions) Has(v Version) bool {
	return slices.ContainsFunc(r.alternatives, func(a alternative) bool { return a.has(v) })
}

func (a alternative) has(v Version) bool {
	if v.Pre != "" && !a.pre {
		return false
	}
	if !a.from.none {
		if order := v.Compare(a.from.version); order < 0 || order == 0 && a.from.open {
			return false
		}
	}
	if !a.to.none {
		if order := v.Compare(a.to.version); order > 0 || order == 0 && a.to.open {
			return false
		}
	}
	return true
}

// Best returns the tag of the highest version in the range; of two tags of one version the one whose name sorts last.
// none: no tag fits.
func (r Versions) Best(tags []string) (best string, found bool) {
	var highest Version
	for _, tag := range tags {
		v, ok := ParseVersion(tag)
		if !ok || !r.Has(v) {
			continue
		}
		order := v.Compare(highest)
		if !found || order > 0 || order == 0 && tag > best {
			best, highest, found = tag, v, true
		}
	}
	return best, found
}

// maxPrefixes is how many beginnings of tags a Git host is asked for, instead of for all.
const maxPrefixes = 20

// Prefixes returns what the names of all tags that can be in the range begin with; none: they can begin with anything.
func (r Versions) Prefixes() []string {
	var all []string
	for _, a := range r.alternatives {
		if a.to.none || a.to.version.Major-a.from.version.Major > maxPrefixes && a.to.version.Major > a.from.version.Major {
			return nil
		}
		for major := a.from.version.Major; major <= a.to.version.Major; major++ {
			if major == a.to.version.Major && a.to.open && a.to.version == (Version{Major: major, Pre: lowestPre}) {
				break // nothing of this major version is in it
			}
			prefix := strconv.FormatUint(major, 10) + "."
			all = append(all, prefix, "v"+prefix)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > maxPrefixes {
		return nil
	}
	return all
}
