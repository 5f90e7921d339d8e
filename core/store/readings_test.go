package store_test

import (
	"testing"
	"time"

	"berth/core"
	"berth/core/fleet"
)

// The ring of a worker's host holds a day; what is written again in a slot takes the place of what was there.
func TestReadingsOfHostsAreARing(t *testing.T) {
	y := openYard(t)
	began := y.tick().Truncate(fleet.ReadingEvery)
	for i := range 2 * fleet.Readings {
		at := began.Add(time.Duration(i) * fleet.ReadingEvery)
		y.must(y.SaveReadings(t.Context(), []fleet.Reading{{Worker: y.w.ID, At: at, CPU: 1}, {Worker: "wrk_gone", At: at}}))
		if i%50 == 0 || i > 2*fleet.Readings-3 {
			y.must(y.SaveReadings(t.Context(), []fleet.Reading{{Worker: y.w.ID, At: at.Add(time.Minute), CPU: i, Load: 2, CPUs: 3, Memory: 4 << 40, MemoryTotal: 5 << 40, Disk: 6, DiskTotal: 7}}))
		}
	}
	now := began.Add(2*fleet.ReadingsFor - time.Minute)
	all, err := y.Readings(t.Context(), y.w.ID, now)
	y.must(err)
	last := all[len(all)-1]
	if want := (fleet.Reading{Worker: y.w.ID, At: last.At, CPU: 2*fleet.Readings - 1, Load: 2, CPUs: 3, Memory: 4 << 40, MemoryTotal: 5 << 40, Disk: 6, DiskTotal: 7}); last != want || len(all) != fleet.Readings {
		t.Errorf("%d readings, the last %+v", len(all), last)
	}
	for i := range all[1:] {
		if !all[i].At.Before(all[i+1].At) {
			t.Fatalf("reading %d is of %v, the next of %v", i, all[i].At, all[i+1].At)
		}
	}
	if n := y.count(t, `SELECT count(*) FROM worker_readings`); n != fleet.Readings {
		t.Errorf("%d rows", n)
	}
	if later, err := y.Readings(t.Context(), y.w.ID, now.Add(fleet.ReadingsFor)); err != nil || len(later) > 1 {
		t.Errorf("a day later: %v, %v", later, err)
	}
}

// Of a fleet only what is new counts, of each host once.
func TestTheLoadOfAFleetIsOfNow(t *testing.T) {
	y := openYard(t)
	now := y.tick().Truncate(fleet.ReadingEvery).Add(time.Minute)
	reading := func(id core.WorkerID, ago time.Duration, cpu int, disk int64) fleet.Reading {
		return fleet.Reading{Worker: id, At: now.Add(-ago), CPU: cpu, Disk: disk, DiskTotal: 1000, MemoryTotal: fleet.Unread}
	}
	y.must(y.SaveReadings(t.Context(), []fleet.Reading{reading(y.w.ID, 2*time.Minute, 990, 990), reading(y.other.ID, 3*time.Minute, 1000, 950)}))
	y.must(y.SaveReadings(t.Context(), []fleet.Reading{reading(y.w.ID, 0, 120, 899)}))
	l, err := y.FleetLoad(t.Context(), now, 5)
	y.must(err)
	if l.Bands != [10]int{1: 1, 9: 1} || l.Total() != 2 || len(l.Busiest) != 2 || l.Busiest[0].Worker != y.other.ID || l.Busiest[1].CPU != 120 || len(l.Full) != 1 || l.Full[0].Worker != y.other.ID {
		t.Errorf("%+v", l)
	}
	of, err := y.NewestReadings(t.Context(), []core.WorkerID{y.w.ID, "wrk_gone"}, now)
	if y.must(err); len(of) != 1 || of[y.w.ID].CPU != 120 {
		t.Errorf("of one worker: %+v", of)
	}
	if of, err = y.NewestReadings(t.Context(), []core.WorkerID{y.w.ID}, now.Add(time.Hour)); err != nil || len(of) != 0 {
		t.Errorf("of one worker, an hour later: %+v, %v", of, err)
	}
	if l, err = y.FleetLoad(t.Context(), now.Add(time.Hour), 5); err != nil || l.Total() != 0 || len(l.Full) != 0 {
		t.Errorf("an hour later: %+v, %v", l, err)
	}
	if l, err = y.FleetLoad(t.Context(), now.Add(fleet.ReadingsFor), 5); err != nil || l.Total() != 0 {
		t.Errorf("a day later: %+v, %v", l, err)
	}
	y.exec(t, `DELETE FROM stacks`)
	y.must(y.DeleteWorker(t.Context(), y.other.ID, someone.Audit("worker.delete", string(y.other.ID), "")))
	if n := y.count(t, `SELECT count(*) FROM worker_readings WHERE worker_id = ?`, y.other.ID); n != 0 {
		t.Errorf("%d readings of a worker that is no more", n)
	}
}
