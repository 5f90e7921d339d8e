package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"berth/core/wire"
	"berth/hub/link"
	"berth/hub/worker/exposition"
)

// reportSeries is how many series a snapshot has.
const reportSeries = 60

// sent counts snapshots.
type sent struct {
	Snapshots, Bytes int64
	Whole            int64 // bytes of the last whole one
}

// reporter tells a server what a worker with a few stacks tells: families, names and values are those
// of a real worker's snapshot.
type reporter struct {
	number int // of the worker
	mute   bool
	tick   int                // snapshots that were sent on this link
	told   exposition.Changes // of this link
}

// begin is called for each link.
func (r *reporter) begin() { r.tick, r.told = 0, exposition.Changes{} }

// fallSilent says once how the worker is; from then on its link is open and nobody reads or writes.
func (r *reporter) fallSilent(ctx context.Context, conn link.Conn, m *meeting) {
	if r.say(conn, m) == nil {
		<-ctx.Done()
	}
}

// reported counts a snapshot.
func (m *meeting) reported(bytes, whole int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent.Snapshots++
	m.sent.Bytes += int64(bytes)
	m.sent.Whole = int64(whole)
}

// say sends a snapshot, whole or what changed as the real worker does, and before the first what runs here.
func (r *reporter) say(conn link.Conn, m *meeting) error {
	if r.tick == 0 {
		if err := send(conn, wire.Observed{Stacks: []wire.StackObserved{}, Complete: true}); err != nil {
			return err
		}
	}
	text := r.text()
	r.tick++
	tell, changes, ended := r.told.Next(text)
	m.reported(len(tell), len(text))
	return send(conn, wire.Snapshot{Text: tell, Changes: changes, Ended: ended})
}

// text is the snapshot that is due. What a machine at rest does changes from one to the next: processor
// times, load, memory. All else stays.
func (r *reporter) text() string {
	var t exposition.Text
	r.self(&t)
	r.host(&t)
	r.containers(&t)
	r.commands(&t)
	return t.String()
}

func (r *reporter) self(t *exposition.Text) {
	t.Gauge("berth_worker_info", "Always 1; the labels say which worker and container engine this is.").
		Add(1, "version", "1.0.0", "os", "linux", "arch", "amd64", "engine_version", "28.5.1")
	t.Gauge("berth_worker_engine_up", "1 when the container engine answers, 0 when not.").Add(1)
	t.Gauge("berth_worker_start_time_seconds", "Unix time at which the worker's process started.").Add(1_780_000_000 + float64(r.number)/8)
	t.Gauge("berth_worker_goroutines", "Goroutines of the worker's process.").Add(23)
	t.Gauge("berth_worker_heap_bytes", "Memory of live and unswept objects of the worker's process.").Add(r.moving(4_000_000, 1_000_000))
	t.Gauge("berth_worker_resident_memory_bytes", "Resident memory of the worker's process.").Add(27_000_000)
	t.Gauge("berth_worker_open_fds", "Open file descriptors of the worker's process.").Add(14)
	t.Counter("berth_worker_cpu_seconds_total", "Processor time that the worker's process used.").Add(r.growing(12, 0.02))
}

func (r *reporter) host(t *exposition.Text) {
	times := t.Counter("berth_worker_host_cpu_seconds_total", "Processor time of the host, by what it was used for.")
	for i, mode := range []string{"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"} {
		times.Add(r.growing(float64(1000*(i+1)), []float64{1.4, 0, 0.6, 57.3, 0.05, 0, 0.02, 0}[i]), "mode", mode)
	}
	for i, minutes := range []int{1, 5, 15} {
		t.Gauge(fmt.Sprintf("berth_worker_host_load%d", minutes), fmt.Sprintf("Load average of the host over %d minutes.", minutes)).
			Add(math.Round(r.moving(20, 15/float64(i+1))) / 100)
	}
	t.Gauge("berth_worker_host_cpus", "Processors that the worker's process may use.").Add(4)
	t.Gauge("berth_worker_host_memory_bytes", "Memory of the host.").Add(8_221_130_752)
	t.Gauge("berth_worker_host_memory_available_bytes", "Memory of the host that could be had without swapping.").Add(4096 * r.moving(1_400_000, 9000))
	t.Gauge("berth_worker_data_disk_bytes", "Size of the file system that holds the worker's data directory.").Add(42_000_000_000)
	t.Gauge("berth_worker_data_disk_free_bytes", "Free space of the file system that holds the worker's data directory.").Add(30_000_000_000 + float64(r.number))
}

func (r *reporter) containers(t *exposition.Text) {
	byStack := t.Gauge("berth_worker_stack_containers", "Containers of a stack on this worker, by state: running always, another state only while one is in it.")
	for i, project := range []string{"gateway", "shop", "mail", "backup"} {
		byStack.Add(float64(i+1), "stack", fmt.Sprintf("stk_06f4x1w2y3z4a5b6c7d8%05d%d", r.number, i), "project", project, "state", "running")
	}
	all := t.Gauge("berth_worker_containers", "Containers of all stacks on this worker, by state.")
	for _, state := range []string{"created", "running", "paused", "restarting", "removing", "exited", "dead"} {
		n := 0.0
		if state == "running" {
			n = 10
		}
		all.Add(n, "state", state)
	}
	t.Gauge("berth_worker_stacks", "Stacks that were applied on this worker or have containers on it.").Add(4)
}

func (r *reporter) commands(t *exposition.Text) {
	t.Gauge("berth_worker_journal_entries", "Commands whose result the hub has not acknowledged.").Add(0)
	results := t.Counter("berth_worker_commands_total", "Commands that ended, by kind and result.")
	for i, status := range []string{"succeeded", "failed", "cancelled"} {
		for _, kind := range []string{"deploy", "teardown"} {
			results.Add([]float64{37, 2, 0}[i], "kind", kind, "result", status)
		}
	}
	t.Histogram("berth_worker_command_duration_seconds", "Time from the receipt of a command to its result.").
		Distribution([]float64{0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800}, []uint64{0, 3, 8, 14, 9, 2, 2, 1, 0, 0, 0}, 131.25, "kind", "deploy")
	t.Counter("berth_worker_link_reconnects_total", "Links that came into service after an earlier one.").Add(0)
	t.Counter("berth_worker_connect_failures_total", "Attempts to connect that brought no link into service.").Add(0)
	t.Counter("berth_worker_blob_received_bytes_total", "Bytes of repository content that were received.").Add(1_048_576)
	t.Counter("berth_worker_log_chunks_dropped_total", "Pieces of deployment logs that were dropped because the link could not keep up.").Add(0)
}

// moving is a value around a mean that differs from snapshot to snapshot and from worker to worker.
func (r *reporter) moving(mean, width float64) float64 {
	return math.Round(mean + width*math.Sin(float64(r.tick)*1.7+float64(r.number)))
}

// growing is a counter in hundredths.
func (r *reporter) growing(from, each float64) float64 {
	return math.Round(100*(from+float64(r.number%1000)+each*float64(r.tick))) / 100
}

// series counts the lines of a snapshot that are no comments.
func series(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			n++
		}
	}
	return n
}
