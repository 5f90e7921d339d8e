package metrics_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/coretest"
	"berth/core/metrics"
)

func TestREADMEListsTheServersFamilies(t *testing.T) {
	b, _ := board()
	full(b)
	b.Workers.Connected("wrk_1", "host-1")
	b.Workers.Heard("wrk_1", time.Millisecond)
	families := append(b.Own.Families(), parsed(scrape(t, b))...)
	slices.SortFunc(families, func(a, b metrics.Family) int { return strings.Compare(a.Name, b.Name) })
	families = slices.CompactFunc(families, func(a, b metrics.Family) bool { return a.Name == b.Name })
	var table strings.Builder
	table.WriteString("\n| family | type | labels | meaning |\n|---|---|---|---|\n")
	for _, f := range families {
		if !strings.HasPrefix(f.Name, "berth_") {
			continue
		}
		labels := slices.DeleteFunc(labelsOf(f), func(name string) bool { return name == "le" })
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", f.Name, f.Type, strings.Join(labels, ", "), f.Help)
	}
	table.WriteString("\n")
	coretest.GeneratedPart(t, "../../README.md", "server metrics", "./core/metrics", table.String())
}

// parsed are the families of an exposition.
func parsed(text string) (families []metrics.Family) {
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "# HELP "):
			name, help, _ := strings.Cut(strings.TrimSpace(line[len("# HELP "):]), " ")
			families = append(families, metrics.Family{Name: name, Help: help})
		case strings.HasPrefix(line, "# TYPE "):
			_, kind, _ := strings.Cut(strings.TrimSpace(line[len("# TYPE "):]), " ")
			families[len(families)-1].Type = metrics.Type(kind)
		default:
			last := &families[len(families)-1]
			last.Text = append(last.Text, line...)
		}
	}
	return families
}
