package metrics

// reportedTypes are the families that our workers report; their tests hold them against this. Nobody
// else can take their names or types, whoever comes first.
var reportedTypes = map[string]Type{
	"berth_worker_allocated_bytes_total":       TypeCounter,
	"berth_worker_blob_received_bytes_total":   TypeCounter,
	"berth_worker_command_duration_seconds":    TypeHistogram,
	"berth_worker_commands_running":            TypeGauge,
	"berth_worker_commands_total":              TypeCounter,
	"berth_worker_commands_waiting":            TypeGauge,
	"berth_worker_connect_failures_total":      TypeCounter,
	"berth_worker_containers":                  TypeGauge,
	"berth_worker_cpu_seconds_total":           TypeCounter,
	"berth_worker_data_disk_bytes":             TypeGauge,
	"berth_worker_data_disk_free_bytes":        TypeGauge,
	"berth_worker_engine_up":                   TypeGauge,
	"berth_worker_gc_cycles_total":             TypeCounter,
	"berth_worker_goroutines":                  TypeGauge,
	"berth_worker_heap_bytes":                  TypeGauge,
	"berth_worker_host_cpu_seconds_total":      TypeCounter,
	"berth_worker_host_cpus":                   TypeGauge,
	"berth_worker_host_load1":                  TypeGauge,
	"berth_worker_host_load15":                 TypeGauge,
	"berth_worker_host_load5":                  TypeGauge,
	"berth_worker_host_memory_available_bytes": TypeGauge,
	"berth_worker_host_memory_bytes":           TypeGauge,
	"berth_worker_info":                        TypeGauge,
	"berth_worker_journal_entries":             TypeGauge,
	"berth_worker_link_reconnects_total":       TypeCounter,
	"berth_worker_log_chunks_dropped_total":    TypeCounter,
	"berth_worker_open_fds":                    TypeGauge,
	"berth_worker_outbox_events":               TypeGauge,
	"berth_worker_resident_memory_bytes":       TypeGauge,
	"berth_worker_runtime_memory_bytes":        TypeGauge,
	"berth_worker_stack_containers":            TypeGauge,
	"berth_worker_stacks":                      TypeGauge,
	"berth_worker_start_time_seconds":          TypeGauge,
	"berth_worker_threads":                     TypeGauge,
}

// Reported returns the type of a family that our workers report; false when it is none of them.
func Reported(name string) (Type, bool) {
	t, ours := reportedTypes[name]
	return t, ours
}
