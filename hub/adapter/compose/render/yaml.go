package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// encodeYAML writes a tree of plain values with sorted keys.
func encodeYAML(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(nodeOf(value)); err != nil {
		return nil, fmt.Errorf("write rendered project: %w", err)
	}
	if err := encoder.Close(); err != nil {
		return nil, fmt.Errorf("write rendered project: %w", err)
	}
	return out.Bytes(), nil
}

func nodeOf(value any) *yaml.Node {
	switch v := value.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.Content = append(n.Content, textNode(key), nodeOf(v[key]))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, e := range v {
			n.Content = append(n.Content, nodeOf(e))
		}
		return n
	case string:
		return textNode(v)
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: v.String()}
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: v.String()}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
}

// textNode chooses the style with which a text survives any YAML reader: plain and
// literal only where nothing in it has a meaning, double quotes for all else.
func textNode(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: yaml.DoubleQuotedStyle}
	switch {
	case plain(text):
		n.Style = 0
	case literal(text):
		n.Style = yaml.LiteralStyle
	}
	return n
}

// notText are words that one version of YAML or another takes for something else.
var notText = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}

// plain reports whether text is a word that starts with a letter and is text to every
// YAML reader.
func plain(text string) bool {
	if text == "" || nameLength(text[:1]) == 0 || slices.Contains(notText, strings.ToLower(text)) {
		return false
	}
	for _, r := range text {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_./-", r)) {
			return false
		}
	}
	return true
}

// literal reports whether text is several lines of printable ASCII without blanks at
// the edges of a line that a reader might take for layout.
func literal(text string) bool {
	if !strings.Contains(text, "\n") || text[0] == ' ' || text[0] == '\n' || strings.HasSuffix(text, "\n\n") {
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasSuffix(line, " ") {
			return false
		}
	}
	for _, r := range text {
		if r != '\n' && (r < ' ' || r > '~') {
			return false
		}
	}
	return true
}
