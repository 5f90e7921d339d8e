package metrics

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strings"

	"berth/core"
)

// Registered is a worker that is registered and not revoked.
type Registered struct {
	ID       core.WorkerID
	Hostname string
}

// Merge writes what several hubs answered, in the text format with a label each, as one exposition with
// each family once. Workers are those that are registered, whatever the hubs know: the series of one
// come from the hub that holds its link, or, when none does, from the first that knows it; one that no
// hub knows is down. How many there are is counted anew. A family that two hubs report with different
// types is taken as the first one has it.
func Merge(w io.Writer, f Format, all [][]byte, workers []Registered) error {
	if !f.Gzip {
		return merge(w, f, all, workers)
	}
	zipped, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if err := merge(zipped, f, all, workers); err != nil {
		return err
	}
	return zipped.Close()
}

func merge(w io.Writer, f Format, all [][]byte, workers []Registered) error {
	all = append(slices.Clip(all), unlinked(workers))
	texts := make([]blocks, len(all))
	for i, text := range all {
		texts[i] = blocksOf(text)
	}
	owners := ownersOf(texts, workers)
	out := &failing{to: w}
	for _, name := range familyNames(texts) {
		if name == statesName {
			writeStates(out, f, texts, owners)
			continue
		}
		var head []byte
		for i, text := range texts {
			b, has := text[name]
			if !has || head != nil && !bytes.Equal(typeOf(head), typeOf(b.header)) {
				continue
			}
			if head == nil {
				head = b.header
				out.write(f.header(head))
			}
			writeBlock(out, b.lines, i, owners)
		}
	}
	out.write(f.ending())
	return out.err
}

// block is one family of a text.
type block struct {
	header []byte // HELP and TYPE lines
	lines  []byte // the series
}

type blocks map[string]block

// blocksOf cuts a text into families. Each begins with its HELP line, as header writes it.
func blocksOf(text []byte) blocks {
	found := blocks{}
	const help = "# HELP "
	for len(text) > 0 {
		if !bytes.HasPrefix(text, []byte(help)) {
			_, text = cutLine(text) // nothing that Board.All writes
			continue
		}
		end := bytes.Index(text[1:], []byte("\n"+help))
		family := text
		if end >= 0 {
			family = text[:end+2]
		}
		text = text[len(family):]
		first, rest := cutLine(family)
		second, lines := cutLine(rest)
		name, _, _ := strings.Cut(string(first[len(help):]), " ")
		found[name] = block{header: family[:len(first)+len(second)], lines: lines}
	}
	return found
}

// cutLine returns the first line with its end, and what follows.
func cutLine(text []byte) (line, rest []byte) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1], text[i+1:]
	}
	return text, nil
}

// typeOf returns the TYPE line of a header.
func typeOf(header []byte) []byte {
	_, line := cutLine(header)
	return line
}

func familyNames(texts []blocks) []string {
	seen := map[string]bool{}
	for _, text := range texts {
		for name := range text {
			seen[name] = true
		}
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// owner says whose word about a worker counts.
type owner struct {
	text int // index of the exposition
	up   bool
}

// ownersOf finds, for each registered worker, the exposition that holds its link, or the first that knows it.
func ownersOf(texts []blocks, workers []Registered) map[string]owner {
	owners := make(map[string]owner, len(workers))
	for _, w := range workers {
		owners[string(w.ID)] = owner{text: -1}
	}
	for i, text := range texts {
		for lines := text[upName].lines; len(lines) > 0; {
			var line []byte
			line, lines = cutLine(lines)
			worker, up := workerOf(line), bytes.HasSuffix(line, []byte(" 1\n"))
			if known, has := owners[worker]; has && (known.text < 0 || up && !known.up) {
				owners[worker] = owner{i, up}
			}
		}
	}
	return owners
}

// workerOf returns the worker that a line is about, or "" when it is about the hub. The label
// worker comes first, see workerLabels.
func workerOf(line []byte) string {
	_, rest, found := bytes.Cut(line, []byte(`{worker="`))
	if !found || bytes.IndexByte(line, '{') != len(line)-len(rest)-len(`{worker="`) {
		return ""
	}
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(id)
}

// writeBlock writes the lines of one hub: its own, and those of its workers.
func writeBlock(out *failing, lines []byte, from int, owners map[string]owner) {
	for len(lines) > 0 {
		var line []byte
		line, lines = cutLine(lines)
		worker := workerOf(line)
		if o, known := owners[worker]; worker == "" || known && o.text == from {
			out.write(line)
		}
	}
}

// writeStates counts the workers of all hubs, each once.
func writeStates(out *failing, f Format, texts []blocks, owners map[string]owner) {
	for _, text := range texts {
		if b, has := text[statesName]; has {
			out.write(f.header(b.header))
			break
		}
	}
	online := 0
	for _, o := range owners {
		if o.up {
			online++
		}
	}
	out.write(appendSeries(nil, statesName, []Label{{"state", "online"}}, float64(online)),
		appendSeries(nil, statesName, []Label{{"state", "offline"}}, float64(len(owners)-online)))
}

// failing writes until something fails, and then nothing any more.
type failing struct {
	to  io.Writer
	err error
}

func (f *failing) write(pieces ...[]byte) {
	for _, p := range pieces {
		if f.err == nil {
			_, f.err = f.to.Write(p)
		}
	}
}
