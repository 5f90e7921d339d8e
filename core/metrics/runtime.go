package metrics

import (
	"runtime"
	"runtime/debug"
	read "runtime/metrics"
	"strconv"
	"sync"
	"time"
)

// runtimeFamily is one that the Prometheus client of Go has, under its usual name. The memory that was
// ever allocated has the name that it has there among the runtime's own figures: beside
// go_memstats_alloc_bytes, go_memstats_alloc_bytes_total would be the same family in OpenMetrics.
type runtimeFamily struct {
	name  string
	kind  Type
	help  string
	value func(*readings) float64        // zero: the system does not tell
	lines func([]byte) (b []byte, n int) // instead of value, for what has labels
}

var runtimeFamilies = []runtimeFamily{
	{name: "go_gc_duration_seconds", kind: TypeSummary, help: "Pauses of the last garbage collections, and of all.", lines: pauses},
	{name: "go_gc_heap_allocs_bytes_total", kind: TypeCounter, help: "Memory that was ever allocated in the heap.", value: of("/gc/heap/allocs:bytes")},
	{name: "go_gc_gomemlimit_bytes", kind: TypeGauge, help: "Limit of memory that the Go runtime keeps to: GOMEMLIMIT.", value: of("/gc/gomemlimit:bytes")},
	{name: "go_goroutines", kind: TypeGauge, help: "Number of goroutines that currently exist.", value: of("/sched/goroutines:goroutines")},
	{name: "go_info", kind: TypeGauge, help: "Version of Go that this program was built with; always 1.", lines: goVersion},
	{name: "go_memstats_alloc_bytes", kind: TypeGauge, help: "Memory of objects in the heap, live or not yet swept.", value: of("/memory/classes/heap/objects:bytes")},
	{name: "go_memstats_frees_total", kind: TypeCounter, help: "Objects in the heap that were ever freed.", value: of("/gc/heap/frees:objects", "/gc/heap/tiny/allocs:objects")},
	{name: "go_memstats_heap_idle_bytes", kind: TypeGauge, help: "Memory of the heap that holds no object.", value: of("/memory/classes/heap/free:bytes", "/memory/classes/heap/released:bytes")},
	{name: "go_memstats_heap_inuse_bytes", kind: TypeGauge, help: "Memory of the heap that is in use.", value: of("/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes")},
	{name: "go_memstats_heap_objects", kind: TypeGauge, help: "Objects in the heap.", value: of("/gc/heap/objects:objects")},
	{name: "go_memstats_heap_released_bytes", kind: TypeGauge, help: "Memory of the heap that was given back to the system.", value: of("/memory/classes/heap/released:bytes")},
	{name: "go_memstats_mallocs_total", kind: TypeCounter, help: "Objects that were ever allocated in the heap.", value: of("/gc/heap/allocs:objects", "/gc/heap/tiny/allocs:objects")},
	{name: "go_memstats_next_gc_bytes", kind: TypeGauge, help: "Size of the heap at which the next garbage collection ends.", value: of("/gc/heap/goal:bytes")},
	{name: "go_memstats_stack_inuse_bytes", kind: TypeGauge, help: "Memory of goroutines' stacks.", value: of("/memory/classes/heap/stacks:bytes")},
	{name: "go_memstats_sys_bytes", kind: TypeGauge, help: "Memory that the Go runtime has from the system.", value: of("/memory/classes/total:bytes")},
	{name: "go_sched_gomaxprocs_threads", kind: TypeGauge, help: "Threads that may run Go code at once: GOMAXPROCS.", value: of("/sched/gomaxprocs:threads")},
	{name: "go_threads", kind: TypeGauge, help: "Number of OS threads of this program.", value: of("/sched/threads/total:threads")},
	{name: "process_cpu_seconds_total", kind: TypeCounter, help: "Total user and system CPU time spent in seconds.", value: func(r *readings) float64 { return r.process.CPUSeconds }},
	{name: "process_max_fds", kind: TypeGauge, help: "Maximum number of open file descriptors.", value: func(r *readings) float64 { return float64(r.process.MaxFiles) }},
	{name: "process_open_fds", kind: TypeGauge, help: "Number of open file descriptors.", value: func(r *readings) float64 { return float64(r.process.OpenFiles) }},
	{name: "process_resident_memory_bytes", kind: TypeGauge, help: "Resident memory size in bytes.", value: func(r *readings) float64 { return float64(r.process.ResidentBytes) }},
	{name: "process_start_time_seconds", kind: TypeGauge, help: "Start time of the process since unix epoch in seconds.", value: func(r *readings) float64 {
		started, _ := moment(r.process.StartedAt)
		return max(0, started)
	}},
	{name: "process_virtual_memory_bytes", kind: TypeGauge, help: "Virtual memory size in bytes.", value: func(r *readings) float64 { return float64(r.process.VirtualBytes) }},
}

// readings are what one scrape reads of this process and of the Go runtime. Nothing is stopped for it.
type readings struct {
	process Process
	samples []read.Sample // of samplePlaces
}

// samplePlaces are the figures of the Go runtime that are read, and where their samples are.
var samplePlaces = map[string]int{}

// of reads figures of the Go runtime and adds them up.
func of(names ...string) func(*readings) float64 {
	for _, name := range names {
		if _, known := samplePlaces[name]; !known {
			samplePlaces[name] = len(samplePlaces)
		}
	}
	return func(r *readings) (sum float64) {
		for _, name := range names {
			if v := r.samples[samplePlaces[name]].Value; v.Kind() == read.KindUint64 {
				sum += float64(v.Uint64())
			}
		}
		return sum
	}
}

// readAgain is how long figures of this process stand: reading them costs more than the rest of a small scrape.
const readAgain = time.Second

// ownRuntime are the families of this process and of its Go runtime; those that the system does not give have no series.
type ownRuntime struct {
	families []*vector // as runtimeFamilies
	process  func() Process

	mu sync.Mutex
	at time.Time // guarded by mu: when they were read last
}

func (r *ownRuntime) declare(o *Own, process func() Process) {
	r.process = process
	for _, f := range runtimeFamilies {
		r.families = append(r.families, o.declare(f.kind, f.name, f.help, nil))
	}
}

// read brings the families up to date, unless that was done a moment ago.
func (r *ownRuntime) read(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.at.IsZero() && now.Sub(r.at) < readAgain {
		return
	}
	r.at = now
	figures := r.readings()
	for i, f := range runtimeFamilies {
		if f.lines != nil {
			r.families[i].put(f.lines(nil))
		} else if value := f.value(figures); value != 0 {
			r.families[i].put(appendSeries(nil, f.name, nil, value), 1)
		} else {
			r.families[i].end()
		}
	}
}

func (r *ownRuntime) readings() *readings {
	figures := &readings{process: r.process(), samples: make([]read.Sample, len(samplePlaces))}
	for name, i := range samplePlaces {
		figures.samples[i].Name = name
	}
	read.Read(figures.samples)
	return figures
}

func goVersion(b []byte) ([]byte, int) {
	return appendSeries(b, "go_info", []Label{{"version", runtime.Version()}}, 1), 1
}

// pauses are those of the garbage collector: the least, quarters and the longest of the last ones.
func pauses(b []byte) ([]byte, int) {
	const name = "go_gc_duration_seconds"
	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&stats)
	for i, pause := range stats.PauseQuantiles {
		quantile := strconv.FormatFloat(float64(i)/float64(len(stats.PauseQuantiles)-1), 'g', -1, 64)
		b = appendSeries(b, name, []Label{{"quantile", quantile}}, pause.Seconds())
	}
	b = appendSeries(b, name+"_sum", nil, stats.PauseTotal.Seconds())
	return appendSeries(b, name+"_count", nil, float64(stats.NumGC)), len(stats.PauseQuantiles) + 2
}
