package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// document is one Compose file that keeps to the limits.
type document struct {
	path string // in the repository
	data []byte
	root *yaml.Node // a mapping
	size weight     // with aliases and extends expanded
	dir  string     // in the repository: where its relative paths begin

	includes []*inclusion         // in order
	bases    map[string]*document // files that its services extend services of, by the text that names them
}

// at says where a node stands, for people.
func (d *document) at(n *yaml.Node) string { return d.path + ":" + strconv.Itoa(n.Line) }

// parse reads one YAML document into nodes, which expands nothing, and checks it.
func parse(path string, data []byte) (*document, error) {
	d := &document{path: path, data: data}
	if !utf8.Valid(data) {
		return nil, invalid("%s:%d: not UTF-8 text.", path, invalidLine(data))
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var top, second yaml.Node
	if err := decoder.Decode(&top); errors.Is(err, io.EOF) {
		return nil, invalid("%s is empty.", path)
	} else if err != nil {
		return nil, d.syntax(err)
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, invalid("%s:%d: a second YAML document; a Compose file has one.", path, max(second.Line, 1))
	} else if !errors.Is(err, io.EOF) {
		return nil, d.syntax(err)
	}
	if err := d.checkNode(&top, 0); err != nil {
		return nil, err
	}
	d.root = deref(&top)
	if d.root.Kind != yaml.MappingNode {
		return nil, invalid("%s: the top level must be a mapping with services:.", d.at(&top))
	}
	var err error
	d.size, err = d.weigh()
	return d, err
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

func (d *document) syntax(err error) error {
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		return invalid("%s: %v", d.path, err)
	}
	if m[1] == "" {
		return invalid("%s: %s", d.path, m[2])
	}
	said, _ := strconv.Atoi(m[1]) // digits, by the pattern
	return invalid("%s:%d: %s", d.path, max(d.lineOfSyntax(), said), m[2])
}

// maxSearchedBytes bounds what is parsed again to find the line of a mistake.
const maxSearchedBytes = 1 << 20

// lineOfSyntax returns the line on which the text stops being YAML: the one after the
// longest beginning that is. The parser's own number tells where the surrounding block
// began. Zero when it was not found within the bound.
func (d *document) lineOfSyntax() int {
	end, left := len(d.data), maxSearchedBytes
	for {
		if left -= end; left < 0 {
			return 0
		}
		var n yaml.Node
		err := yaml.NewDecoder(bytes.NewReader(d.data[:end])).Decode(&n)
		if err == nil || errors.Is(err, io.EOF) {
			return bytes.Count(d.data[:end], []byte("\n")) + 1
		}
		end = bytes.LastIndexByte(bytes.TrimSuffix(d.data[:end], []byte("\n")), '\n') + 1
	}
}

// tags are the YAML types that a Compose file may use, and the two with which one file
// takes back what an earlier one said.
var tags = map[string]bool{
	"": true, "!": true, "!!str": true, "!!int": true, "!!float": true, "!!bool": true, "!!null": true,
	"!!map": true, "!!seq": true, "!!merge": true, "!!timestamp": true, "!reset": true, "!override": true,
}

// checkNode walks the nodes as written; aliases are not followed.
func (d *document) checkNode(n *yaml.Node, depth int) error {
	if depth > maxDepth {
		return tooLarge("%s: nested deeper than %d levels.", d.at(n), maxDepth)
	}
	if len(n.Value) > maxRendered {
		return tooLarge("%s: a text of more than %d KiB.", d.at(n), maxRendered>>10)
	}
	if !tags[n.ShortTag()] {
		return invalid("%s: the YAML tag %s is not allowed.", d.at(n), n.ShortTag())
	}
	if n.Kind == yaml.MappingNode {
		if err := d.checkKeys(n); err != nil {
			return err
		}
	}
	for _, child := range n.Content {
		if err := d.checkNode(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) checkKeys(n *yaml.Node) error {
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" && key.ShortTag() != "!!merge" {
			return invalid("%s: a key must be text; put it in quotes.", d.at(key))
		}
		if first, twice := seen[key.Value]; twice {
			return invalid("%s: the key %q is already set on line %d.", d.at(key), clipKey(key.Value), first)
		}
		seen[key.Value] = key.Line
	}
	return nil
}

func clipKey(key string) string {
	if len(key) > 60 {
		return fmt.Sprintf("%.60s…", key)
	}
	return key
}

func invalidLine(data []byte) int {
	line := 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		data = data[size:]
	}
	return line
}
