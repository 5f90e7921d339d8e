package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor time in /proc: USER_HZ is 100 on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// processorTime returns what a process and its children that have ended have used.
func processorTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	ticks, err := ticksOf(string(stat))
	return time.Duration(ticks) * tick, err
}

// ticksOf adds utime, stime, cutime and cstime of a line of /proc/<pid>/stat: fields 14 to
// 17 as proc(5) counts them, of which the second is the name in brackets.
func ticksOf(stat string) (int64, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const utime = 14 - 3
	if len(fields) < utime+4 {
		return 0, fmt.Errorf("/proc/<pid>/stat has an unknown form: %q", stat)
	}
	sum := int64(0)
	for _, field := range fields[utime : utime+4] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/<pid>/stat has an unknown form: %w", err)
		}
		sum += n
	}
	return sum, nil
}

// memory is what a process holds, in bytes.
type memory struct{ resident, anonymous int64 }

func (m memory) String() string {
	return fmt.Sprintf("%s (%s)", megabytes(m.resident), megabytes(m.anonymous))
}

func memoryOf(pid int) (memory, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return memory{kilobytesIn(string(status), "VmRSS"), kilobytesIn(string(status), "RssAnon")}, err
}

// kilobytesIn returns the bytes of a line "name: <n> kB"; zero without one.
func kilobytesIn(status, name string) int64 {
	for line := range strings.Lines(status) {
		rest, found := strings.CutPrefix(line, name+":")
		if !found {
			continue
		}
		n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64) // zero says that it is unknown
		return n << 10
	}
	return 0
}

// load returns the load average of the last minute.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// machine says on what the figures were taken.
func machine() string {
	kernel, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		kernel = []byte("unknown")
	}
	return fmt.Sprintf("%d cores, %s/%s, kernel %s, %s, load average %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		strings.TrimSpace(string(kernel)), runtime.Version(), load())
}
