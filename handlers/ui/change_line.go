package ui

import "berth/core/stacks"

// changeLine is one way in which something differs, or why it is done. Values are masked by
// whoever found the difference.
type changeLine struct {
	Kind          string // what sort of thing it is; empty where the name says it
	Name          string
	Before, After string
	Arrow         bool // both values are told
}

// reasonWords say what sort of thing a reason is about.
var reasonWords = map[stacks.ReasonKind]string{
	stacks.ReasonFile: "file", stacks.ReasonVariable: "secret variable", stacks.ReasonNetwork: "network", stacks.ReasonVolume: "volume",
	stacks.ReasonService: "compose service", stacks.ReasonContainer: "container", stacks.ReasonOption: "asked for",
}

func changeLines(reasons []stacks.Reason) []changeLine {
	var lines []changeLine
	for _, r := range reasons {
		lines = append(lines, changeLine{Kind: reasonWords[r.Kind], Name: r.Name, Before: r.Before, After: r.After, Arrow: r.Before != "" && r.After != ""})
	}
	return lines
}
