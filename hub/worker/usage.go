package worker

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// usage remembers what the containers of stacks used of this host in the last while. It looks now and then, and
// more often while somebody watches.
type usage struct {
	engine Engine
	now    core.Clock

	looks sync.Mutex // held by the one who looks

	mu     sync.Mutex // guards what follows
	at     time.Time  // of the look before
	before map[string]time.Duration
	kept   map[usedBy]*usageTrace
}

// usedBy names a compose service on this host.
type usedBy struct{ project, service string }

// usageTrace is what one compose service used: samples that are kept, and the newest, which may not be.
type usageTrace struct {
	samples []stacks.UsageSample
	newest  stacks.UsageSample
}

// usageShare is how much longer a worker pauses than it looks.
const usageShare = 50

// usageFresh is how old a look may be for somebody who asks.
const usageFresh = 5 * time.Second

func newUsage(engine Engine, now core.Clock) *usage {
	return &usage{engine: engine, now: now, before: map[string]time.Duration{}, kept: map[usedBy]*usageTrace{}}
}

// run looks every now and then until ctx ends, more seldom where a look takes long: an engine with very many containers
// has better things to do.
func (u *usage) run(ctx context.Context) {
	for {
		began := u.now()
		u.look(ctx)
		if pause(ctx, nil, max(stacks.UsageEvery, usageShare*u.now().Sub(began))) != nil {
			return
		}
	}
}

// look asks the engine what containers use, unless somebody is at it. An engine that does not answer is told of elsewhere.
func (u *usage) look(ctx context.Context) {
	if !u.looks.TryLock() {
		return
	}
	defer u.looks.Unlock()
	list, err := u.engine.Usage(ctx)
	if err == nil {
		u.take(list, u.now())
	}
}

// take adds a look. The first look at a container says how much processor time it has used in all, and nothing about now.
func (u *usage) take(list []ContainerUsage, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	took := at.Sub(u.at)
	before, sums := u.before, map[usedBy]stacks.UsageSample{}
	u.at, u.before = at, make(map[string]time.Duration, len(list))
	for _, c := range list {
		u.before[c.ContainerID] = c.CPU
		used, known := before[c.ContainerID]
		if !known || took <= 0 {
			continue
		}
		by := usedBy{c.Project, c.Service}
		sum := sums[by]
		sum.At, sum.Memory = at, sum.Memory+c.Memory
		sum.CPU += int(max(0, c.CPU-used) * 1000 / took)
		sums[by] = sum
	}
	for by, sample := range sums {
		u.keep(by, sample)
	}
	for by, trace := range u.kept {
		if at.Sub(trace.newest.At) > stacks.UsageKept {
			delete(u.kept, by)
		}
	}
}

// keep adds a sample of a compose service. u is locked.
func (u *usage) keep(by usedBy, sample stacks.UsageSample) {
	trace := u.kept[by]
	if trace == nil {
		trace = &usageTrace{}
		u.kept[by] = trace
	}
	trace.newest = sample
	if last := len(trace.samples) - 1; last < 0 || sample.At.Sub(trace.samples[last].At) > stacks.UsageEvery-usageFresh {
		trace.samples = append(trace.samples, sample)
	}
	trace.samples = slices.DeleteFunc(trace.samples, func(s stacks.UsageSample) bool { return sample.At.Sub(s.At) > stacks.UsageKept })
}

// of returns what the compose services of a project used, by name.
func (u *usage) of(ctx context.Context, project string) []stacks.ServiceUsage {
	u.mu.Lock()
	old := u.now().Sub(u.at) > usageFresh
	u.mu.Unlock()
	if old {
		u.look(ctx)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	all := []stacks.ServiceUsage{}
	for by, trace := range u.kept {
		if by.project != project {
			continue
		}
		samples := slices.Clone(trace.samples)
		if last := len(samples) - 1; !samples[last].At.Equal(trace.newest.At) {
			samples = append(samples, trace.newest)
		}
		all = append(all, stacks.ServiceUsage{Service: by.service, Samples: samples})
	}
	slices.SortFunc(all, func(a, b stacks.ServiceUsage) int { return strings.Compare(a.Service, b.Service) })
	return all
}
