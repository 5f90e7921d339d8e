package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/stacks"
	"berth/core/wire"
)

// TestUsageIsWhatContainersUsedBetweenLooks: two containers of a compose service count together, one that is new begins
// to count with the second look at it, and one that was made anew is no step back.
func TestUsageIsWhatContainersUsedBetweenLooks(t *testing.T) {
	now := time.Unix(1000, 0)
	u := newUsage(newEngine(), func() time.Time { return now })
	of := func(container string, cpu time.Duration, mib int64) ContainerUsage {
		return ContainerUsage{Project: "shop", Service: "web", ContainerID: container, CPU: cpu, Memory: mib << 20}
	}
	for _, look := range []struct {
		after time.Duration
		list  []ContainerUsage
		want  string // newest sample: thousandths of a processor and MiB; empty: none yet
	}{
		{0, []ContainerUsage{of("a", time.Hour, 10)}, ""},
		{30 * time.Second, []ContainerUsage{of("a", time.Hour+15*time.Second, 12)}, "500 12"},
		{30 * time.Second, []ContainerUsage{of("a", time.Hour+18*time.Second, 12), of("b", time.Minute, 20)}, "100 12"},
		{10 * time.Second, []ContainerUsage{of("a", time.Hour+19*time.Second, 12), of("b", time.Minute+20*time.Second, 21)}, "2100 33"},
		{20 * time.Second, []ContainerUsage{of("c", time.Second, 5)}, "2100 33"},
		{30 * time.Second, []ContainerUsage{of("c", 4*time.Second, 5)}, "100 5"},
	} {
		now = now.Add(look.after)
		u.take(look.list, now)
		got := ""
		if all := u.of(t.Context(), "shop"); len(all) > 0 {
			newest := all[0].Samples[len(all[0].Samples)-1]
			got = fmt.Sprint(newest.CPU, " ", newest.Memory>>20)
		}
		if got != look.want {
			t.Errorf("after %v it uses %q, want %q", look.after, got, look.want)
		}
	}
	if other := u.of(t.Context(), "other"); len(other) != 0 {
		t.Errorf("another project uses %+v", other)
	}
}

// TestUsageIsRememberedForAWhile: one sample for each half minute, however often somebody looks, and none for ever.
func TestUsageIsRememberedForAWhile(t *testing.T) {
	now := time.Unix(1000, 0)
	u := newUsage(newEngine(), func() time.Time { return now })
	for i := range 2 * 3600 / 5 {
		now = now.Add(5 * time.Second)
		u.take([]ContainerUsage{{Project: "shop", Service: "web", ContainerID: "a", CPU: time.Duration(i) * time.Second}}, now)
	}
	all := u.of(t.Context(), "shop")
	if n := len(all[0].Samples); n < 60 || n > 62 {
		t.Errorf("%d samples are kept", n)
	}
	if oldest := now.Sub(all[0].Samples[0].At); oldest > stacks.UsageKept {
		t.Errorf("the oldest is %v old", oldest)
	}
	now = now.Add(stacks.UsageKept + time.Minute)
	u.take(nil, now)
	if all := u.of(t.Context(), "shop"); len(all) != 0 || len(u.before) != 0 {
		t.Errorf("what ran long ago is kept: %+v", all)
	}
}

// laden is an engine that has so many containers that a look takes long.
type laden struct {
	Engine
	takes time.Duration
	looks int
}

func (e *laden) Usage(context.Context) ([]ContainerUsage, error) {
	time.Sleep(e.takes)
	e.looks++
	return nil, nil
}

func TestAnEngineWithVeryManyContainersIsLookedAtSeldom(t *testing.T) {
	for takes, want := range map[time.Duration]int{10 * time.Millisecond: 120, 2 * time.Second: 36} {
		synctest.Test(t, func(t *testing.T) {
			engine := &laden{takes: takes}
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour-time.Second)
			defer cancel()
			newUsage(engine, time.Now).run(ctx)
			if engine.looks != want {
				t.Errorf("a look takes %v: %d in an hour, want %d", takes, engine.looks, want)
			}
		})
	}
}

// TestTheHubIsToldWhatContainersUse, also while a deployment of the stack runs.
func TestTheHubIsToldWhatContainersUse(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		use := func(cpu time.Duration) {
			s.engine.mu.Lock()
			defer s.engine.mu.Unlock()
			s.engine.used = []ContainerUsage{{Project: "shop", Service: "web", ContainerID: "a", CPU: cpu, Memory: 7 << 20}}
		}
		use(time.Second)
		h := s.start().greeted()
		time.Sleep(stacks.UsageEvery / 2)
		use(4 * time.Second)
		h.send(wire.Request{ID: 1, Kind: wire.RequestUsage, Stack: newStack(), Project: "shop", Seconds: 5})
		var text strings.Builder
		for {
			reply := await(h, "a reply", any1[wire.Reply])
			text.WriteString(reply.Data)
			if reply.Error != "" {
				t.Fatalf("refused: %+v", reply)
			}
			if reply.Last {
				break
			}
		}
		var all []stacks.ServiceUsage
		if err := json.Unmarshal([]byte(text.String()), &all); err != nil || len(all) != 1 || all[0].Service != "web" || len(all[0].Samples) != 1 || all[0].Samples[0].CPU != 200 || all[0].Samples[0].Memory != 7<<20 {
			t.Errorf("told %s: %+v, %v", text.String(), all, err)
		}
	})
}
