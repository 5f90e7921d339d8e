package metrics

import (
	"runtime"
	"slices"
	"strings"
	"time"

	"berth/core"
)

// Own are the server's own families. Its methods, in the files own_*.go, are the only way to write
// them, so that names and labels stand there alone; each is safe for concurrent use.
type Own struct {
	all []*vector // by name

	build       *vector
	deployments ownDeployments
	fetches     ownFetches
	looks       ownLooks
	stacks      ownStacks
	jobs        ownJobs
	workers     ownWorkers
	secrets     ownSecrets
	requests    ownRequests
	webhooks    ownWebhooks
	backups     ownBackups
	outbox      ownOutbox
	keys        ownKeys
	store       ownStore
	snapshots   ownSnapshots

	process func() Process
	kept    kept
	now     core.Clock
}

// Process are figures of this very process; a zero field is left out.
type Process struct {
	ResidentBytes uint64
	VirtualBytes  uint64
	CPUSeconds    float64
	StartedAt     time.Time
	OpenFiles     int // file descriptors
	MaxFiles      int // limit of file descriptors
}

// newOwn declares every family.
func newOwn(version string, process func() Process, now core.Clock) *Own {
	o := &Own{process: process, now: now}
	o.build = o.declare(TypeGauge, "berth_build_info", "Version of this server; always 1.", []string{"version", "go_version"})
	o.build.add(1, version, runtime.Version())
	o.deployments.declare(o)
	o.fetches.declare(o)
	o.looks.declare(o)
	o.stacks.declare(o)
	o.jobs.declare(o)
	o.workers.declare(o)
	o.secrets.declare(o)
	o.requests.declare(o)
	o.webhooks.declare(o)
	o.backups.declare(o)
	o.outbox.declare(o)
	o.keys.declare(o)
	o.store.declare(o)
	o.snapshots.declare(o)
	slices.SortFunc(o.all, func(a, b *vector) int { return strings.Compare(a.name, b.name) })
	return o
}

func (o *Own) declare(kind Type, name, help string, labels []string, bounds ...float64) *vector {
	v := newVector(kind, name, help, labels, bounds...)
	o.all = append(o.all, v)
	return v
}

// results are the words for how something ended that has two ends.
var results = map[bool]string{true: "succeeded", false: "failed"}

// Families renders all of them; those that have no series are left out. It is called for each scrape.
func (o *Own) Families() []Family {
	families := make([]Family, 0, len(o.all)+len(runtimeFamilies))
	o.store.count()
	over := 0
	for _, v := range o.all {
		v.mu.Lock()
		over, v.over = over+v.over, 0
		v.mu.Unlock()
	}
	if over > 0 {
		o.Dropped(TooMany, over)
	}
	for _, v := range o.all {
		if f := v.family(); f.Series > 0 {
			families = append(families, f)
		}
	}
	return append(families, o.runtime()...)
}
