package metrics_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/metrics"
)

var update = flag.Bool("write-readme", false, "write the generated part of the README")

const (
	readme    = "../../README.md"
	beginMark = "<!-- server metrics: written by \"go test ./core/metrics -run README -write-readme\" -->\n"
	endMark   = "<!-- end of server metrics -->\n"
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
	content, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), beginMark)
	generated, after, closed := strings.Cut(rest, endMark)
	if !found || !closed {
		t.Fatal("the README lacks the marks around the table of the server's families")
	}
	if *update {
		if err := os.WriteFile(readme, []byte(before+beginMark+table.String()+endMark+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if generated != table.String() {
		t.Error("the README's families are not those of core/metrics; run: go test ./core/metrics -run README -write-readme")
	}
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
