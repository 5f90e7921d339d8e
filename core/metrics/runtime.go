package metrics

import "runtime"

// The families that every Prometheus client has, under their usual names.
var runtimeFamilies = []struct {
	name string
	kind Type
	help string
	read func(Process) float64
}{
	{"go_goroutines", TypeGauge, "Number of goroutines that currently exist.", func(Process) float64 { return float64(runtime.NumGoroutine()) }},
	{"process_cpu_seconds_total", TypeCounter, "Total user and system CPU time spent in seconds.", func(p Process) float64 { return p.CPUSeconds }},
	{"process_max_fds", TypeGauge, "Maximum number of open file descriptors.", func(p Process) float64 { return float64(p.MaxFiles) }},
	{"process_open_fds", TypeGauge, "Number of open file descriptors.", func(p Process) float64 { return float64(p.OpenFiles) }},
	{"process_resident_memory_bytes", TypeGauge, "Resident memory size in bytes.", func(p Process) float64 { return float64(p.ResidentBytes) }},
	{"process_start_time_seconds", TypeGauge, "Start time of the process since unix epoch in seconds.", func(p Process) float64 {
		if p.StartedAt.IsZero() {
			return 0
		}
		return float64(p.StartedAt.UnixMilli()) / 1000
	}},
}

// runtime renders figures of this process; those that the system does not give are left out.
func (o *Own) runtime() []Family {
	figures := o.process()
	var families []Family
	for _, f := range runtimeFamilies {
		if value := f.read(figures); value != 0 {
			families = append(families, Family{Name: f.name, Type: f.kind, Help: f.help, Text: appendSeries(nil, f.name, nil, value), Series: 1})
		}
	}
	return families
}
