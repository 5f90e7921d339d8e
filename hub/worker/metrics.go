package worker

import (
	"context"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"

	"berth/hub/worker/exposition"
	"berth/hub/worker/host"
)

// maxStackSeries bounds how many stacks have their own series in a snapshot.
const maxStackSeries = 1000

// infoWithin is how long the engine may take to say who it is.
const infoWithin = 5 * time.Second

// snapshot is the worker's metrics, in the Prometheus text format. look is what the
// engine ran when it was last asked, and lookErr why it did not say.
func (w *Worker) snapshot(ctx context.Context, look sight, lookErr error) string {
	var t exposition.Text
	w.writeSelf(ctx, &t, lookErr)
	writeProcess(&t)
	writeHost(&t, w.options.DataDir)
	if lookErr == nil {
		writeContainers(&t, look)
	}
	w.writeCommands(&t)
	w.writeLink(&t)
	return t.String()
}

func (w *Worker) writeSelf(ctx context.Context, t *exposition.Text, lookErr error) {
	ctx, cancel := context.WithTimeout(ctx, infoWithin)
	defer cancel()
	engine, err := w.options.Engine.Info(ctx)
	t.Gauge("berth_worker_info", "Always 1; the labels say which program and container engine this is.").
		Add(1, "version", w.options.Version, "go_version", runtime.Version(), "os", runtime.GOOS, "arch", runtime.GOARCH, "engine_version", engine.Version)
	w.engineIs(engine.ID)
	up := 0.0
	if err == nil && lookErr == nil {
		up = 1
	}
	t.Gauge("berth_worker_engine_up", "1 when the container engine answers, 0 when not.").Add(up)
	t.Gauge("berth_worker_start_time_seconds", "Unix time at which the worker's process started.").Add(float64(w.started.UnixMilli()) / 1000)
}

// runtimeFamilies are those of the Go runtime of the worker's process.
var runtimeFamilies = []struct{ name, help, from string }{
	{"berth_worker_allocated_bytes_total", "Memory that the worker's process ever allocated.", "/gc/heap/allocs:bytes"},
	{"berth_worker_gc_cycles_total", "Garbage collections of the worker's process.", "/gc/cycles/total:gc-cycles"},
	{"berth_worker_goroutines", "Goroutines of the worker's process.", "/sched/goroutines:goroutines"},
	{"berth_worker_heap_bytes", "Memory of live and unswept objects of the worker's process.", "/memory/classes/heap/objects:bytes"},
	{"berth_worker_runtime_memory_bytes", "Memory that the Go runtime of the worker's process has from the system.", "/memory/classes/total:bytes"},
	{"berth_worker_threads", "OS threads of the worker's process.", "/sched/threads/total:threads"},
}

func writeProcess(t *exposition.Text) {
	samples := make([]metrics.Sample, len(runtimeFamilies))
	for i, f := range runtimeFamilies {
		samples[i].Name = f.from
	}
	metrics.Read(samples)
	for i, f := range runtimeFamilies {
		if samples[i].Value.Kind() != metrics.KindUint64 {
			continue // a Go that does not tell
		}
		family := t.Gauge
		if strings.HasSuffix(f.name, "_total") {
			family = t.Counter
		}
		family(f.name, f.help).Add(float64(samples[i].Value.Uint64()))
	}
	machine := host.New()
	if n, ok := machine.Resident(); ok {
		t.Gauge("berth_worker_resident_memory_bytes", "Resident memory of the worker's process.").Add(n)
	}
	if n, ok := machine.OpenFiles(); ok {
		t.Gauge("berth_worker_open_fds", "Open file descriptors of the worker's process.").Add(n)
	}
	if n, ok := machine.Own(); ok {
		t.Counter("berth_worker_cpu_seconds_total", "Processor time that the worker's process used.").Add(n)
	}
}

func writeHost(t *exposition.Text, dataDir string) {
	machine := host.New()
	if times, ok := machine.Processor(); ok {
		family := t.Counter("berth_worker_host_cpu_seconds_total", "Processor time of the host, by what it was used for.")
		for _, mode := range host.ProcessorModes {
			family.Add(times[mode], "mode", mode)
		}
	}
	if load, ok := machine.Load(); ok {
		t.Gauge("berth_worker_host_load1", "Load average of the host over 1 minute.").Add(load[0])
		t.Gauge("berth_worker_host_load5", "Load average of the host over 5 minutes.").Add(load[1])
		t.Gauge("berth_worker_host_load15", "Load average of the host over 15 minutes.").Add(load[2])
	}
	t.Gauge("berth_worker_host_cpus", "Processors that the worker's process may use.").Add(float64(runtime.NumCPU()))
	if total, available, ok := machine.Memory(); ok {
		t.Gauge("berth_worker_host_memory_bytes", "Memory of the host.").Add(total)
		t.Gauge("berth_worker_host_memory_available_bytes", "Memory of the host that could be had without swapping.").Add(available)
	}
	if size, free, ok := host.Disk(dataDir); ok {
		t.Gauge("berth_worker_data_disk_bytes", "Size of the file system that holds the worker's data directory.").Add(size)
		t.Gauge("berth_worker_data_disk_free_bytes", "Free space of the file system that holds the worker's data directory.").Add(free)
	}
}

// containerStates are the states that an engine knows; each has its series, at 0 too.
var containerStates = []string{"created", "running", "paused", "restarting", "removing", "exited", "dead"}

func writeContainers(t *exposition.Text, look sight) {
	all := map[string]int{}
	ids := look.ids()
	byStack := t.Gauge("berth_worker_stack_containers", "Containers of a stack on this worker, by state: running always, another state only while one is in it.")
	for i, id := range ids {
		states := map[string]int{}
		for _, c := range look.stacks[id].Containers {
			states[c.State]++
			all[c.State]++
		}
		for _, state := range containerStates {
			if n := states[state]; i < maxStackSeries && (n > 0 || state == "running") {
				byStack.Add(float64(n), "stack", string(id), "project", look.projects[id], "state", state)
			}
		}
	}
	family := t.Gauge("berth_worker_containers", "Containers of all stacks on this worker, by state.")
	for _, state := range containerStates {
		family.Add(float64(all[state]), "state", state)
	}
	t.Gauge("berth_worker_stacks", "Stacks that were applied on this worker or have containers on it.").Add(float64(len(ids)))
}

func (w *Worker) writeCommands(t *exposition.Text) {
	t.Gauge("berth_worker_journal_entries", "Commands whose result the hub has not acknowledged.").Add(float64(len(w.disk.journal.Entries())))
	t.Gauge("berth_worker_commands_waiting", "Commands that wait for their turn on this worker.").Add(float64(w.commands.turns.queued() + w.commands.runs.queued()))
	t.Gauge("berth_worker_outbox_events", "Pieces of logs and phases of deployments that have not been sent to the hub yet.").Add(float64(w.box.Waiting()))
	w.tally.mu.Lock()
	defer w.tally.mu.Unlock()
	running := t.Gauge("berth_worker_commands_running", "Commands that are being carried out, by kind.")
	for _, kind := range commandKinds {
		running.Add(float64(w.tally.running[kind]), "kind", string(kind))
	}
	results := t.Counter("berth_worker_commands_total", "Commands that ended, by kind and result.")
	for _, kind := range commandKinds {
		for _, status := range resultStatuses {
			results.Add(float64(w.tally.results[commandEnd{kind, status}]), "kind", string(kind), "result", string(status))
		}
	}
	took := t.Histogram("berth_worker_command_duration_seconds", "Time from the receipt of a command to its result.")
	for _, kind := range commandKinds {
		d := w.tally.durations[kind]
		took.Distribution(durationBounds, d.counts, d.sum, "kind", string(kind))
	}
	w.tally.writeRuns(t)
}

// writeRuns is called with mu held.
func (t *tally) writeRuns(text *exposition.Text) {
	runs := text.Gauge("berth_worker_runs", "Runs of jobs on this worker, by what they are at.")
	for _, state := range runStates {
		runs.Add(float64(t.atWork[state]), "state", state)
	}
	text.Histogram("berth_worker_run_duration_seconds", "How long the containers of runs ran that have ended.").
		Distribution(runBounds, t.containers.counts, t.containers.sum)
}

func (w *Worker) writeLink(t *exposition.Text) {
	t.Counter("berth_worker_link_reconnects_total", "Links that came into service after an earlier one.").Add(float64(max(w.tally.links.Load(), 1) - 1))
	t.Counter("berth_worker_connect_failures_total", "Attempts to connect that brought no link into service.").Add(float64(w.tally.failures.Load()))
	t.Counter("berth_worker_blob_received_bytes_total", "Bytes of repository content that were received.").Add(float64(w.tally.blobBytes.Load()))
	t.Counter("berth_worker_log_chunks_dropped_total", "Pieces of deployment logs that were dropped because the link could not keep up.").Add(float64(w.box.Dropped()))
}
