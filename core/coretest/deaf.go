package coretest

import (
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/metrics"
	"berth/core/stacks"
)

// Deaf is told how things go, as metrics.Cache and metrics.Own are, and keeps nothing of it: for tests of
// whoever tells.
type Deaf struct{}

// Connected, Heard, Put and Left are about a worker.
func (Deaf) Connected(core.WorkerID, string)     {}
func (Deaf) Heard(core.WorkerID, time.Duration)  {}
func (Deaf) Put(core.WorkerID, metrics.Snapshot) {}

// Hosts sees none.
func (Deaf) Hosts() map[core.WorkerID]metrics.HostSight { return nil }
func (Deaf) Left(core.WorkerID)                         {}

// RoundTrip and Refused are about links.
func (Deaf) RoundTrip(time.Duration) {}
func (Deaf) Refused(string)          {}

// Fetched, PhaseEnded, Healthy and Resolved are about deployments.
func (Deaf) Fetched(bool, time.Duration)                {}
func (Deaf) PhaseEnded(stacks.PhaseName, time.Duration) {}
func (Deaf) Healthy(time.Duration)                      {}
func (Deaf) Resolved(string, bool, time.Duration)       {}

// JobFired and RunEnded are about jobs.
func (Deaf) JobFired(time.Duration) {}
func (Deaf) RunEnded(jobs.RunState) {}

// Know, KnowJobs, Unknow and StoreSize are about what is stored.
func (Deaf) Know(stacks.Figures)   {}
func (Deaf) KnowJobs(jobs.Figures) {}
func (Deaf) Unknow()               {}
func (Deaf) StoreSize(int64)       {}
