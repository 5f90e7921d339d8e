package metrics

import (
	"fmt"
	"runtime"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// Own are the server's own families. Its methods are the only way to write them, so that
// names and labels stand in this file alone; each is safe for concurrent use.
type Own struct {
	all []*vector // in no order

	deployments    *vector
	deployTime     *vector
	phaseTime      *vector
	stacks         *vector
	fetches        *vector
	fetchTime      *vector
	requests       *vector
	requestTime    *vector
	authentication *vector
	refused        *vector
	dropped        *vector
	build          *vector
	full           *vector

	process func() Process
	now     core.Clock
}

// Process are figures of this very process; a zero field is left out.
type Process struct {
	ResidentBytes uint64
	CPUSeconds    float64
	StartedAt     time.Time
	OpenFiles     int // file descriptors
	MaxFiles      int // limit of file descriptors
}

// newOwn declares every family.
func newOwn(version string, process func() Process, now core.Clock) *Own {
	o := &Own{process: process, now: now}
	o.deployments = o.declare(TypeCounter, "berth_deployments_total", "Deployments that ended, by what triggered them and how they ended.", []string{"trigger", "result"})
	o.deployTime = o.declare(TypeHistogram, "berth_deployment_duration_seconds", "Time since a deployment was queued until it ended.", nil,
		0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800)
	o.phaseTime = o.declare(TypeHistogram, "berth_deployment_phase_duration_seconds", "Time that one phase of a deployment took.", []string{"phase"},
		0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1200)
	o.stacks = o.declare(TypeGauge, "berth_stacks", "Stacks, by status.", []string{"status"})
	o.fetches = o.declare(TypeCounter, "berth_fetches_total", "Fetches of Git repositories, by how they ended.", []string{"result"})
	o.fetchTime = o.declare(TypeHistogram, "berth_fetch_duration_seconds", "Time that a fetch of a Git repository took.", nil,
		0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300)
	o.requests = o.declare(TypeCounter, "berth_http_requests_total", "HTTP requests, by surface and class of status.", []string{"surface", "code"})
	o.requestTime = o.declare(TypeHistogram, "berth_http_request_duration_seconds", "Time that an HTTP request took, by surface.", []string{"surface"},
		0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
	o.authentication = o.declare(TypeCounter, "berth_authentication_failures_total", "Credentials that were refused, by kind.", []string{"kind"})
	o.refused = o.declare(TypeCounter, "berth_worker_messages_refused_total", "Messages of workers that were about something not their own.", []string{"what"})
	o.dropped = o.declare(TypeCounter, "berth_metrics_dropped_series_total", "Series that were left out of the metrics, by reason.", []string{"reason"})
	o.build = o.declare(TypeGauge, "berth_build_info", "Version of this server; always 1.", []string{"version", "go_version"})
	o.full = o.declare(TypeGauge, "berth_store_disk_full", "1 while the disk below the database is full, so that nothing new is begun, else 0.", nil)
	o.build.add(1, version, runtime.Version())
	for _, r := range []Reason{Unreadable, Duplicate, Clash, TooMany, TooLarge} {
		o.dropped.add(0, string(r))
	}
	return o
}

func (o *Own) declare(kind Type, name, help string, labels []string, buckets ...float64) *vector {
	v := newVector(kind, name, help, labels, buckets...)
	o.all = append(o.all, v)
	return v
}

// Deployed counts a deployment that ended, with the time since it was queued.
func (o *Own) Deployed(trigger stacks.Trigger, state stacks.DeploymentState, took time.Duration) {
	o.deployments.add(1, string(trigger), string(state))
	o.deployTime.observe(took.Seconds())
}

// Room sets whether the disk has room to begin something new.
func (o *Own) Room(room bool) {
	value := 1.0
	if room {
		value = 0
	}
	o.full.replace(map[string]float64{"": value})
}

// PhaseEnded measures one phase of a deployment.
func (o *Own) PhaseEnded(phase stacks.PhaseName, took time.Duration) {
	o.phaseTime.observe(took.Seconds(), string(phase))
}

// Stacks sets how many stacks have each status.
func (o *Own) Stacks(counts map[stacks.Status]int) {
	values := make(map[string]float64, len(counts))
	for status, n := range counts {
		values[string(status)] = float64(n)
	}
	o.stacks.replace(values)
}

// Fetched counts a fetch of a repository.
func (o *Own) Fetched(ok bool, took time.Duration) {
	result := "failed"
	if ok {
		result = "succeeded"
	}
	o.fetches.add(1, result)
	o.fetchTime.observe(took.Seconds())
}

// Refused counts a worker's message that was about something not its own; what is a word
// such as "result", never text from outside.
func (o *Own) Refused(what string) { o.refused.add(1, what) }

// Request counts an HTTP request that was answered with status.
func (o *Own) Request(surface string, status int, took time.Duration) {
	o.requests.add(1, surface, fmt.Sprintf("%dxx", status/100))
	o.requestTime.observe(took.Seconds(), surface)
}

// AuthenticationFailed counts a refused credential: "session", "api_key", "password", "worker".
func (o *Own) AuthenticationFailed(kind string) { o.authentication.add(1, kind) }

// Dropped counts series that were left out.
func (o *Own) Dropped(reason Reason, n int) { o.dropped.add(float64(n), string(reason)) }

// families renders all of them.
func (o *Own) families() []Family {
	var families []Family
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
