package document

import "fmt"

// Of a value that may be anything, each of these makes what a reader can go on with: a file that is wrong is told of
// elsewhere, and what reads it here must not fall over it.

// Mapping returns a mapping; nil when value is none.
func Mapping(value any) map[string]any {
	m, _ := value.(map[string]any)
	return m
}

// List returns a list; nil when value is none.
func List(value any) []any {
	l, _ := value.([]any)
	return l
}

// Words writes a value as people would; nothing is empty.
func Words(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}
