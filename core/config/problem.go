package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// ExitConfig is the exit code of a process that refuses its configuration, or finds
// that SECRET_KEY does not fit its data (EX_CONFIG of sysexits.h).
const ExitConfig = 78

// More exit codes, also of sysexits.h.
const (
	ExitUsage   = 64 // EX_USAGE: what was typed after the program's name means nothing; nothing was started
	ExitDamaged = 65 // EX_DATAERR: the database is damaged; nothing was started
	ExitBroken  = 74 // EX_IOERR: a commit failed such that nobody knows what is on the disk
	ExitAway    = 75 // EX_TEMPFAIL: the database server cannot be reached; a later start may work
)

const (
	ourPrefix   = "BERTH_"
	maxUnknown  = 20 // warnings about unknown variables
	maxNameShow = 64 // bytes of an unknown variable's name
)

// Problem says what is wrong with one variable.
type Problem struct {
	Name   string // of the variable
	Reason string // what is wrong and what would be right, to be read after the name; never the value
}

// Explain returns the message of a process that refuses to start: one line for each
// problem, and a line end at the end of each.
func Explain(problems []Problem) string {
	var text strings.Builder
	fmt.Fprintf(&text, "berth cannot start: its configuration has %s.\n", count(len(problems)))
	for _, p := range problems {
		fmt.Fprintf(&text, "  %s: %s\n", p.Name, p.Reason)
	}
	text.WriteString("Nothing was changed. Correct the environment and start again; the README lists every variable.\n")
	return text.String()
}

func count(n int) string {
	if n == 1 {
		return "1 problem"
	}
	return fmt.Sprintf("%d problems", n)
}

// unknown returns a warning for each variable that looks like ours but means nothing,
// in order of name.
func unknown(environ []string) []Problem {
	var known []string
	for _, process := range []any{Server{}, Worker{}, Function{}} {
		for _, v := range variables(reflect.TypeOf(process)) {
			known = append(known, v.name)
		}
	}
	var found []Problem
	for _, entry := range slices.Sorted(slices.Values(environ)) {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, ourPrefix) || slices.Contains(known, name) || len(found) == maxUnknown {
			continue
		}
		reason := "is not a variable that berth knows; the README lists every one"
		if meant := strings.TrimPrefix(name, ourPrefix); slices.Contains(known, meant) {
			reason = "is not read; the variable is called " + meant
		}
		found = append(found, Problem{name[:min(len(name), maxNameShow)], reason})
	}
	return found
}
