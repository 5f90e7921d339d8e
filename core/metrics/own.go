package metrics

import (
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"berth/core"
)

// Own are the server's own families. Its methods, in the files own_*.go, are the only way to write
// them, so that names and labels stand there alone; each is safe for concurrent use.
type Own struct {
	all []*vector // by name

	turned turned
	over   atomic.Int64 // observations that found no room in their family

	build       *vector
	deployments ownDeployments
	fetches     ownFetches
	looks       ownLooks
	stacks      ownStacks
	jobs        ownJobs
	workers     ownWorkers
	hubs        ownHubs
	secrets     ownSecrets
	requests    ownRequests
	webhooks    ownWebhooks
	backups     ownBackups
	outbox      ownOutbox
	keys        ownKeys
	store       ownStore
	snapshots   ownSnapshots
	runtime     ownRuntime

	now core.Clock
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
	o := &Own{now: now}
	o.build = o.declare(TypeGauge, "berth_build_info", "Version of this server; always 1.", []string{"version", "go_version"})
	o.build.add(1, version, runtime.Version())
	o.deployments.declare(o)
	o.fetches.declare(o)
	o.looks.declare(o)
	o.stacks.declare(o)
	o.jobs.declare(o)
	o.workers.declare(o)
	o.hubs.declare(o)
	o.secrets.declare(o)
	o.requests.declare(o)
	o.webhooks.declare(o)
	o.backups.declare(o)
	o.outbox.declare(o)
	o.keys.declare(o)
	o.store.declare(o)
	o.snapshots.declare(o)
	o.runtime.declare(o, process)
	slices.SortFunc(o.all, func(a, b *vector) int { return strings.Compare(a.name, b.name) })
	for place, v := range o.all {
		v.place = place
	}
	return o
}

func (o *Own) declare(kind Type, name, help string, labels []string, bounds ...float64) *vector {
	v := newVector(o, kind, name, help, labels, bounds...)
	o.all = append(o.all, v)
	return v
}

// results are the words for how something ended that has two ends.
var results = map[bool]string{true: "succeeded", false: "failed"}

// Families renders all of them, as they are now; those that have no series are left out.
func (o *Own) Families() []Family {
	o.look()
	families := make([]Family, 0, len(o.all))
	for _, v := range o.all {
		if f := v.family(); f.Series > 0 {
			families = append(families, f)
		}
	}
	return families
}

// look brings those families up to date that nobody writes when something happens: it is called for each scrape.
func (o *Own) look() {
	o.store.count()
	o.runtime.read(o.now())
	if over := o.over.Swap(0); over > 0 {
		o.Dropped(TooMany, int(over))
	}
}
