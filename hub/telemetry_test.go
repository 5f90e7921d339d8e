package hub

import (
	"math"
	"testing"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/metrics"
)

func TestAReadingIsOfItsWholeSlot(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)
	read := telemetry{begins: map[core.WorkerID]usage{}}
	for i, c := range []struct {
		says        string
		after       time.Duration
		busy, spent float64
		cpu         int
	}{
		{"the first says nothing of the time before", 0, 100, 1000, fleet.Unread},
		{"a minute later half of it was used", time.Minute, 130, 1060, 500},
		{"then nothing: a quarter of the slot", 2 * time.Minute, 130, 1120, 250},
		{"the next slot goes on where the last reading was", 6 * time.Minute, 136, 1180, 100},
		{"a host that began anew", 7 * time.Minute, 5, 10, fleet.Unread},
		{"which did nothing after that", 8 * time.Minute, 5, 70, 0},
		{"a clock that says more than can be", 9 * time.Minute, 1e9, 130, 1000},
	} {
		all := read.readings(map[core.WorkerID]metrics.HostSight{"w-1": {Busy: c.busy, Spent: c.spent, Load: 0.5, CPUs: 2, Memory: 100, Available: 60, Disk: math.NaN(), Free: math.NaN()}}, at.Add(c.after))
		if len(all) != 1 || all[0].CPU != c.cpu {
			t.Errorf("%d, %s: %+v", i, c.says, all)
			continue
		}
		if r := all[0]; r.Load != 500 || r.CPUs != 2 || r.Memory != 40 || r.MemoryTotal != 100 || r.Disk != fleet.Unread || r.DiskTotal != fleet.Unread {
			t.Errorf("%s: %+v", c.says, r)
		}
	}
	if read.readings(nil, at); len(read.begins) != 0 {
		t.Errorf("a host that is not seen any more is remembered: %v", read.begins)
	}
}

// What a worker says is not trusted to be a number that a database has.
func TestWhatCannotBeIsNotKnown(t *testing.T) {
	for name, v := range map[string]float64{"nothing": math.NaN(), "more than all": math.Inf(1), "less than nothing": -5, "too much": 1e19} {
		if got := whole(v); got != fleet.Unread {
			t.Errorf("%s: %d", name, got)
		}
	}
	if whole(2.6) != 3 {
		t.Error("2.6 is not rounded")
	}
}
