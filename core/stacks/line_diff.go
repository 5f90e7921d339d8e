package stacks

import (
	"fmt"
	"strings"
)

// Limits of a line diff.
const (
	diffContext  = 3       // equal lines around what differs
	diffLines    = 120     // lines that are told
	diffWork     = 4 << 20 // pairs of lines that are compared
	maxDiffWidth = 240     // characters of a line
)

// edit is a line of a diff: ' ' equal, '-' of before, '+' of after.
type edit struct {
	sign byte
	text string
}

// lineDiff tells how two texts differ by line, like a patch: lines that begin with "-" were there, those
// with "+" are there now, those with a space are around them, and "@@ line 12 @@" says where. Each line passes
// through mask before it is shown.
func lineDiff(before, after string, mask func(string) string) string {
	old, now := splitLines(before), splitLines(after)
	head := 0
	for head < len(old) && head < len(now) && old[head] == now[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(now)-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	middle, small := editsOf(old[head:len(old)-tail], now[head:len(now)-tail])
	if !small {
		return "(too much differs to be shown line by line)"
	}
	all := make([]edit, 0, len(old)+len(middle))
	for _, line := range old[:head] {
		all = append(all, edit{' ', line})
	}
	all = append(all, middle...)
	for _, line := range old[len(old)-tail:] {
		all = append(all, edit{' ', line})
	}
	return writeEdits(all, mask)
}

// splitLines splits a text after each line. An end without line break is a line of its own kind.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		return lines[:len(lines)-1]
	}
	lines[len(lines)-1] += " (no line break at the end)"
	return lines
}

// editsOf finds the fewest lines that go and come, by the longest common subsequence. It reports false
// when that would take too long.
func editsOf(old, now []string) ([]edit, bool) {
	width := len(now) + 1
	if (len(old)+1)*width > diffWork {
		return nil, false
	}
	common := make([]int32, (len(old)+1)*width) // of old[i:] and now[j:]
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			if old[i] == now[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	var edits []edit
	i, j := 0, 0
	for i < len(old) || j < len(now) {
		switch {
		case i < len(old) && j < len(now) && old[i] == now[j]:
			edits = append(edits, edit{' ', old[i]})
			i, j = i+1, j+1
		case i < len(old) && (j == len(now) || common[(i+1)*width+j] >= common[i*width+j+1]):
			edits = append(edits, edit{'-', old[i]})
			i++
		default:
			edits = append(edits, edit{'+', now[j]})
			j++
		}
	}
	return edits, true
}

// writeEdits writes what differs with what is around it.
func writeEdits(all []edit, mask func(string) string) string {
	near := make([]bool, len(all))
	for i, e := range all {
		for k := max(0, i-diffContext); e.sign != ' ' && k <= min(len(all)-1, i+diffContext); k++ {
			near[k] = true
		}
	}
	var out []string
	line, left := 1, 0 // line of what comes next in the text before; how many lines are not told
	for i, e := range all {
		switch {
		case !near[i]:
		case len(out) >= diffLines:
			left++
		default:
			if i == 0 || !near[i-1] {
				out = append(out, fmt.Sprintf("@@ line %d @@", line))
			}
			out = append(out, string(e.sign)+mask(e.text))
		}
		if e.sign != '+' {
			line++
		}
	}
	switch {
	case left == 1:
		out = append(out, "(1 more line)")
	case left > 1:
		out = append(out, fmt.Sprintf("(%d more lines)", left))
	}
	return strings.Join(out, "\n")
}

// LineDiff tells how two texts differ by line, as changes of revisions do. Nothing is masked.
func LineDiff(before, after string) string {
	return lineDiff(before, after, func(line string) string {
		if runes := []rune(line); len(runes) > maxDiffWidth {
			return string(runes[:maxDiffWidth]) + "…"
		}
		return line
	})
}
