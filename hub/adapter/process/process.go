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
	figures := metrics.Process{StartedAt: started, OpenFiles: openFiles()}
	figures.VirtualBytes, figures.ResidentBytes = memory()
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

// memory reads the first two fields of statm: pages of the address space, and those that are in memory.
func memory() (virtual, resident uint64) {
	content, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, 0
	}
	fields := bytes.Fields(content)
	if len(fields) < 2 {
		return 0, 0
	}
	return pages(fields[0]), pages(fields[1])
}

func pages(field []byte) (bytes uint64) {
	n, err := strconv.ParseUint(string(field), 10, 64)
	if err != nil {
		return 0
	}
	return n * uint64(os.Getpagesize())
}

// openFiles is the size of fd, which is how many entries it has since Linux 6.2. Before, they are counted,
// without the one that counting opens: with thousands of links that takes milliseconds.
func openFiles() int {
	if info, err := os.Stat("/proc/self/fd"); err == nil && info.Size() > 0 {
		return int(info.Size())
	}
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
