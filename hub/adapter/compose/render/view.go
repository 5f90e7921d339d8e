package render

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// entry is one key of a mapping as a YAML reader sees it, merge keys applied.
type entry struct {
	name  string
	key   *yaml.Node
	value *yaml.Node // never an alias
}

// deref follows aliases. Only weighed documents are viewed, so there are no cycles.
func deref(n *yaml.Node) *yaml.Node {
	for n != nil {
		switch {
		case n.Kind == yaml.AliasNode:
			n = n.Alias
		case n.Kind == yaml.DocumentNode && len(n.Content) > 0:
			n = n.Content[0]
		default:
			return n
		}
	}
	return nil
}

// entries returns the keys of a mapping, those of merged mappings included and
// overridden ones left out; nothing for any other node.
func entries(n *yaml.Node) []entry {
	seen := map[string]bool{}
	var all []entry
	collectEntries(deref(n), seen, &all)
	return all
}

func collectEntries(n *yaml.Node, seen map[string]bool, all *[]entry) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], deref(n.Content[i+1])
		switch {
		case key.ShortTag() == "!!merge" && value.Kind == yaml.SequenceNode:
			merged = append(merged, value.Content...)
		case key.ShortTag() == "!!merge":
			merged = append(merged, value)
		case !seen[key.Value]:
			seen[key.Value] = true
			*all = append(*all, entry{key.Value, key, value})
		}
	}
	for _, m := range merged {
		collectEntries(deref(m), seen, all)
	}
}

// lookup returns the value of a key of a mapping, or nil.
func lookup(n *yaml.Node, name string) *yaml.Node {
	for _, e := range entries(n) {
		if e.name == name {
			return e.value
		}
	}
	return nil
}

var pathInMessage = regexp.MustCompile(`\b(?:services|networks|volumes|configs|secrets)(?:\.[A-Za-z0-9_-]+)+`)

// locate returns "file:line" for the first path such as services.web.ports that a
// library's message names, in the last file that has it; empty when there is none.
func locate(files []*document, message string) string {
	segments := segmentsIn(message)
	place, deepest := "", 1
	for _, d := range files {
		n, depth := d.root, 0
		line := n
		for _, segment := range segments {
			found := false
			for _, e := range entries(n) {
				if e.name == segment {
					line, n, found = e.key, e.value, true
					break
				}
			}
			if !found {
				break
			}
			depth++
		}
		if depth > 0 && depth >= deepest {
			place, deepest = d.at(line), depth
		}
	}
	return place
}

var keyInMessage = regexp.MustCompile(`additional properties '([^']+)'`)

// segmentsIn returns the path that a message names, down to the key that it complains about.
func segmentsIn(message string) []string {
	segments := strings.Split(pathInMessage.FindString(message), ".")
	if key := keyInMessage.FindStringSubmatch(message); key != nil {
		segments = append(slices.DeleteFunc(segments, func(s string) bool { return s == "" }), key[1])
	}
	return segments
}
