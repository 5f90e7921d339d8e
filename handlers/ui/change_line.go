package ui

import (
	"cmp"
	"strings"

	"berth/core/stacks"
)

// changeLine is one way in which something differs, or why it is done. Values are masked by
// whoever found the difference.
type changeLine struct {
	Kind          string // what sort of thing it is; empty where the name says it
	Name          string // empty where the text says all
	Text          string // in place of the values
	Before, After string
	Arrow         bool // both values are told
	Remark        string
	Lines         []diffLine // of a text file
}

// diffLine is one line of how a text file differs.
type diffLine struct{ Class, Sign, Text string }

// putDiff adds how a file differs by line, in place of the digests of its content.
func (l *changeLine) putDiff(diff string) {
	switch {
	case diff == "":
		return
	case strings.HasPrefix(diff, "("):
		l.Remark = strings.Trim(diff, "()")
		return
	}
	l.Before, l.After, l.Arrow = "", "", false
	for line := range strings.SplitSeq(diff, "\n") {
		switch {
		case strings.HasPrefix(line, "-"):
			l.Lines = append(l.Lines, diffLine{"is-gone", "-", line[1:]})
		case strings.HasPrefix(line, "+"):
			l.Lines = append(l.Lines, diffLine{"is-new", "+", line[1:]})
		case strings.HasPrefix(line, " "):
			l.Lines = append(l.Lines, diffLine{"", "", line[1:]})
		default: // where it is, or how much is left out
			l.Lines = append(l.Lines, diffLine{"is-mark", "", strings.Trim(line, "@() ")})
		}
	}
}

// reasonWords say what sort of thing a reason is about.
var reasonWords = map[stacks.ReasonKind]string{
	stacks.ReasonFile: "file", stacks.ReasonVariable: "secret variable", stacks.ReasonNetwork: "network", stacks.ReasonVolume: "volume",
	stacks.ReasonService: "compose service", stacks.ReasonContainer: "container", stacks.ReasonOption: "asked for:",
}

func changeLines(reasons []stacks.Reason) []changeLine {
	var lines []changeLine
	for _, r := range reasons {
		line := changeLineOf(r.Kind, r.Name, r.Before, r.After)
		line.putDiff(r.Diff)
		lines = append(lines, line)
	}
	return lines
}

func changeLineOf(kind stacks.ReasonKind, name, before, after string) changeLine {
	line := changeLine{Kind: reasonWords[kind], Name: name, Before: before, After: after, Arrow: before != "" && after != ""}
	switch kind {
	case stacks.ReasonVariable:
		line.Text = variableText(before, after)
	case stacks.ReasonService:
		line.Text = serviceText(before, after)
	case stacks.ReasonContainer:
		if after == "" {
			line.Text = before
		}
		if name == "container" { // any of the compose service
			line.Name = ""
		}
	}
	return line
}

// variableText says what became of the value of a secret variable, of which nothing is shown.
func variableText(before, after string) string {
	switch {
	case before == "" && after != "":
		return "is new"
	case before != "" && after == "":
		return "does not reach it any more"
	}
	return "has another value"
}

// serviceText says what becomes of another compose service, and by which setting this one depends on it.
func serviceText(setting, action string) string {
	words := map[string]string{string(stacks.PlanRecreate): "is recreated", string(stacks.PlanCreate): "is created"}
	text := cmp.Or(words[action], action)
	if setting != "" {
		text += " (" + setting + ")"
	}
	return text
}
