package fleet

import (
	"time"

	"berth/core"
)

// How the hosts of workers were is kept in slots of ReadingEvery, for ReadingsFor.
const (
	ReadingEvery = 5 * time.Minute
	ReadingsFor  = 24 * time.Hour
	Readings     = int(ReadingsFor / ReadingEvery) // slots of one worker
)

// Unread stands for what is not known of a host.
const Unread = -1

// Reading is how the host of a worker was in one slot. Unread stands for what is not known.
type Reading struct {
	Worker      core.WorkerID
	At          time.Time // when it was last read in the slot
	CPU         int       // thousandths of all processors that were busy, on average over the slot so far
	Load        int       // thousandths of the load average over 1 minute
	CPUs        int       // processors
	Memory      int64     // bytes in use that could not be had without swapping
	MemoryTotal int64
	Disk        int64 // bytes in use of the file system that holds the worker's data directory
	DiskTotal   int64
}

// Slot numbers the slot of a time; the same number comes again after ReadingsFor.
func Slot(at time.Time) int { return int(at.Unix()/int64(ReadingEvery/time.Second)) % Readings }

// Share returns used of total in thousandths, Unread when either is not known.
func Share(used, total int64) int {
	if used < 0 || total <= 0 {
		return Unread
	}
	return int(min(1000, 1000*float64(used)/float64(total)))
}

// Load is how busy the hosts of a fleet are, by their newest readings.
type Load struct {
	Bands   [10]int   // hosts whose processors are busy up to 10 %, 20 % and so on
	Busiest []Reading // those whose processors are busiest, first
	Full    []Reading // those whose disk is fuller than FullDisk, the fullest first
}

// FullDisk is from how many thousandths on a disk needs somebody: images that are pulled soon have no room there.
const FullDisk = 900

// Total counts the hosts of which is known how busy they are.
func (l Load) Total() (n int) {
	for _, hosts := range l.Bands {
		n += hosts
	}
	return n
}
