package process

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"

	"berth/core/metrics"
)

// started is when this package was initialised, which is as the process starts.
var started = time.Now()

// Read returns what the system tells; what it does not tell stays zero. Memory and
// files come from /proc, so they are zero where there is none.
func Read() metrics.Process {
	figures := metrics.Process{StartedAt: started, ResidentBytes: resident(), OpenFiles: openFiles()}
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) == nil {
		figures.CPUSeconds = seconds(usage.Utime) + seconds(usage.Stime)
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		figures.MaxFiles = int(min(limit.Cur, 1<<31-1))
	}
	return figures
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// resident reads the second field of statm: pages in memory.
func resident() uint64 {
	content, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(content)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseUint(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}

// openFiles counts the entries of fd, without the one that counting opens.
func openFiles() int {
	dir, err := os.Open("/proc/self/fd")
	if err != nil {
		return 0
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return 0
	}
	return len(names) - 1
}
