// Package yaml decodes the small YAML files of repositories, such as wireops.yaml, for
// core.DocumentReader: one document, a mapping, without anchors, within limits, with
// the line of every key and item.
//
// It must not know what any key means; core/stacks judges that. Compose files have a
// reader of their own, hub/adapter/compose/render; what that has written is decoded by
// Rendered. Start with Reader.
package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"berth/core"
	"berth/core/fault"

	"go.yaml.in/yaml/v3"
)

// limits of a document.
type limits struct{ bytes, depth, nodes int }

var (
	smallFile = limits{64 << 10, 16, 5000}
	// renderedFile has room for whatever hub/adapter/compose/render writes.
	renderedFile = limits{1 << 20, 128, 200_000}
	// configurationFile has room for thousands of stacks.
	configurationFile = limits{4 << 20, 10, 500_000}
)

// Reader implements core.DocumentReader. It has no state.
type Reader struct{}

// ReadDocument decodes content. Faults: Invalid "document.invalid" with the line,
// TooLarge "document.too_large".
func (Reader) ReadDocument(content []byte) (core.Document, error) { return read(content, smallFile) }

// Configuration implements core.DocumentReader for files of core/configuration, which may be larger. It has no state.
type Configuration struct{}

// ReadDocument decodes content. Faults as those of Reader.
func (Configuration) ReadDocument(content []byte) (core.Document, error) {
	return read(content, configurationFile)
}

// Rendered implements core.DocumentReader for the rendered Compose files of revisions, which
// are larger. It has no state.
type Rendered struct{}

// ReadDocument decodes content. Faults as those of Reader.
func (Rendered) ReadDocument(content []byte) (core.Document, error) {
	return read(content, renderedFile)
}

func read(content []byte, l limits) (core.Document, error) {
	if len(content) > l.bytes {
		return core.Document{}, tooLarge("the file has %d bytes, at most %d are read", len(content), l.bytes)
	}
	if !utf8.Valid(content) {
		return core.Document{}, notText(content)
	}
	root, err := parse(content)
	if err != nil {
		return core.Document{}, err
	}
	w := &walk{limits: l, lines: map[string]int{}}
	value, err := w.mapping(root, "", 0)
	return core.Document{Value: value, Lines: w.lines}, err
}

// parse returns the one mapping of the one document.
func parse(content []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document, second yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, invalid("the file is empty")
	} else if err != nil {
		return nil, wrong(err, content)
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, invalid("line %d: a second document begins here; one is read", max(second.Line, 1))
	} else if !errors.Is(err, io.EOF) {
		return nil, wrong(err, content)
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, invalid("line %d: the top level must be a mapping of keys to values", root.Line)
	}
	return root, nil
}

// walk turns nodes into plain values.
type walk struct {
	limits limits
	lines  map[string]int
	nodes  int
}

func (w *walk) mapping(n *yaml.Node, path string, depth int) (map[string]any, error) {
	m := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
			return nil, invalid("line %d: a key must be text", key.Line)
		}
		if _, twice := m[key.Value]; twice {
			return nil, invalid("line %d: the key %.60q is there twice", key.Line, key.Value)
		}
		at := join(path, key.Value)
		w.lines[at] = key.Line
		value, err := w.value(n.Content[i+1], at, depth+1)
		if err != nil {
			return nil, err
		}
		m[key.Value] = value
	}
	return m, nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func (w *walk) value(n *yaml.Node, path string, depth int) (any, error) {
	w.nodes++
	if w.nodes > w.limits.nodes || depth > w.limits.depth {
		return nil, tooLarge("line %d: more than %d values or %d levels", n.Line, w.limits.nodes, w.limits.depth)
	}
	switch n.Kind {
	case yaml.MappingNode:
		return w.mapping(n, path, depth)
	case yaml.SequenceNode:
		items := make([]any, 0, len(n.Content))
		for i, child := range n.Content {
			at := path + "[" + strconv.Itoa(i) + "]"
			w.lines[at] = child.Line
			item, err := w.value(child, at, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		return items, nil
	case yaml.ScalarNode:
		return scalar(n)
	}
	return nil, invalid("line %d: anchors and aliases are not read here; write the value out", n.Line)
}

// scalar decodes text, booleans, numbers and null.
func scalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!str":
		return n.Value, nil
	case "!!null":
		return nil, nil
	case "!!bool":
		var v bool
		err := n.Decode(&v)
		return v, wrongScalar(n, err)
	case "!!int":
		var v int64
		err := n.Decode(&v)
		return v, wrongScalar(n, err)
	case "!!float":
		var v float64
		err := n.Decode(&v)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			err = errors.New("not a finite number")
		}
		return v, wrongScalar(n, err)
	}
	return nil, invalid("line %d: the YAML type %.30s is not read here; put the value in quotes", n.Line, n.ShortTag())
}

func wrongScalar(n *yaml.Node, err error) error {
	if err == nil {
		return nil
	}
	return invalid("line %d: %.60q is out of range", n.Line, n.Value)
}

func invalid(format string, args ...any) error {
	return fault.New(fault.Invalid, "document.invalid", "%.600s", fmt.Sprintf(format, args...))
}

func tooLarge(format string, args ...any) error {
	return fault.New(fault.TooLarge, "document.too_large", "%.600s", fmt.Sprintf(format, args...))
}
