package metrics

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"slices"

	"berth/core"
)

// Registered is a worker that is registered and not revoked.
type Registered struct {
	ID       core.WorkerID
	Hostname string
}

// Merge writes what several hubs answered, in the text format with a label each, as one exposition with
// each family once. An answer may be compressed, and is never held as a whole: all are read side by side,
// family by family. Workers are those that are registered, whatever the hubs know: the series of one
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
	owners, err := ownersOf(all, workers)
	if err != nil {
		return err
	}
	answers := make([]*answer, len(all))
	for i, text := range all {
		if answers[i], err = readAnswer(text); err != nil {
			return err
		}
	}
	buffered := bufio.NewWriterSize(w, piece)
	out := &failing{to: buffered}
	for name := first(answers); name != ""; name = first(answers) {
		if err := writeFamily(out, f, name, answers, owners); err != nil {
			return err
		}
	}
	out.write(f.ending())
	if out.err == nil {
		out.err = buffered.Flush()
	}
	return out.err
}

// first returns the name of the family that comes next of all; empty at the end.
func first(answers []*answer) (name string) {
	for _, a := range answers {
		if a.name != "" && (name == "" || a.name < name) {
			name = a.name
		}
	}
	return name
}

// writeFamily writes one family of every hub that has it: of each its own series, and those of its workers.
func writeFamily(out *failing, f Format, name string, answers []*answer, owners map[string]owner) error {
	var head []byte
	for i, a := range answers {
		if a.name != name {
			continue
		}
		if head == nil {
			head = slices.Clone(a.header)
			out.write(f.header(head))
			if name == statesName {
				writeStates(out, owners)
			}
		}
		if name != statesName && bytes.Equal(typeOf(head), typeOf(a.header)) {
			a.series(func(line []byte) {
				worker := workerOf(line)
				if o, known := owners[string(worker)]; len(worker) == 0 || known && o.text == i {
					out.write(line)
				}
			})
		}
		if err := a.next(); err != nil {
			return err
		}
	}
	return out.err
}

// owner says whose word about a worker counts.
type owner struct {
	text int // index of the exposition
	up   bool
}

// ownersOf finds, for each registered worker, the answer that holds its link, or the first that knows it.
func ownersOf(all [][]byte, workers []Registered) (map[string]owner, error) {
	owners := make(map[string]owner, len(workers))
	for _, w := range workers {
		owners[string(w.ID)] = owner{text: -1}
	}
	for i, text := range all {
		a, err := readAnswer(text)
		for err == nil && a.name != "" && a.name < upName {
			err = a.next()
		}
		if err != nil {
			return nil, err
		}
		if a.name != upName {
			continue
		}
		a.series(func(line []byte) {
			worker, up := workerOf(line), bytes.HasSuffix(line, []byte(" 1\n"))
			if known, has := owners[string(worker)]; has && (known.text < 0 || up && !known.up) {
				owners[string(worker)] = owner{i, up}
			}
		})
		if a.err != nil {
			return nil, a.err
		}
	}
	return owners, nil
}

// workerOf returns the worker that a line is about, or nothing when it is about the hub. The label
// worker comes first, see workerLabels.
func workerOf(line []byte) []byte {
	_, rest, found := bytes.Cut(line, []byte(`{worker="`))
	if !found || bytes.IndexByte(line, '{') != len(line)-len(rest)-len(`{worker="`) {
		return nil
	}
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	return id
}

// writeStates counts the workers of all hubs, each once.
func writeStates(out *failing, owners map[string]owner) {
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
