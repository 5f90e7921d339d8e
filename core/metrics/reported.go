package metrics

// declared is a family that others may bring series of.
type declared struct {
	kind Type
	help string
}

// reportedFamilies are the families that our workers report; their tests hold them against this. Nobody
// else can take their names or types, whoever comes first, and what they mean is said here.
var reportedFamilies = map[string]declared{
	"berth_worker_allocated_bytes_total":       {TypeCounter, "Memory that the worker's process ever allocated."},
	"berth_worker_blob_received_bytes_total":   {TypeCounter, "Bytes of repository content that were received."},
	"berth_worker_command_duration_seconds":    {TypeHistogram, "Time from the receipt of a command to its result."},
	"berth_worker_commands_running":            {TypeGauge, "Commands that are being carried out, by kind."},
	"berth_worker_commands_total":              {TypeCounter, "Commands that ended, by kind and result."},
	"berth_worker_commands_waiting":            {TypeGauge, "Commands that wait for their turn on this worker."},
	"berth_worker_connect_failures_total":      {TypeCounter, "Attempts to connect that brought no link into service."},
	"berth_worker_containers":                  {TypeGauge, "Containers of all stacks on this worker, by state."},
	"berth_worker_cpu_seconds_total":           {TypeCounter, "Processor time that the worker's process used."},
	"berth_worker_data_disk_bytes":             {TypeGauge, "Size of the file system that holds the worker's data directory."},
	"berth_worker_data_disk_free_bytes":        {TypeGauge, "Free space of the file system that holds the worker's data directory."},
	"berth_worker_engine_up":                   {TypeGauge, "1 when the container engine answers, 0 when not."},
	"berth_worker_gc_cycles_total":             {TypeCounter, "Garbage collections of the worker's process."},
	"berth_worker_goroutines":                  {TypeGauge, "Goroutines of the worker's process."},
	"berth_worker_heap_bytes":                  {TypeGauge, "Memory of live and unswept objects of the worker's process."},
	"berth_worker_host_cpu_seconds_total":      {TypeCounter, "Processor time of the host, by what it was used for."},
	"berth_worker_host_cpus":                   {TypeGauge, "Processors that the worker's process may use."},
	"berth_worker_host_load1":                  {TypeGauge, "Load average of the host over 1 minute."},
	"berth_worker_host_load15":                 {TypeGauge, "Load average of the host over 15 minutes."},
	"berth_worker_host_load5":                  {TypeGauge, "Load average of the host over 5 minutes."},
	"berth_worker_host_memory_available_bytes": {TypeGauge, "Memory of the host that could be had without swapping."},
	"berth_worker_host_memory_bytes":           {TypeGauge, "Memory of the host."},
	"berth_worker_info":                        {TypeGauge, "Always 1; the labels say which program and container engine this is."},
	"berth_worker_journal_entries":             {TypeGauge, "Commands whose result the hub has not acknowledged."},
	"berth_worker_link_reconnects_total":       {TypeCounter, "Links that came into service after an earlier one."},
	"berth_worker_log_chunks_dropped_total":    {TypeCounter, "Pieces of deployment logs that were dropped because the link could not keep up."},
	"berth_worker_open_fds":                    {TypeGauge, "Open file descriptors of the worker's process."},
	"berth_worker_outbox_events":               {TypeGauge, "Pieces of logs and phases of deployments that have not been sent to the hub yet."},
	"berth_worker_resident_memory_bytes":       {TypeGauge, "Resident memory of the worker's process."},
	"berth_worker_run_duration_seconds":        {TypeHistogram, "How long the containers of runs ran that have ended."},
	"berth_worker_runs":                        {TypeGauge, "Runs of jobs on this worker, by what they are at."},
	"berth_worker_runtime_memory_bytes":        {TypeGauge, "Memory that the Go runtime of the worker's process has from the system."},
	"berth_worker_stack_containers":            {TypeGauge, "Containers of a stack on this worker, by state: running always, another state only while one is in it."},
	"berth_worker_stacks":                      {TypeGauge, "Stacks that were applied on this worker or have containers on it."},
	"berth_worker_start_time_seconds":          {TypeGauge, "Unix time at which the worker's process started."},
	"berth_worker_threads":                     {TypeGauge, "OS threads of the worker's process."},
}

// Reported returns type and meaning of a family that our workers report; false when it is none of them.
func Reported(name string) (kind Type, help string, ours bool) {
	f, ours := reportedFamilies[name]
	return f.kind, f.help, ours
}
