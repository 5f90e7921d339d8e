package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/handlers/endpoint"
)

// ReadingLister tells how the host of a worker was lately.
type ReadingLister interface {
	// Readings returns how a worker's host was in the last day, oldest first.
	Readings(ctx context.Context, id core.WorkerID, now time.Time) ([]fleet.Reading, error)
}

// ReadingsAnswer is how the host of a worker was in the last 24 hours.
type ReadingsAnswer struct {
	EverySeconds int             `json:"every_seconds"` // how far readings are apart
	Items        []ReadingAnswer `json:"items"`         // oldest first; times in which the worker was away are missing
}

// ReadingAnswer is how a host was at a time. What is null is not known.
type ReadingAnswer struct {
	At               time.Time `json:"at"`
	CPU              *float64  `json:"cpu"`                // share of all processors that was busy since the reading before, 0 to 1
	CPUs             *int      `json:"cpus"`               // processors
	Load             *float64  `json:"load"`               // load average over 1 minute
	MemoryBytes      *int64    `json:"memory_bytes"`       // in use, and not to be had without swapping
	MemoryTotalBytes *int64    `json:"memory_total_bytes"` // of the host
	DiskBytes        *int64    `json:"disk_bytes"`         // in use, of the file system with the worker's data directory
	DiskTotalBytes   *int64    `json:"disk_total_bytes"`   // size of that file system
}

// WorkerReadings answers with how the host of a worker was in the last 24 hours.
func WorkerReadings(finder WorkerFinder, lister ReadingLister, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := workerID(r)
		if err != nil {
			return err
		}
		if _, err := finder.Worker(r.Context(), id); err != nil {
			return err
		}
		all, err := lister.Readings(r.Context(), id, now())
		if err != nil {
			return err
		}
		answer := ReadingsAnswer{EverySeconds: int(fleet.ReadingEvery / time.Second), Items: []ReadingAnswer{}}
		for _, one := range all {
			answer.Items = append(answer.Items, showReading(one))
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}

func showReading(r fleet.Reading) ReadingAnswer {
	return ReadingAnswer{At: r.At, CPU: thousandths(r.CPU), CPUs: known(r.CPUs), Load: thousandths(r.Load),
		MemoryBytes: known(r.Memory), MemoryTotalBytes: known(r.MemoryTotal), DiskBytes: known(r.Disk), DiskTotalBytes: known(r.DiskTotal)}
}

// known returns what was read; nil for what was not.
func known[T int | int64](v T) *T {
	if v == fleet.Unread {
		return nil
	}
	return &v
}

func thousandths(v int) *float64 {
	if v == fleet.Unread {
		return nil
	}
	share := float64(v) / 1000
	return &share
}
