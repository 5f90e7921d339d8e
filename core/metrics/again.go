package metrics

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"berth/core"
)

// What a worker reports has the same series again and again, with other numbers. Reading that with the library of the
// text format takes most of the time and of the memory of a snapshot, and it was read so when it came first: here it
// is compared. Whatever is not just like it was, is the Validator's.

// maxBlocks is how many families of a snapshot are compared at the most.
const maxBlocks = 128

// block is one family of a snapshot, as the worker wrote it.
type block struct {
	name, kind string
	all, lines string // with the HELP and TYPE lines, and without
}

// read returns the families of a snapshot, and how many series of it were dropped; room holds some of their text.
func (c *Cache) read(id core.WorkerID, hostname, text string, room *[]byte) ([]Family, map[Reason]int) {
	same, rest := c.again(id, hostname, text, room)
	if rest == "" && len(same) > 0 {
		return same, map[Reason]int{}
	}
	labels := workerLabels(id, hostname)
	others, dropped := c.validator.Validate(rest, labels)
	for _, f := range others {
		if slices.ContainsFunc(same, func(s Family) bool { return s.Name == f.Name }) { // its series stand in two places
			return c.validator.Validate(text, labels)
		}
	}
	return append(same, others...), dropped
}

// again returns those families of a snapshot whose series are the ones that the worker reported before, with labels
// set on them as before; room holds their text. rest is the text of all others.
func (c *Cache) again(id core.WorkerID, hostname, text string, room *[]byte) (same []Family, rest string) {
	blocks, plain := blocksOf(text)
	if !plain {
		return nil, text
	}
	set := appendLabels(nil, workerLabels(id, hostname))
	var others strings.Builder
	c.mu.RLock()
	defer c.mu.RUnlock()
	w, known := c.workers[id]
	if !known {
		return nil, text
	}
	for _, b := range blocks {
		if f, is := c.sameSeries(w, b, set, room); is {
			same = append(same, f)
		} else {
			others.WriteString(b.all)
		}
	}
	return same, others.String()
}

// sameSeries is a block as a family, when it is like what is kept but for its numbers. The caller holds mu.
func (c *Cache) sameSeries(w *worker, b block, set []byte, room *[]byte) (Family, bool) {
	known, found := c.families[b.name]
	if !found || string(known.kind) != b.kind || known.kind == TypeHistogram || known.kind == TypeSummary {
		return Family{}, false
	}
	from, series := len(*room), 0
	kept, lines := known.part(w.rank), b.lines
	for ; lines != "" && len(kept) > 0; series++ {
		var line string
		line, lines, _ = strings.Cut(lines, "\n")
		end := bytes.IndexByte(kept, '\n') + 1
		head, number, same := sameLine(known.name, line, kept[:end], set)
		if !same || !sound(known, number) {
			return Family{}, false
		}
		*room = strconv.AppendFloat(append(*room, head...), number, 'g', -1, 64)
		*room = append(*room, '\n')
		kept = kept[end:]
	}
	if lines != "" || len(kept) > 0 || series == 0 {
		return Family{}, false
	}
	return Family{Name: known.name, Type: known.kind, Text: (*room)[from:len(*room):len(*room)], Series: series}, true
}

// sameLine reports whether a line that a worker wrote is of the series of a line that is kept, on which labels
// were set; head is what stands before the number there.
func sameLine(name, line string, kept, set []byte) (head []byte, number float64, same bool) {
	space := bytes.LastIndexByte(kept, ' ')
	head = kept[:space+1]
	labels, is := bytes.CutPrefix(head[len(name):], set) // the rest of what is in braces
	if !is {
		return nil, 0, false
	}
	said := " " // behind the name, where there are none but those
	if labels[0] == ',' {
		said = "{" + string(labels[1:])
	}
	line, begins := strings.CutPrefix(line, name)
	line, goesOn := strings.CutPrefix(line, said)
	if !begins || !goesOn {
		return nil, 0, false
	}
	number, is = decimal(line)
	return head, number, is
}

// sound reports whether a number may be one of a family; see promtext.Validator for the rules.
func sound(f *shared, number float64) bool {
	switch f.kind {
	case TypeCounter:
		return number >= 0
	case TypeGauge:
		return !strings.HasSuffix(f.name, "_info") || number == 1
	}
	return true
}

// decimal reads a number that has nothing about it that is rare.
func decimal(text string) (float64, bool) {
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' {
			return 0, false
		}
	}
	number, err := strconv.ParseFloat(text, 64)
	return number, err == nil && (number != 0 || !math.Signbit(number))
}

// blocksOf takes a text apart; false when it is not as workers of ours write it.
func blocksOf(text string) (blocks []block, plain bool) {
	for text != "" {
		b, rest, whole := cutBlock(text)
		if !whole || len(blocks) == maxBlocks {
			return nil, false
		}
		for _, other := range blocks {
			if other.name == b.name {
				return nil, false
			}
		}
		blocks, text = append(blocks, b), rest
	}
	return blocks, true
}

// cutBlock takes the first family off a text: a HELP line, a TYPE line, and its series.
func cutBlock(text string) (b block, rest string, whole bool) {
	_, after, _ := strings.Cut(text, "\n")
	kind, lines, _ := strings.Cut(after, "\n")
	kind, typed := strings.CutPrefix(kind, "# TYPE ")
	b.name, b.kind, _ = strings.Cut(kind, " ")
	if !typed || !strings.HasPrefix(text, "# HELP "+b.name+" ") || strings.Contains(text[:len(text)-len(lines)], "\r") {
		return b, "", false
	}
	size := len(lines)
	if next := strings.Index(lines, "\n#"); next >= 0 {
		size = next + 1
	}
	b.lines, rest = lines[:size], lines[size:]
	b.all = text[:len(text)-len(rest)]
	return b, rest, strings.HasSuffix(b.lines, "\n")
}
