// Package host owns what a worker can tell of the machine it runs on and of its own
// process: it reads Linux's /proc and asks the file system. What a system does not tell
// is absent, never zero. Start with Machine.
package host

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// clockTick is the unit of times in /proc: USER_HZ, 100 on every Linux architecture that
// Go supports (proc(5)).
const clockTick = 1.0 / 100

// Machine reads from a proc file system.
type Machine struct{ proc fs.FS }

// New reads from the machine's own /proc.
func New() Machine { return Machine{os.DirFS("/proc")} }

// Processor is how long the processors were at what, in seconds since the machine started.
type Processor map[string]float64

// ProcessorModes are the keys of a Processor: the columns of the cpu line in /proc/stat (proc(5)).
var ProcessorModes = []string{"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"}

// Processor returns the processor times.
func (m Machine) Processor() (Processor, bool) {
	fields := strings.Fields(m.line("stat", "cpu "))
	if len(fields) <= len(ProcessorModes) {
		return nil, false
	}
	times := Processor{}
	for i, mode := range ProcessorModes {
		ticks, err := strconv.ParseFloat(fields[i+1], 64)
		if err != nil {
			return nil, false
		}
		times[mode] = ticks * clockTick
	}
	return times, true
}

// Load returns the load averages of the last 1, 5 and 15 minutes.
func (m Machine) Load() (load [3]float64, ok bool) {
	fields := strings.Fields(m.line("loadavg", ""))
	if len(fields) < len(load) {
		return load, false
	}
	for i := range load {
		var err error
		if load[i], err = strconv.ParseFloat(fields[i], 64); err != nil {
			return load, false
		}
	}
	return load, true
}

// Memory returns the machine's memory and what of it could be had, in bytes.
func (m Machine) Memory() (total, available float64, ok bool) {
	total, first := m.kilobytes("meminfo", "MemTotal:")
	available, second := m.kilobytes("meminfo", "MemAvailable:")
	return total, available, first && second
}

// Resident returns the memory that this process holds, in bytes.
func (m Machine) Resident() (float64, bool) { return m.kilobytes("self/status", "VmRSS:") }

// OpenFiles returns how many file descriptors this process has open.
func (m Machine) OpenFiles() (float64, bool) {
	entries, err := fs.ReadDir(m.proc, "self/fd")
	return float64(len(entries)), err == nil
}

// Own returns the processor time that this process used, in seconds.
func (m Machine) Own() (float64, bool) {
	text := m.line("self/stat", "")
	_, after, found := cutLast(text, ")") // the program's name may hold anything
	fields := strings.Fields(after)
	if !found || len(fields) < 13 {
		return 0, false
	}
	user, err1 := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	return (user + system) * clockTick, err1 == nil && err2 == nil
}

// Disk returns the size of the file system that holds path and what of it is free for us, in bytes.
func Disk(path string) (size, free float64, ok bool) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(path, &stat); err != nil {
		return 0, 0, false
	}
	unit := float64(stat.Bsize)
	return float64(stat.Blocks) * unit, float64(stat.Bavail) * unit, true
}

// kilobytes reads a value like "MemTotal:  123 kB".
func (m Machine) kilobytes(file, key string) (float64, bool) {
	fields := strings.Fields(m.line(file, key))
	if len(fields) < 2 {
		return 0, false
	}
	n, err := strconv.ParseFloat(fields[1], 64)
	return n * 1024, err == nil
}

// line returns the first line of a file that begins with prefix; "" when there is none.
func (m Machine) line(file, prefix string) string {
	text, err := fs.ReadFile(m.proc, file)
	if err != nil {
		return ""
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(line, prefix) {
			return line
		}
	}
	return ""
}

func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}
