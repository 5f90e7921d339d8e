package render

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"berth/core"
)

// place says where a path of the project, such as services.web.ports[0], is written: the nearest part of it that is
// written somewhere, in the last file that has it. Names may have dots in them, so keys are matched whole.
func (r *rendering) place(path string) core.Place {
	var found core.Place
	deepest, written := 0, 0
	for _, d := range r.files {
		if n, depth := walk(d.root, path); depth >= deepest && depth > 0 {
			if depth > deepest {
				written = 0
			}
			found, deepest = core.Place{File: d.path, Line: n.Line}, depth
			written++
		}
	}
	list, index, item := cutIndex(path)
	if !item || written != 1 {
		return found
	}
	return r.itemOf(list, index, found)
}

// itemOf returns the line of an item of a list which one file alone writes; where the list is written anew or by
// ranges, so that its items have other places than those of the project, it is the line of the list.
func (r *rendering) itemOf(list string, index int, whole core.Place) core.Place {
	for _, d := range r.files {
		if d.path != whole.File {
			continue
		}
		value := valueAt(d.root, list)
		if value == nil || value.Kind != yaml.SequenceNode || index >= len(value.Content) || strings.HasSuffix(list, ".ports") && hasRange(value) {
			break
		}
		return core.Place{File: d.path, Line: value.Content[index].Line}
	}
	return whole
}

func hasRange(ports *yaml.Node) bool {
	for _, p := range ports.Content {
		if p = deref(p); p.Kind == yaml.ScalarNode && strings.Contains(p.Value, "-") {
			return true
		}
	}
	return false
}

// cutIndex parts the first index from a path: services.web.ports[3].target is item 3 of services.web.ports.
func cutIndex(path string) (list string, index int, ok bool) {
	list, rest, ok := strings.Cut(path, "[")
	if !ok {
		return path, 0, false
	}
	number, _, _ := strings.Cut(rest, "]")
	index, err := strconv.Atoi(number)
	return list, index, err == nil && index >= 0
}

// walk follows a path as far as it is written, and returns the key at which that ends and how many bytes of the path lead there.
func walk(n *yaml.Node, path string) (key *yaml.Node, depth int) {
	rest := path
	for rest != "" {
		e, found := nextEntry(n, rest)
		if !found {
			break
		}
		key, n = e.key, e.value
		rest = strings.TrimPrefix(rest[len(e.name):], ".")
		depth = len(path) - len(rest)
	}
	return key, depth
}

// nextEntry finds the key of a mapping that a path begins with, the longest where there are several.
func nextEntry(n *yaml.Node, path string) (best entry, found bool) {
	for _, e := range entries(n) {
		rest, begins := strings.CutPrefix(path, e.name)
		if begins && (rest == "" || rest[0] == '.' || rest[0] == '[') && (!found || len(e.name) > len(best.name)) {
			best, found = e, true
		}
	}
	return best, found
}

// valueAt returns the value of a path that is written whole; nil when it is not.
func valueAt(n *yaml.Node, path string) *yaml.Node {
	for path != "" {
		e, found := nextEntry(n, path)
		if !found {
			return nil
		}
		n, path = e.value, strings.TrimPrefix(path[len(e.name):], ".")
	}
	return n
}
