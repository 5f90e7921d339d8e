package worker

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"berth/core/coretest"
	"berth/core/stacks"
	"berth/core/wire"

	dto "github.com/prometheus/client_model/go"
)

func TestREADMEListsTheWorkersFamilies(t *testing.T) {
	var families map[string]*dto.MetricFamily
	bubble(t, func(t *testing.T, s *setup) {
		labels := map[string]string{LabelStack: string(newStack())}
		s.engine.set("shop", []ProjectContainer{{Project: "shop", Labels: labels, ContainerState: stacks.ContainerState{Service: "web", State: "running"}}})
		families = parse(t, await(s.start().greeted(), "Snapshot", any1[wire.Snapshot]).Text)
	})
	table := tableOf(families)
	coretest.GeneratedPart(t, "../../README.md", "worker metrics", "./hub/worker", table)
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
