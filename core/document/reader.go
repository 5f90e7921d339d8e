package document

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"berth/core"
	"berth/core/fault"
)

// Reader takes values out of one document. A path names a key or an item: "image", "resources.cpu",
// "configs[0].file". What is not there leaves its destination as it is, so that a default holds.
type Reader struct {
	doc      core.Document
	problems []complaint
}

// complaint is a problem with the line that it is about; 0: the document does not know it.
type complaint struct {
	fault.Field
	line int
}

// New returns a Reader of a document.
func New(doc core.Document) *Reader { return &Reader{doc: doc} }

// Complain notes a problem with what stands at a path. Its line is that of the path, or of what it lies in.
func (r *Reader) Complain(path, format string, args ...any) {
	text, line := fmt.Sprintf(format, args...), r.line(path)
	if line > 0 {
		text = fmt.Sprintf("line %d: %s", line, text)
	}
	r.problems = append(r.problems, complaint{fault.Field{Path: path, Problem: text}, line})
}

func (r *Reader) line(path string) int {
	for {
		if line := r.doc.Lines[path]; line > 0 {
			return line
		}
		end := strings.LastIndexAny(path, ".[")
		if end < 0 {
			return 0
		}
		path = path[:end]
	}
}

// Fault returns the one fault of all problems, or nil when there is none: Invalid, with this code, naming the file. Its fields and
// the lines of its text are in order of the file's lines; what has none comes first.
func (r *Reader) Fault(file, code string) error {
	if len(r.problems) == 0 {
		return nil
	}
	ordered := slices.Clone(r.problems)
	slices.SortStableFunc(ordered, func(a, b complaint) int { return cmp.Compare(a.line, b.line) })
	fields := make([]fault.Field, len(ordered))
	for i, c := range ordered {
		fields[i] = c.Field
	}
	head := file
	if len(fields) > 1 {
		head = fmt.Sprintf("%s has %d problems", file, len(fields))
	}
	return &fault.Error{Kind: fault.Invalid, Code: code, Fields: fields, Public: fault.List(head, fields)}
}

// At returns the value at a path; nil when there is none.
func (r *Reader) At(path string) any {
	var value any = r.doc.Value
	for _, part := range strings.Split(path, ".") {
		key, index, item := strings.Cut(part, "[")
		m, _ := value.(map[string]any)
		value = m[key]
		if item {
			list, _ := value.([]any)
			i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
			if err != nil || i < 0 || i >= len(list) {
				return nil
			}
			value = list[i]
		}
	}
	return value
}

// Keys refuses keys of the top level that are not known, so that a misspelt one is not silently without effect.
func (r *Reader) Keys(known ...string) { r.keys("", r.doc.Value, known) }

// Section refuses what is not a mapping of known keys at a path, and reports whether a mapping is there.
func (r *Reader) Section(path string, known ...string) bool {
	switch v := r.At(path).(type) {
	case nil:
	case map[string]any:
		r.keys(path+".", v, known)
		return true
	default:
		r.Complain(path, "must be a mapping")
	}
	return false
}

func (r *Reader) keys(prefix string, m map[string]any, known []string) {
	var unknown []string
	for key := range m {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	sort.Strings(unknown)
	for _, key := range unknown {
		r.Complain(prefix+key, "is not a known key; known are %s", strings.Join(known, ", "))
	}
}
