package fleet

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"berth/core"
	"berth/core/fault"
)

// Limits of what a worker says about itself.
const (
	MaxHostname = 253 // bytes, as for DNS names
	maxWord     = 64  // bytes of version, operating system and architecture
)

// check returns the facts in their stored form, or every complaint about them.
func (f Facts) check() (Facts, error) {
	bad := core.CheckTags("tags", f.Tags)
	if !word(f.Hostname, MaxHostname) {
		bad = append(bad, fault.Field{Path: "hostname",
			Problem: fmt.Sprintf("1 to %d printable characters without spaces; set HOSTNAME on the worker", MaxHostname)})
	}
	for _, w := range []struct{ path, text string }{{"version", f.Version}, {"os", f.OS}, {"arch", f.Arch}} {
		if !word(w.text, maxWord) {
			bad = append(bad, fault.Field{Path: w.path, Problem: fmt.Sprintf("1 to %d printable characters without spaces", maxWord)})
		}
	}
	if f.Engine != "" && !word(f.Engine, maxWord) {
		bad = append(bad, fault.Field{Path: "engine", Problem: fmt.Sprintf("at most %d printable characters without spaces", maxWord)})
	}
	f.Tags = append([]string{}, f.Tags...) // never nil: it encodes as []
	slices.Sort(f.Tags)
	f.Tags = slices.Compact(f.Tags)
	return f, fault.BadFields("worker.invalid", bad)
}

// word reports whether text is printable, without spaces, and has 1 to limit bytes.
func word(text string, limit int) bool {
	if text == "" || len(text) > limit || !utf8.ValidString(text) {
		return false
	}
	return strings.IndexFunc(text, func(c rune) bool { return !unicode.IsGraphic(c) || unicode.IsSpace(c) }) < 0
}
