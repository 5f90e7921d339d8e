package compose

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// References returns the names of the secret variables that a rendered project stands
// in need of, sorted and each once. It fails when rendered is not YAML.
func References(rendered []byte) ([]string, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(rendered, &document); err != nil {
		return nil, fmt.Errorf("read rendered project: %w", err)
	}
	found := map[string]bool{}
	collectReferences(&document, found)
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func collectReferences(node *yaml.Node, found map[string]bool) {
	if node.Kind == yaml.MappingNode {
		for i := 1; i < len(node.Content); i += 2 { // keys are never interpolated
			collectReferences(node.Content[i], found)
		}
		return
	}
	for _, child := range node.Content {
		collectReferences(child, found)
	}
	if node.Kind == yaml.ScalarNode {
		scanReferences(node.Value, found)
	}
}

// scanReferences knows the two forms that rendered text has: "$$" and "${NAME}".
func scanReferences(text string, found map[string]bool) {
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 == len(text) {
			return
		}
		rest := text[i+1:]
		end := strings.IndexByte(rest, '}')
		if rest[0] == '{' && end > 0 {
			found[rest[1:end]] = true
			text = rest[end+1:]
			continue
		}
		text = rest[1:]
	}
}
