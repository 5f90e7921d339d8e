package metrics_test

import (
	"math"
	"testing"
	"time"

	"berth/core/metrics"
	"berth/hub/adapter/promtext"
)

func TestHostsOfLinkedWorkersAreRead(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	b := metrics.NewBoard(metrics.Config{Version: "1", Validator: promtext.Validator{}, Clock: func() time.Time { return now }, Process: func() metrics.Process { return metrics.Process{} }})
	b.Workers.Connected("w-1", "one")
	b.Workers.Put("w-1", metrics.Snapshot{Text: `# TYPE berth_worker_host_cpu_seconds_total counter
berth_worker_host_cpu_seconds_total{mode="user"} 30
berth_worker_host_cpu_seconds_total{mode="idle"} 65
berth_worker_host_cpu_seconds_total{mode="iowait"} 5
# TYPE berth_worker_host_load1 gauge
berth_worker_host_load1 0.75
# TYPE berth_worker_host_memory_bytes gauge
berth_worker_host_memory_bytes 1.6e+10
`})
	b.Workers.Connected("w-2", "two")
	b.Workers.Put("w-2", metrics.Snapshot{Text: "# TYPE other gauge\nother 1\n"})
	b.Workers.Connected("w-3", "three")
	b.Workers.Put("w-3", metrics.Snapshot{Text: "# TYPE berth_worker_host_load1 gauge\nberth_worker_host_load1 1\n"})
	b.Workers.Left("w-3")
	b.Workers.Connected("w-4", "four")
	seen := b.Workers.Hosts()
	if h := seen["w-1"]; h.Busy != 30 || h.Spent != 100 || h.Load != 0.75 || h.Memory != 1.6e10 || !math.IsNaN(h.Available) || !math.IsNaN(h.Disk) {
		t.Errorf("w-1: %+v", h)
	}
	if h, found := seen["w-2"]; !found || !math.IsNaN(h.Busy) || !math.IsNaN(h.Load) {
		t.Errorf("w-2: %+v, %t", h, found)
	}
	if len(seen) != 2 {
		t.Errorf("workers that left or reported nothing are among %v", seen)
	}
}
