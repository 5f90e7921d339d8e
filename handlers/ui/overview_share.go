package ui

import (
	"fmt"
	"slices"
	"strings"
)

// segment is the share of a whole that is in one state, on a line of shareLength.
type segment struct {
	Word, Tone, Icon, Href string
	Count, X, W            int
}

const (
	shareLength = 1000
	shareLeast  = 16 // of one among ten thousand, so that it is seen
)

// sharePicture is segments that fill a line.
type sharePicture struct {
	Text     string // the picture in words
	Segments []segment
}

func share(text string, segments []segment) sharePicture { return sharePicture{text, segments} }

// sharesOf lays segments beside each other so that they fill the line. Those of nothing are left out.
func sharesOf(segments []segment) []segment {
	segments = slices.DeleteFunc(segments, func(s segment) bool { return s.Count == 0 })
	counts := make([]int, len(segments))
	for i, s := range segments {
		counts[i] = s.Count
	}
	x := 0
	for i, width := range portions(counts, shareLength, shareLeast) {
		segments[i].X, segments[i].W = x, width
		x += width
	}
	return segments
}

func segmentsInWords(segments []segment) string {
	var parts []string
	for _, s := range segments {
		parts = append(parts, fmt.Sprintf("%d %s", s.Count, strings.ToLower(s.Word)))
	}
	return strings.Join(parts, ", ")
}

// portions divides a length: each count that is not 0 gets least, and of the rest its share. The length
// must be enough for that; what rounding leaves goes to the largest.
func portions(counts []int, length, least int) []int {
	total, largest, some := 0, 0, 0
	for i, n := range counts {
		total += n
		if n > 0 {
			some++
		}
		if n > counts[largest] {
			largest = i
		}
	}
	out := make([]int, len(counts))
	if total == 0 {
		return out
	}
	left := length
	for i, n := range counts {
		if n > 0 {
			out[i] = least + (length-least*some)*n/total
			left -= out[i]
		}
	}
	out[largest] += left
	return out
}
