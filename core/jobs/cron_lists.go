package jobs

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

func lowest(set uint64) int  { return bits.TrailingZeros64(set) }
func highest(set uint64) int { return 63 - bits.LeadingZeros64(set) }

// steps returns in what steps a set goes through 0 to whole, which they divide; 0 when it does not.
func steps(set uint64, whole int) int {
	count := bits.OnesCount64(set)
	if count == 0 || whole%count != 0 {
		return 0
	}
	step := whole / count
	for v := 0; v < whole; v += step {
		if !has(set, v) {
			return 0
		}
	}
	return step
}

// spans lists the values of a set; three and more that follow each other as a span.
func spans(set uint64, name func(int) string) string {
	var parts []string
	for v := lowest(set); v < 64; v++ {
		if !has(set, v) {
			continue
		}
		last := v
		for last < 63 && has(set, last+1) {
			last++
		}
		if last-v >= 2 {
			parts = append(parts, name(v)+" to "+name(last))
			v = last
			continue
		}
		parts = append(parts, name(v))
	}
	return listed(parts)
}

// listed joins texts for people: "a, b and c".
func listed(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

func atMinutes(minutes uint64) string {
	if minutes == 1 {
		return ""
	}
	return fmt.Sprintf(" at minute%s %s", plural(bits.OnesCount64(minutes)), spans(minutes, plain))
}

func plain(v int) string { return strconv.Itoa(v) }

func plural(count int) string {
	if count == 1 {
		return ""
	}
	return "s"
}

func ordinal(v int) string {
	ending := "th"
	if v/10 != 1 {
		switch v % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return strconv.Itoa(v) + ending
}
