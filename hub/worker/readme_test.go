package worker

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"berth/core/stacks"
	"berth/core/wire"

	dto "github.com/prometheus/client_model/go"
)

var update = flag.Bool("write-readme", false, "write the generated part of the README")

const (
	readme    = "../../README.md"
	beginMark = "<!-- worker metrics: written by \"go test ./hub/worker -run README -write-readme\" -->\n"
	endMark   = "<!-- end of worker metrics -->\n"
)

func TestREADMEListsTheWorkersFamilies(t *testing.T) {
	var families map[string]*dto.MetricFamily
	bubble(t, func(t *testing.T, s *setup) {
		labels := map[string]string{LabelStack: string(newStack())}
		s.engine.set("shop", []ProjectContainer{{Project: "shop", Labels: labels, ContainerState: stacks.ContainerState{Service: "web", State: "running"}}})
		families = parse(t, await(s.start().greeted(), "Snapshot", any1[wire.Snapshot]).Text)
	})
	table := tableOf(families)
	content, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), beginMark)
	generated, after, closed := strings.Cut(rest, endMark)
	if !found || !closed {
		t.Fatal("the README lacks the marks around the table of a worker's families")
	}
	if *update {
		if err := os.WriteFile(readme, []byte(before+beginMark+table+endMark+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if generated != table {
		t.Error("the README's families are not those of a worker; run: go test ./hub/worker -run README -write-readme")
	}
}

func tableOf(families map[string]*dto.MetricFamily) string {
	var table strings.Builder
	table.WriteString("\n| family | type | labels | meaning |\n|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(families)) {
		f := families[name]
		var labels []string
		for _, m := range f.Metric {
			for _, label := range m.Label {
				if !slices.Contains(labels, label.GetName()) {
					labels = append(labels, label.GetName())
				}
			}
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", name, strings.ToLower(f.GetType().String()), strings.Join(labels, ", "), f.GetHelp())
	}
	table.WriteString("\n")
	return table.String()
}
